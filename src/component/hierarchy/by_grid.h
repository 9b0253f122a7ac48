// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchies of blocked and cart maps, such as planes of a grid, by their dimensions, without
// reading their blocks and rows.
#ifndef AVRANKMAP_SRC_HIERARCHY_BY_GRID_H
#define AVRANKMAP_SRC_HIERARCHY_BY_GRID_H

#include <optional>

#include "av/node_rules.h"
#include "hierarchy/pieces.h"
#include "rankmap/forms/cart.h"

namespace avrankmap::detail {

// A cart, or a blocked map as a cart of two dimensions. Nothing for maps of other forms.
[[nodiscard]] std::optional<Cart> grid_of(const avrm_rankmap_t *map) noexcept;

// The node numbers of a grid's ranks, from 0 on, as a piece, if they form one: a step in a
// dimension stays on its node or moves by whole nodes, or the dimension can be divided into two of
// these kinds, and no dimension that stays is between two that move. `rule` applies to all lpids.
[[nodiscard]] std::optional<Piece> piece_of_grid(const Cart &grid, const NodeIdRule &rule) noexcept;

// Creates the map of ranks inner(0), inner(1), ... of a parent that is a grid.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (the ranks are not a grid along the
//         parent's dimensions, or are few enough to be composed run by run)
[[nodiscard]] avrm_status_t child_of_grid(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
