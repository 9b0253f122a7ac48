// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps of one process group from the lpids of its ranks. An array without a pattern is copied, and
// the search for a smaller form gives up before it has cost as much: a cart is found from its first
// irregular element on, and runs are counted, 64 elements at a time, before any of them is listed.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_LPIDS_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_LPIDS_H

#include <optional>

#include "rankmap/forms/cart.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

// The map rank -> {pgid, lpids[rank]}, in the form that the instance's cost class asks for. The
// array is not empty and not regular. @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_OVERFLOW (an
// lpid that is not in 0 .. kMaxLpid)
[[nodiscard]] avrm_status_t map_of_lpids(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size,
                                         const std::int32_t *lpids, MapOwner *map_p) noexcept;

// The map of ranks of a parent of one process group. They are not regular. Cost: that of copying
// them, unless the parent has to search. @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_RANK
[[nodiscard]] avrm_status_t map_of_ranks(const avrm_rankmap_t *parent, std::int32_t size, const std::int32_t *ranks,
                                         MapOwner *map_p) noexcept;

// The map of a lut map that has a table of its own, which is filled, but whose greatest entry
// is not known. It may be regular.
[[nodiscard]] avrm_status_t settle_table(MapOwner *map) noexcept;

// The cart of the fewest dimensions that lpids follow, if there is one. The array is not regular.
// Several equal lpids are a cart of two dimensions. Reads up to the first lpid that no cart
// explains.
[[nodiscard]] std::optional<Cart> detect_cart(const std::int32_t *lpids, std::int32_t size) noexcept;

} // namespace avrankmap::detail

#endif
