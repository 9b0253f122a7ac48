// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchies of blocked and cart maps, such as planes of a grid, by their dimensions: without a
// look at their blocks and rows.
#ifndef AVRANKMAP_SRC_HIERARCHY_BY_GRID_H
#define AVRANKMAP_SRC_HIERARCHY_BY_GRID_H

#include <optional>

#include "av/node_rules.h"
#include "hierarchy/pieces.h"
#include "rankmap/forms/cart.h"

namespace avrankmap::detail {

// A blocked map as a cart of two dimensions, or a cart. Nothing for maps of other forms.
[[nodiscard]] std::optional<Cart> grid_of(const avrm_rankmap_t *map) noexcept;

// The numbers of the nodes of a grid's ranks as a piece, from 0 on, if they are one: each dimension
// stays on its node, or goes from node to node, or is one of these after the other, and no two
// dimensions that go from node to node have one between them that stays. `rule` is for all lpids.
[[nodiscard]] std::optional<Piece> piece_of_grid(const Cart &grid, const NodeIdRule &rule) noexcept;

// The map of ranks inner(0), inner(1), ... of a parent that is a grid. @return AVRM_OK,
// AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (they are no grid along the parent's dimensions, or few
// enough to be composed run by run)
[[nodiscard]] avrm_status_t child_of_grid(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
