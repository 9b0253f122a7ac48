// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reorders the ranks of a grid so that fewer neighbours are on different nodes. Each node gets a
// tile: a box with as many places as the node has processes. A rank in the parent is then a
// mixed-radix function of the rank in the grid, with two digits per dimension: the place in the
// tile, and the tile. The map therefore remains a formula.
//
//   2 x 4 places on nodes of 4    row-major  a a a a    tiles of 2 x 2  a a b b
//                                            b b b b                    a a b b
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_REORDER_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_REORDER_H

#include <optional>

#include "comm_algorithms/conclude.h"
#include "comm_algorithms/create/grid.h"
#include "rankmap/forms/cart.h"

namespace avrankmap::detail {

// How the parent's ranks are placed on nodes, each of which has the same number of ranks.
struct NodeLayout {
  // kBlocks: consecutive ranks per node; kRounds: ranks are assigned to nodes cyclically.
  enum Kind { kUnknown, kBlocks, kRounds } kind = kUnknown;
  std::int32_t per_node = 1;
};

// Number of places: the product of the extents, which is below 2^31.
[[nodiscard]] std::int32_t places_of(const Grid &grid) noexcept;

// Number of pairs of neighbours in the grid that are on different nodes, each counted once per
// dimension and direction. The first function is for ranks in row-major order, the second for
// tiles.
[[nodiscard]] std::uint64_t links_between_nodes(const Grid &grid, const NodeLayout &layout) noexcept;
[[nodiscard]] std::uint64_t links_between_tiles(const Grid &grid, const std::int32_t *tile) noexcept;

class Reordering {
public:
  // Finds the best reordering. Returns nullopt if row-major order is as good, or if no tile fits.
  [[nodiscard]] static std::optional<Reordering> find(const Grid &grid, const NodeLayout &layout) noexcept;

  // The rank in the parent for each rank of the grid.
  [[nodiscard]] const Cart &ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::int32_t rank_of(std::int32_t parent_rank) const noexcept;
  [[nodiscard]] const std::int32_t *tile() const noexcept { return tile_; }

private:
  Reordering(const Grid &grid, const NodeLayout &layout) noexcept : grid_(grid), layout_(layout) {}
  void search(std::int32_t dimension, std::int32_t left, std::int32_t *tile) noexcept;
  [[nodiscard]] std::optional<Cart> cart_of(const std::int32_t *tile) const noexcept;

  Grid grid_;
  NodeLayout layout_;
  Cart ranks_;
  std::int32_t tile_[AVRM_CART_MAX] = {};
  std::uint64_t links_ = 0; // of the best so far
};

// Creates a grid of the first processes of the parent. `node` is the number of this process's node.
// With `reorder` it takes up to two reductions, a broadcast and up to two messages more.
Task make_cart(Channel &channel, CreationHost &site, const Parent &parent, const Grid &grid, bool reorder,
               std::int32_t node, avrm_status_t status, CreationResult *made) noexcept;

} // namespace avrankmap::detail

#endif
