// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/create/reorder.h"

#include <algorithm>
#include <numeric>

#include "comm_algorithms/channel/collectives.h"
#include "comm_algorithms/create/cart_child.h"

namespace avrankmap::detail {

namespace {

// Upper limit on the processes per node; with more, the search for a tile would take too long.
constexpr std::int32_t kMostPerNode = 4096;

// One dimension of a grid in row-major order.
struct Axis {
  std::int64_t places; // of the whole grid
  std::int64_t extent; // 2 or more
  std::int64_t stride; // from a place to the next one

  [[nodiscard]] std::int64_t line() const noexcept { return extent * stride; }
  [[nodiscard]] std::int64_t links() const noexcept { return places / extent * (extent - 1); }
  [[nodiscard]] std::int64_t wraps() const noexcept { return places / extent; }
  [[nodiscard]] std::int64_t wrap_stride() const noexcept { return stride * (extent - 1); }
};

// Number of links from a place to the next one along the axis that cross a multiple of n. Both
// axis.line() and n divide the number of places.
std::int64_t links_across(const Axis &axis, std::int64_t n) noexcept {
  const std::int64_t s = axis.stride;
  if (s >= n) {
    return axis.links();
  }
  // The links of the s places before a multiple of n cross it, except for places that are the last
  // of their line. The multiples of n fall equally often on each multiple of g within a line. If
  // one lies |j| * g places before or after the end of a line, s - |j| * g of the s places before
  // it are the last of their line (none if that is negative).
  const std::int64_t g = std::gcd(n, axis.line());
  const std::int64_t q = (s - 1) / g;
  const std::int64_t last_ones = s + 2 * (q * s - g * (q * (q + 1) / 2));
  const std::int64_t multiples = axis.places / n;
  return multiples * s - multiples / (axis.line() / g) * last_ones;
}

// As links_across, for the links from the last place of a line to its first place.
std::int64_t wraps_across(const Axis &axis, std::int64_t n) noexcept {
  const std::int64_t room = n - axis.wrap_stride();
  if (room <= 0) {
    return axis.wraps();
  }
  // The first and the last place of a line are on the same node if the first one is among the first
  // `room` places of a node. Lines begin equally often at each multiple of g within a node. So this
  // counts the pairs, equal modulo g, of one of the s first places of lines that follow one another
  // and one of the first `room` places of a node.
  const std::int64_t g = std::gcd(n, axis.line());
  const std::int64_t s = axis.stride;
  const std::int64_t together =
      g * (room / g) * (s / g) + room / g * (s % g) + s / g * (room % g) + std::min(room % g, s % g);
  return axis.wraps() - axis.places / axis.line() / (n / g) * together;
}

} // namespace

std::int32_t places_of(const Grid &grid) noexcept {
  std::int32_t places = 1;
  for (std::int32_t k = 0; k < grid.dimensions; ++k) {
    places *= grid.dims[k];
  }
  return places;
}

std::uint64_t links_between_nodes(const Grid &grid, const NodeLayout &layout) noexcept {
  Axis axis{places_of(grid), 0, 1};
  std::int64_t links = 0;
  for (std::int32_t k = grid.dimensions - 1; k >= 0; --k) {
    axis.extent = grid.dims[k];
    if (axis.extent == 1) {
      continue;
    }
    if (layout.kind == NodeLayout::kRounds) {
      const std::int64_t nodes = axis.places / layout.per_node;
      links += axis.stride % nodes == 0 ? 0 : axis.links();
      links += !grid.periods[k] || axis.wrap_stride() % nodes == 0 ? 0 : axis.wraps();
    } else {
      links += links_across(axis, layout.per_node);
      links += grid.periods[k] ? wraps_across(axis, layout.per_node) : 0;
    }
    axis.stride *= axis.extent;
  }
  return static_cast<std::uint64_t>(links);
}

std::uint64_t links_between_tiles(const Grid &grid, const std::int32_t *tile) noexcept {
  const std::uint64_t places = static_cast<std::uint64_t>(places_of(grid));
  std::uint64_t links = 0;
  for (std::int32_t k = 0; k < grid.dimensions; ++k) {
    const auto tiles = static_cast<std::uint64_t>(grid.dims[k] / tile[k]);
    const std::uint64_t per_line = tiles == 1 ? 0 : tiles - (grid.periods[k] ? 0 : 1);
    links += per_line * (places / static_cast<std::uint64_t>(grid.dims[k]));
  }
  return links;
}

std::optional<Reordering> Reordering::find(const Grid &grid, const NodeLayout &layout) noexcept {
  const std::int32_t places = places_of(grid);
  if (layout.kind == NodeLayout::kUnknown || layout.per_node < 2 || layout.per_node > kMostPerNode ||
      layout.per_node == places || places % layout.per_node != 0) {
    return std::nullopt;
  }
  Reordering best(grid, layout);
  best.links_ = links_between_nodes(grid, layout);
  std::int32_t tile[AVRM_CART_MAX];
  std::fill(std::begin(tile), std::end(tile), 1);
  best.search(0, layout.per_node, tile);
  return best.ranks_.size == 0 ? std::nullopt : std::optional(best);
}

// Tries all factorisations of `left`, the remaining processes of a node, into extents of a tile. Of
// equally good tiles the lexicographically smallest is kept; it favours long sides in the last
// dimensions, as row-major order does.
void Reordering::search(std::int32_t dimension, std::int32_t left, std::int32_t *tile) noexcept {
  if (dimension == grid_.dimensions) {
    const std::uint64_t links = left == 1 ? links_between_tiles(grid_, tile) : links_;
    if (links < links_) {
      if (const std::optional<Cart> ranks = cart_of(tile)) {
        ranks_ = *ranks;
        links_ = links;
        std::copy_n(tile, grid_.dimensions, tile_);
      }
    }
    return;
  }
  const std::int32_t both = std::gcd(left, grid_.dims[dimension]);
  for (std::int32_t extent = 1; extent <= both; ++extent) {
    if (both % extent == 0) {
      tile[dimension] = extent;
      search(dimension + 1, left / extent, tile);
    }
  }
  tile[dimension] = 1;
}

// Returns nullopt if a cart cannot have that many dimensions.
std::optional<Cart> Reordering::cart_of(const std::int32_t *tile) const noexcept {
  Cart cart;
  cart.size = places_of(grid_);
  const bool blocks = layout_.kind == NodeLayout::kBlocks;
  // Stride from a process of a node to the node's next process.
  std::int64_t within = blocks ? 1 : cart.size / layout_.per_node;
  std::int64_t between = blocks ? layout_.per_node : 1; // from a node to the next one
  const auto add = [&cart](std::int32_t extent, std::int64_t *stride) {
    const int last = cart.dimensions - 1;
    if (extent != 1 && last >= 0 && cart.strides[last] * cart.extents[last] == *stride) {
      cart.extents[last] *= extent;
    } else if (extent != 1) {
      if (cart.dimensions == kMostDimensions) {
        return false;
      }
      cart.extents[cart.dimensions] = extent;
      cart.strides[cart.dimensions++] = *stride;
    }
    *stride *= extent;
    return true;
  };
  for (std::int32_t k = grid_.dimensions - 1; k >= 0; --k) {
    if (!add(tile[k], &within) || !add(grid_.dims[k] / tile[k], &between)) {
      return std::nullopt;
    }
  }
  return cart;
}

std::int32_t Reordering::rank_of(std::int32_t parent_rank) const noexcept {
  const std::int32_t nodes = ranks_.size / layout_.per_node;
  const bool blocks = layout_.kind == NodeLayout::kBlocks;
  std::int32_t within = blocks ? parent_rank % layout_.per_node : parent_rank / nodes;
  std::int32_t node = blocks ? parent_rank / layout_.per_node : parent_rank % nodes;
  std::int32_t rank = 0;
  std::int32_t stride = 1;
  for (std::int32_t k = grid_.dimensions - 1; k >= 0; stride *= grid_.dims[k], --k) {
    const std::int32_t tiles = grid_.dims[k] / tile_[k];
    rank += (node % tiles * tile_[k] + within % tile_[k]) * stride;
    within /= tile_[k];
    node /= tiles;
  }
  return rank;
}

namespace {

// Broadcast by rank 0, so that all processes make the same decision.
struct Told {
  Told(const Grid &grid, std::int32_t of) noexcept : node(of), dimensions(grid.dimensions) {
    std::copy_n(grid.dims, AVRM_CART_MAX, dims);
    std::copy_n(grid.periods, AVRM_CART_MAX, periods);
  }
  [[nodiscard]] Grid grid() const noexcept {
    Grid all;
    all.dimensions = dimensions;
    std::copy_n(dims, AVRM_CART_MAX, all.dims);
    std::copy_n(periods, AVRM_CART_MAX, all.periods);
    return all;
  }
  std::int32_t node;
  std::int32_t dimensions;
  std::int32_t dims[AVRM_CART_MAX];
  bool periods[AVRM_CART_MAX];
};
static_assert(is_message<Told>);

// The placement of ranks, reduced over all. A rank begins a block if the rank before it is on
// another node.
struct LayoutSummary {
  std::int32_t blocks; // number of blocks
  std::int32_t common; // greatest common divisor of the ranks that begin one; 0: only rank 0
  std::int32_t again;  // where the next block of rank 0's node begins
};

bool is_same(const Grid &one, const Grid &other) noexcept {
  return one.dimensions == other.dimensions && std::equal(one.dims, one.dims + one.dimensions, other.dims) &&
         std::equal(one.periods, one.periods + one.dimensions, other.periods);
}

// Receives the node of the rank that is lower by `distance`. Only ranks `distance` to places - 1
// receive anything.
Task ask_before(Channel &channel, std::int32_t places, std::int32_t distance, const std::int32_t *node,
                std::int32_t *before) noexcept {
  const std::int32_t rank = channel.rank();
  const bool sends = rank < places - distance;
  const bool receives = rank >= distance && rank < places;
  if (sends && receives) {
    co_return co_await exchange(channel, rank + distance, node, sizeof *node, rank - distance, before, sizeof *before);
  }
  if (sends) {
    co_return co_await send(channel, rank + distance, node, sizeof *node);
  }
  if (receives) {
    co_return co_await receive(channel, rank - distance, before, sizeof *before);
  }
  co_return AVRM_OK;
}

// A node with several blocks of processes counts as several nodes.
Task find_layout(Channel &channel, std::int32_t places, std::int32_t node, std::int32_t first_node,
                 NodeLayout *layout) noexcept {
  const std::int32_t rank = channel.rank();
  std::int32_t before = node;
  avrm_status_t status = co_await ask_before(channel, places, 1, &node, &before);
  if (status != AVRM_OK) {
    co_return status;
  }
  const bool begins = rank > 0 && rank < places && before != node;
  LayoutSummary lie{rank == 0 || begins ? 1 : 0, begins ? rank : 0, begins && node == first_node ? rank : INT32_MAX};
  status = co_await allreduce(channel, &lie, [](LayoutSummary *into, const LayoutSummary &other) {
    into->blocks += other.blocks;
    into->common = std::gcd(into->common, other.common);
    into->again = std::min(into->again, other.again);
  });
  if (status != AVRM_OK) {
    co_return status;
  }
  const std::int32_t block = std::gcd(lie.common, places);
  if (block > 1) {
    if (lie.blocks == places / block) {
      *layout = {NodeLayout::kBlocks, block};
    }
    co_return AVRM_OK;
  }
  if (lie.blocks != places || lie.again == INT32_MAX || places % lie.again != 0) {
    co_return AVRM_OK;
  }
  before = node;
  status = co_await ask_before(channel, places, lie.again, &node, &before);
  std::int32_t in_rounds = before == node ? 1 : 0;
  if (status == AVRM_OK) {
    status = co_await allreduce(channel, &in_rounds,
                                [](std::int32_t *into, const std::int32_t &other) { *into = std::min(*into, other); });
  }
  if (status == AVRM_OK && in_rounds != 0) {
    *layout = {NodeLayout::kRounds, places / lie.again};
  }
  co_return status;
}

Task find_order(Channel &channel, const Grid &grid, std::int32_t node, std::optional<Reordering> *order) noexcept {
  Told told(grid, node);
  avrm_status_t status = co_await broadcast(channel, 0, &told, sizeof told);
  NodeLayout layout;
  if (status == AVRM_OK) {
    status = co_await find_layout(channel, places_of(told.grid()), node, told.node, &layout);
  }
  if (status == AVRM_OK && !is_same(grid, told.grid())) {
    status = AVRM_ERR_MISMATCH;
  }
  if (status == AVRM_OK) {
    *order = Reordering::find(grid, layout);
  }
  co_return status;
}

} // namespace

Task make_cart(Channel &channel, CreationHost &site, const Parent &parent, const Grid &grid, bool reorder,
               std::int32_t node, avrm_status_t status, CreationResult *made) noexcept {
  const std::int32_t places = places_of(grid);
  std::optional<Reordering> order;
  if (reorder) {
    const avrm_status_t found = co_await find_order(channel, grid, node, &order);
    status = status == AVRM_OK ? found : status;
  }
  if (status == AVRM_OK && channel.rank() < places) {
    Cart ranks;
    ranks.size = places;
    ranks.dimensions = 1;
    ranks.strides[0] = 1;
    status = child_by_cart(parent.map, order ? order->ranks() : ranks, &made->map);
    made->rank = order ? order->rank_of(channel.rank()) : channel.rank();
  }
  // All processes must pass the same grid; the number of places is compared.
  co_return co_await conclude(channel, nullptr, site, status, static_cast<std::uint64_t>(places), parent.context, made);
}

} // namespace avrankmap::detail
