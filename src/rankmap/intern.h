// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Interning: equal tables of one instance are one table. A table is known by a hash of its entries; what has the same
// hash is compared. Luts, packed or not, that are equal but for their process group are one table, for it is not in there.
#ifndef AVRANKMAP_SRC_RANKMAP_INTERN_H
#define AVRANKMAP_SRC_RANKMAP_INTERN_H

#include <atomic>

#include "rankmap/map.h"

namespace avrankmap::detail {

// Makes a map whose table is new share an equal one that is there, or else makes its table known. Nothing is done for a
// map without a table, for a part of a table (the table is known already), or where the instance does not intern.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY. O(size).
[[nodiscard]] avrm_status_t intern(avrm_rankmap_t *map) noexcept;

// Gives up one share of a table that is, or would be, in `known` under `key`, which is 0 for a table that was never
// made known. Returns true if it was the last share: then nobody knows the table any more, and it is to be released.
[[nodiscard]] bool give_up_share(Interned *interned, HashTable *known, std::atomic<std::uint32_t> *sharers,
                                 std::uint64_t key, const void *header) noexcept;

} // namespace avrankmap::detail

#endif
