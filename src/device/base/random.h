// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_SRC_BASE_RANDOM_H
#define AVRANKMAP_SRC_BASE_RANDOM_H

#include <cstddef>

#include "avrankmap/status.h"

namespace avrankmap::detail {

// At most 256 bytes that nobody can guess: of getrandom, or, where a filter refuses it, of
// /dev/urandom. Returns AVRM_OK, or AVRM_ERR_SYSTEM with a text (open_error.h).
[[nodiscard]] avrm_status_t fill_random(void *bytes, std::size_t count) noexcept;

} // namespace avrankmap::detail

#endif
