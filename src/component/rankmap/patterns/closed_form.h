// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Composition of regular maps by algebra, without reading or writing an array. Strict mode uses it
// only where the paper's Table II classifies the result as direct, offset or stride.
#ifndef AVRANKMAP_SRC_RANKMAP_PATTERNS_CLOSED_FORM_H
#define AVRANKMAP_SRC_RANKMAP_PATTERNS_CLOSED_FORM_H

#include <optional>

#include "rankmap/patterns/regular.h"

namespace avrankmap::detail {

// rank -> outer(inner(rank)), if it is regular by one of the identities below. All values of
// `inner` must be ranks of `outer`. Both must be simplified; the result is simplified.
//
//   outer affine,  inner affine                                     affine
//   outer offset,  inner blocked                                    blocked
//   outer blocked, inner within one block                           like inner
//   outer blocked, inner steps by whole blocks                      affine
//   outer blocked, inner offset from the start of a block           blocked
//   outer blocked, inner takes the same part of every k-th block    blocked
[[nodiscard]] std::optional<Regular> composed(const Regular &outer, const Regular &inner) noexcept;

// `first` followed by `second` as one regular map, if `second` continues `first`: as the next terms
// of an affine map, or as further blocks at the same distance after whole blocks. Both must be
// simplified; the result is simplified.
[[nodiscard]] std::optional<Regular> concatenated(const Regular &first, const Regular &second) noexcept;

} // namespace avrankmap::detail

#endif
