// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The maps of a node's ranks and of all leaders; computed by formulas if the hierarchy consists of
// pieces.
#include "avrankmap/hierarchy.h"

#include "hierarchy/by_grid.h"
#include "hierarchy/placed_pieces.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

namespace {

// Children of a map, to be concatenated.
class Children {
public:
  explicit Children(const avrm_rankmap_t *parent) noexcept : parent_(parent) {}

  // Appends ranks `offset` + (i / block) * stride + i % block of the parent.
  [[nodiscard]] avrm_status_t append(std::uint64_t count, std::int32_t offset, std::uint64_t stride,
                                     std::uint32_t block) noexcept {
    const bool one_block = count <= block;
    const Regular ranks{static_cast<std::int32_t>(count), offset, one_block ? 1 : static_cast<std::int32_t>(stride),
                        one_block ? 1 : static_cast<std::int32_t>(block)};
    avrm_status_t status = child_of_grid(parent_, ranks, &maps_[count_]);
    if (status == AVRM_ERR_UNSUPPORTED) {
      avrm_rankmap_t map{};
      status = avrm_rankmap_create_child_regular(parent_, ranks.size, ranks.offset, ranks.stride, ranks.block,
                                                 AVRM_RANKMAP_DEFAULT, &map);
      maps_[count_] = MapOwner(map);
    }
    count_ += status == AVRM_OK ? 1 : 0;
    return status;
  }

  // Concatenates all children; there must be at least one.
  [[nodiscard]] avrm_status_t join(avrm_rankmap_t *map_p) noexcept {
    if (count_ == 1) {
      *map_p = maps_[0].release();
      return AVRM_OK;
    }
    const avrm_rankmap_t *parts[kMost];
    for (int i = 0; i < count_; ++i) {
      parts[i] = maps_[i].get();
    }
    return avrm_rankmap_create_concat(count_, parts, AVRM_RANKMAP_DEFAULT, map_p);
  }

private:
  static constexpr int kMost = 2 * kMostPlacedPieces;

  const avrm_rankmap_t *parent_;
  MapOwner maps_[kMost];
  int count_ = 0;
};

[[nodiscard]] avrm_status_t append_node(const PlacedPieces &placed_pieces, std::int32_t node,
                                        Children *children) noexcept {
  avrm_status_t status = AVRM_OK;
  for (const PlacedPiece &placed : placed_pieces) {
    const std::int64_t place = PlacedPieces::place_of(placed, node);
    if (place < 0) {
      continue;
    }
    const std::uint64_t skipped = PlacedPieces::before(placed, place, placed.phase);
    const std::uint64_t count =
        PlacedPieces::before(placed, place, PlacedPieces::position(placed, placed_pieces.end_of(&placed))) - skipped;
    const std::uint64_t in_block = skipped % placed.block;
    // Number of ranks in a first block of which only the end is in the piece.
    const std::uint64_t head = in_block == 0 ? 0 : std::min(count, placed.block - in_block);
    if (head > 0) {
      status = children->append(head, PlacedPieces::nth_at(placed, place, skipped), 0, placed.block);
    }
    if (status == AVRM_OK && count > head) {
      status = children->append(count - head, PlacedPieces::nth_at(placed, place, skipped + head),
                                std::uint64_t{placed.block} * placed.period, placed.block);
    }
    if (status != AVRM_OK) {
      return status;
    }
  }
  return AVRM_OK;
}

// The greatest node with ranks in a piece.
[[nodiscard]] std::int64_t greatest_node(const PlacedPiece &placed, std::uint32_t end) noexcept {
  const std::uint64_t first = placed.phase / placed.block;
  const std::uint64_t last = PlacedPieces::position(placed, end - 1) / placed.block;
  const bool wraps = last >= placed.period;
  const std::uint64_t lowest = wraps ? 0 : first;
  const std::uint64_t highest = wraps ? placed.period - 1 : last;
  return placed.node + placed.step * static_cast<std::int64_t>(placed.step > 0 ? highest : lowest);
}

// Nodes are numbered in the order of their leaders, so the nodes that first occur in a given piece
// have consecutive numbers and, if there are several, consecutive blocks.
[[nodiscard]] avrm_status_t append_leaders(const PlacedPieces &placed_pieces, Children *children) noexcept {
  std::int64_t next = 0;
  for (const PlacedPiece &placed : placed_pieces) {
    const std::int64_t end = greatest_node(placed, placed_pieces.end_of(&placed)) + 1;
    if (end <= next) {
      continue;
    }
    const auto first = static_cast<std::int32_t>(next);
    const std::int32_t leader = placed_pieces.rank(first, 0);
    const auto count = static_cast<std::uint64_t>(end - next);
    const bool is_short =
        count > 1 && placed_pieces.rank(first + 1, 0) - leader != static_cast<std::int64_t>(placed.block);
    avrm_status_t status = children->append(is_short ? 1 : count, leader, placed.block, 1);
    if (status == AVRM_OK && is_short) { // the block of the first node
      status = children->append(count - 1, placed_pieces.rank(first + 1, 0), placed.block, 1);
    }
    if (status != AVRM_OK) {
      return status;
    }
    next = end;
  }
  return AVRM_OK;
}

// Creates a child of the ranks rank_at(0), rank_at(1), ...
template <typename RankAt>
[[nodiscard]] avrm_status_t child_of(const avrm_rankmap_t *parent, std::int32_t size, RankAt rank_at,
                                     avrm_rankmap_t *map_p) noexcept {
  const Scratch<std::int32_t> ranks(parent->instance->memory, static_cast<std::size_t>(size));
  if (!ranks) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::int32_t i = 0; i < size; ++i) {
    ranks.data()[i] = rank_at(i);
  }
  return avrm_rankmap_create_child(parent, size, ranks.data(), AVRM_RANKMAP_DEFAULT, map_p);
}

[[nodiscard]] avrm_status_t check(const avrm_hierarchy_t *hierarchy, const avrm_rankmap_t *map,
                                  const avrm_rankmap_t *map_p) noexcept {
  if (hierarchy == nullptr || hierarchy->instance == nullptr || map == nullptr || map->instance == nullptr ||
      map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return avrm_hierarchy_size(hierarchy) == map->size ? AVRM_OK : AVRM_ERR_SIZE;
}

[[nodiscard]] bool is_pieces(const avrm_hierarchy_t *hierarchy) noexcept {
  return hierarchy->shared == nullptr || header_of(hierarchy)->levels == kPlacedPieces;
}

// Calls visit(placed_pieces) for a hierarchy that consists of pieces.
template <typename Visit>
[[nodiscard]] avrm_status_t with_placed_pieces(const avrm_hierarchy_t *hierarchy, Visit visit) noexcept {
  if (hierarchy->shared != nullptr) {
    return visit(PlacedPieces(header_of(hierarchy)));
  }
  const PlacedPiece layout{0, 0, 1, hierarchy->block, hierarchy->phase, hierarchy->nodes};
  return visit(PlacedPieces(&layout, hierarchy->size));
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_hierarchy_node_map(const avrm_hierarchy_t *hierarchy, int32_t node, const avrm_rankmap_t *map,
                                      avrm_rankmap_t *map_p) noexcept {
  const avrm_status_t status = check(hierarchy, map, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (node < 0 || node >= avrm_hierarchy_nodes(hierarchy)) {
    return AVRM_ERR_RANGE;
  }
  if (!is_pieces(hierarchy)) {
    return child_of(
        map, avrm_hierarchy_node_size(hierarchy, node),
        [=](std::int32_t local) { return avrm_hierarchy_rank(hierarchy, node, local); }, map_p);
  }
  return with_placed_pieces(hierarchy, [=](const PlacedPieces &placed_pieces) {
    Children children(map);
    const avrm_status_t made = append_node(placed_pieces, node, &children);
    return made == AVRM_OK ? children.join(map_p) : made;
  });
}

avrm_status_t avrm_hierarchy_leaders_map(const avrm_hierarchy_t *hierarchy, const avrm_rankmap_t *map,
                                         avrm_rankmap_t *map_p) noexcept {
  const avrm_status_t status = check(hierarchy, map, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (map->size == 0) {
    return avrm_rankmap_dup(map, map_p);
  }
  if (!is_pieces(hierarchy)) {
    return child_of(
        map, avrm_hierarchy_nodes(hierarchy), [=](std::int32_t node) { return avrm_hierarchy_leader(hierarchy, node); },
        map_p);
  }
  return with_placed_pieces(hierarchy, [=](const PlacedPieces &placed_pieces) {
    Children children(map);
    const avrm_status_t made = append_leaders(placed_pieces, &children);
    return made == AVRM_OK ? children.join(map_p) : made;
  });
}
