// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Error texts are passed to the caller's hook. While a device is being opened, the thread also
// stores the last one, because many programs set no hook.
#ifndef AVRANKMAP_SRC_CORE_REPORT_H
#define AVRANKMAP_SRC_CORE_REPORT_H

#include "base/environment.h"
#include "base/open_error.h"
#include "core/device.h"

namespace avrankmap::detail {

// Reports that an environment variable has an invalid value. Returns AVRM_ERR_OPTION.
avrm_status_t refuse_variable(avrm_device_t *device, env::Variable variable) noexcept;
// Like env::choice, but also reports an invalid value.
[[nodiscard]] avrm_status_t choose(avrm_device_t *device, env::Variable variable, int *choice_p) noexcept;

} // namespace avrankmap::detail

#endif
