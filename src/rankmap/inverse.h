// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lpid -> rank.
#ifndef AVRANKMAP_SRC_RANKMAP_INVERSE_H
#define AVRANKMAP_SRC_RANKMAP_INVERSE_H

#include "avrankmap/inverse.h"
#include "rankmap/regular.h"

namespace avrankmap::detail {

// The lowest rank of a regular map that has the value, AVRM_UNDEFINED if none has.
[[nodiscard]] std::int32_t rank_in(const Regular &map, std::int64_t value) noexcept;

// Frees the inverse of a table, if there is one; to be called when the table goes. `owner` is what the inverse is known by:
// the table's header, or the map itself where that is cart or packed.
void forget_inverse(avrm_instance_t *instance, const void *owner) noexcept;

} // namespace avrankmap::detail

#endif
