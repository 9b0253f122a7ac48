// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The text of an error of this thread that occurs before a device is open; avrm_device_open_error
// returns it.
#ifndef AVRANKMAP_SRC_BASE_OPEN_ERROR_H
#define AVRANKMAP_SRC_BASE_OPEN_ERROR_H

#include "avrankmap/status.h"

namespace avrankmap::detail {

void clear_open_error() noexcept;
void set_open_error(const char *text) noexcept;
[[nodiscard]] const char *open_error() noexcept;

// Called after a failed system call. Sets a text such as "fork: Resource temporarily unavailable".
// Returns AVRM_ERR_SYSTEM.
avrm_status_t refused_call(const char *call) noexcept;

} // namespace avrankmap::detail

#endif
