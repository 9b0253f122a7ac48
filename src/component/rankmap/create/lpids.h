// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps of one process group from the lpids of its ranks. An array without a pattern is copied, and
// the search for a smaller form stops before it has cost as much as the copy: the search for a cart
// ends at the first element that contradicts every cart, and runs are counted, 64 elements at a
// time, before any run is listed.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_LPIDS_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_LPIDS_H

#include <optional>

#include "rankmap/forms/cart.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

// Creates the map rank -> {pgid, lpids[rank]} in the form that the instance's cost class demands.
// The array must be neither empty nor regular.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_OVERFLOW (an lpid is not in 0 .. kMaxLpid)
[[nodiscard]] avrm_status_t map_of_lpids(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size,
                                         const std::int32_t *lpids, MapOwner *map_p) noexcept;

// Creates the map of some ranks, which are not regular, of a parent with one process group. Costs
// as much as copying the ranks, unless translation through the parent has to search.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_RANK
[[nodiscard]] avrm_status_t map_of_ranks(const avrm_rankmap_t *parent, std::int32_t size, const std::int32_t *ranks,
                                         MapOwner *map_p) noexcept;

// Completes a lut map whose own table is filled in but whose greatest entry is not known. The
// result may be regular.
[[nodiscard]] avrm_status_t settle_table(MapOwner *map) noexcept;

// The cart with the fewest dimensions that the lpids follow, if there is one. The array must not be
// regular. Several equal lpids are a cart of two dimensions. Reads up to the first lpid that
// contradicts every cart.
[[nodiscard]] std::optional<Cart> detect_cart(const std::int32_t *lpids, std::int32_t size) noexcept;

} // namespace avrankmap::detail

#endif
