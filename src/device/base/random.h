// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_SRC_BASE_RANDOM_H
#define AVRANKMAP_SRC_BASE_RANDOM_H

#include <cstddef>

#include "avrankmap/status.h"

namespace avrankmap::detail {

// Fills at most 256 bytes with unpredictable values, from getrandom or, if a seccomp filter refuses
// it, from /dev/urandom. Returns AVRM_OK, or AVRM_ERR_SYSTEM with a text (open_error.h).
[[nodiscard]] avrm_status_t fill_random(void *bytes, std::size_t count) noexcept;

} // namespace avrankmap::detail

#endif
