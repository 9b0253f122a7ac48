// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What becomes of texts of errors: the caller's hook gets them, and, while a device is opened, the
// thread keeps the last one, as many programs set no hook.
#ifndef AVRANKMAP_SRC_CORE_REPORT_H
#define AVRANKMAP_SRC_CORE_REPORT_H

#include "base/environment.h"
#include "base/open_error.h"
#include "core/device.h"

namespace avrankmap::detail {

// Reports that an environment variable has a value that it may not have. Returns AVRM_ERR_OPTION.
avrm_status_t refuse_variable(avrm_device_t *device, env::Variable variable) noexcept;
// env::choice that reports.
[[nodiscard]] avrm_status_t choose(avrm_device_t *device, env::Variable variable, int *choice_p) noexcept;

} // namespace avrankmap::detail

#endif
