// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/report.h"

#include <cstdio>

namespace avrankmap::detail {

void report(avrm_device_t *device, avrm_status_t status, const char *text) noexcept {
  if (device->is_opening) {
    set_open_error(text);
  }
  if (device->on_error != nullptr) {
    device->on_error(device->user, status, text);
  }
}

avrm_status_t refuse_variable(avrm_device_t *device, env::Variable variable) noexcept {
  char text[160];
  (void)std::snprintf(text, sizeof text, "%s of the environment is \"%.40s\", but may be: %s", env::row(variable).name,
                      env::word(variable), env::row(variable).values);
  report(device, AVRM_ERR_OPTION, text);
  return AVRM_ERR_OPTION;
}

avrm_status_t choose(avrm_device_t *device, env::Variable variable, int *choice_p) noexcept {
  const avrm_status_t status = env::choice(variable, choice_p);
  return status == AVRM_OK ? status : refuse_variable(device, variable);
}

} // namespace avrankmap::detail
