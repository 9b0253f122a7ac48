// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchies of blocked and cart maps, such as planes of a grid, derived from the dimensions
// without reading blocks or rows.
#ifndef AVRANKMAP_SRC_HIERARCHY_BY_GRID_H
#define AVRANKMAP_SRC_HIERARCHY_BY_GRID_H

#include <optional>

#include "av/node_rules.h"
#include "hierarchy/pieces.h"
#include "rankmap/forms/cart.h"

namespace avrankmap::detail {

// Returns the cart of a cart map, or a blocked map as a cart of two dimensions; nothing for other
// forms.
[[nodiscard]] std::optional<Cart> grid_of(const avrm_rankmap_t *map) noexcept;

// Returns the node numbers of a grid's ranks, counted from 0, as a piece (pieces.h) if they form
// one: each dimension, possibly after being split, either stays on a node or moves by whole nodes,
// and none that stays is between two that move. `rule` applies to all lpids.
[[nodiscard]] std::optional<Piece> piece_of_grid(const Cart &grid, const NodeIdRule &rule) noexcept;

// Creates the map of ranks inner(0), inner(1), ... of a parent that is a grid.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (the ranks are not a grid along the
//         parent's dimensions, or are few enough to be composed run by run)
[[nodiscard]] avrm_status_t child_of_grid(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
