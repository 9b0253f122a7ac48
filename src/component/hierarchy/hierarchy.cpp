// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation of hierarchies: from rules for node ids, or by reading the key of each rank.
#include "avrankmap/hierarchy.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "av/address_vector.h"
#include "av/instance.h"
#include "hierarchy/by_grid.h"
#include "hierarchy/by_rule.h"
#include "hierarchy/numbering.h"
#include "hierarchy/shared.h"

namespace avrankmap::detail {

namespace {

[[nodiscard]] avrm_hierarchy_t hierarchy_of(avrm_instance_t *instance, std::int32_t size) noexcept {
  avrm_hierarchy_t hierarchy{};
  hierarchy.size = static_cast<std::uint32_t>(size);
  hierarchy.block = 1;
  hierarchy.instance = instance;
  return hierarchy;
}

// Sets a hierarchy to the layout of a piece. Returns false if by_round is not exact enough.
[[nodiscard]] bool set_layout(avrm_hierarchy_t *hierarchy, const Piece &piece) noexcept {
  hierarchy->nodes = std::min(piece.period, blocks_of(piece));
  if (hierarchy->nodes == 1) { // all blocks are on this node
    hierarchy->block = hierarchy->size;
  } else {
    hierarchy->block = piece.block;
    hierarchy->phase = piece.phase;
  }
  const std::uint64_t end = std::uint64_t{hierarchy->size} + hierarchy->phase;
  const std::uint64_t round = std::uint64_t{hierarchy->nodes} * hierarchy->block;
  hierarchy->rounds = static_cast<std::uint32_t>(end / round);
  hierarchy->rest = static_cast<std::uint32_t>(end % round);
  hierarchy->by_round = ~std::uint64_t{0} / round + 1; // 0 if a round is 1
  hierarchy->by_block = ((std::uint64_t{1} << 63) + hierarchy->block - 1) / hierarchy->block;
  // The rounding error of by_round, in units of 1 / round, must not carry for any position.
  const std::uint64_t excess = hierarchy->by_round * round;
  return excess == 0 || end - 1 <= ~std::uint64_t{0} / excess;
}

// Completes a hierarchy from a list of pieces whose nodes are numbered from 0. If the list
// overflows, `node_of`, the node number of each rank, is used instead.
[[nodiscard]] avrm_status_t complete(avrm_hierarchy_t *hierarchy, const PieceList &list, std::uint32_t nodes,
                                     std::uint32_t *node_of) noexcept {
  if (list.failed()) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (list.count() == 1 && !list.overflows() && set_layout(hierarchy, *list.begin())) {
    return AVRM_OK;
  }
  hierarchy->nodes = nodes;
  return share(hierarchy, list, node_of);
}

// Creates a hierarchy from the key of each rank: key_at(rank).
template <typename KeyAt>
[[nodiscard]] avrm_status_t create(avrm_instance_t *instance, std::int32_t size, KeyAt key_at,
                                   avrm_hierarchy_t *hierarchy_p) noexcept {
  avrm_hierarchy_t hierarchy = hierarchy_of(instance, size);
  if (size > 0) {
    const Scratch<std::uint32_t> nodes(instance->memory, hierarchy.size);
    Numbering numbering(instance->memory);
    PieceList list(instance->memory, kMostPlacedPieces);
    if (!nodes) {
      return AVRM_ERR_NO_MEMORY;
    }
    std::uint32_t node = 0;
    for (std::int32_t rank = 0; rank < size; ++rank) {
      if (list.failed() || !numbering.number(key_at(rank), &node)) {
        return AVRM_ERR_NO_MEMORY;
      }
      nodes.data()[rank] = node;
      if (!list.overflows()) {
        list.push(node, 1);
      }
    }
    list.finish();
    const avrm_status_t status = complete(&hierarchy, list, numbering.count(), nodes.data());
    if (status != AVRM_OK) {
      return status;
    }
  }
  *hierarchy_p = hierarchy;
  return AVRM_OK;
}

[[nodiscard]] std::uint32_t node_at(const NodeIdRule &rule, std::int32_t lpid) noexcept {
  return rule.node + (static_cast<std::uint32_t>(lpid) - rule.first + rule.phase) / rule.block % rule.period;
}

// With more pieces than this, the key of each rank is read.
constexpr std::size_t kMostKeyPieces = 1024;

// Creates a hierarchy from a rule for the node ids of each process group: rule_at(pgid, lpid) is
// the rule of a range of lpids that contains lpid. Returns AVRM_ERR_UNSUPPORTED if an lpid has no
// rule, or if there are too many pieces.
template <typename RuleAt>
[[nodiscard]] avrm_status_t create_by_rule(const avrm_rankmap_t *map, RuleAt &&rule_at,
                                           avrm_hierarchy_t *hierarchy_p) noexcept {
  Memory &memory = map->instance->memory;
  PieceList keys(memory, kMostKeyPieces);
  if (const std::optional<Cart> grid = grid_of(map)) {
    const std::optional<NodeIdRule> rule = rule_at(map->pgid, grid->offset);
    if (const std::optional<Piece> piece = rule ? piece_of_grid(*grid, *rule) : std::nullopt) {
      keys.push(*piece);
      keys.finish();
      return create_of_pieces(map->instance, map->size, keys, hierarchy_p);
    }
  }
  const avrm_status_t told = for_each_run(map, [&](const Run &run) {
    for (std::int32_t done = 0; done < run.count;) {
      const Run rest = part_of(run, done, run.count - done);
      const std::optional<NodeIdRule> rule = rule_at(rest.pgid, rest.offset);
      if (!rule || keys.is_closed()) {
        return keys.failed() ? AVRM_ERR_NO_MEMORY : AVRM_ERR_UNSUPPORTED;
      }
      done += push_run(rest, *rule, &keys);
    }
    return AVRM_OK;
  });
  if (told != AVRM_OK) {
    return told;
  }
  keys.finish();
  return create_of_pieces(map->instance, map->size, keys, hierarchy_p);
}

} // namespace

avrm_status_t create_of_pieces(avrm_instance_t *instance, std::int32_t size, const PieceList &keys,
                               avrm_hierarchy_t *hierarchy_p) noexcept {
  avrm_hierarchy_t hierarchy = hierarchy_of(instance, size);
  if (keys.failed()) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (keys.overflows()) {
    return AVRM_ERR_UNSUPPORTED;
  }
  PieceList list(instance->memory, kMostPlacedPieces);
  PieceNumbering numbering(instance->memory);
  for (const Piece &piece : keys) {
    if (!numbering.push(piece, &list)) {
      return AVRM_ERR_NO_MEMORY;
    }
  }
  list.finish();
  if (list.overflows()) {
    return AVRM_ERR_UNSUPPORTED;
  }
  const avrm_status_t status = size == 0 ? AVRM_OK : complete(&hierarchy, list, numbering.count(), nullptr);
  if (status == AVRM_OK) {
    *hierarchy_p = hierarchy;
  }
  return status;
}

avrm_status_t create_of_rule(const avrm_rankmap_t *map, const NodeIdRule &rule,
                             avrm_hierarchy_t *hierarchy_p) noexcept {
  const auto rule_at = [&rule](std::int32_t /*pgid*/, std::int32_t /*lpid*/) { return std::optional(rule); };
  const avrm_status_t status = create_by_rule(map, rule_at, hierarchy_p);
  if (status != AVRM_ERR_UNSUPPORTED) {
    return status;
  }
  const auto key_at = [map, &rule](std::int32_t rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
    return static_cast<std::uint64_t>(process.pgid) << 32 | node_at(rule, process.lpid);
  };
  return create(map->instance, map->size, key_at, hierarchy_p);
}

avrm_status_t create_of_numbers(avrm_instance_t *instance, std::int32_t size, const std::uint32_t *numbers,
                                avrm_hierarchy_t *hierarchy_p) noexcept {
  return create(
      instance, size, [numbers](std::int32_t rank) { return std::uint64_t{numbers[rank]}; }, hierarchy_p);
}

avrm_status_t create_of_list(avrm_instance_t *instance, std::int32_t size, const PieceList &keys,
                             avrm_hierarchy_t *hierarchy_p) noexcept {
  const avrm_status_t status = create_of_pieces(instance, size, keys, hierarchy_p);
  if (status != AVRM_ERR_UNSUPPORTED) {
    return status;
  }
  const Scratch<std::uint32_t> numbers(instance->memory, static_cast<std::size_t>(size));
  if (!numbers) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint32_t *at = numbers.data();
  for (const Piece &piece : keys) {
    for_each_block(piece, [&at](std::int64_t node, std::uint32_t count) {
      at = std::fill_n(at, count, static_cast<std::uint32_t>(node));
    });
  }
  return create_of_numbers(instance, size, numbers.data(), hierarchy_p);
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_hierarchy_create(const avrm_rankmap_t *map, avrm_hierarchy_t *hierarchy_p) noexcept {
  if (map == nullptr || map->instance == nullptr || hierarchy_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (map->bound == 0) {
    return AVRM_ERR_NOT_BOUND;
  }
  // The map holds its AVs, including released ones, which cannot be found in any other way.
  const auto rules = [map](std::int32_t pgid, std::int32_t lpid) {
    return map->instance->process_groups.held(pgid)->node_rule(lpid);
  };
  const avrm_status_t status = create_by_rule(map, rules, hierarchy_p);
  if (status != AVRM_ERR_UNSUPPORTED) {
    return status;
  }
  const auto key_at = [map, rules](std::int32_t rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
    const std::optional<NodeIdRule> rule = rules(process.pgid, process.lpid);
    const std::uint32_t node = rule ? node_at(*rule, process.lpid) : avrm_rankmap_node(map, rank);
    return std::uint64_t{static_cast<std::uint32_t>(process.pgid)} << 32 | node;
  };
  return create(map->instance, map->size, key_at, hierarchy_p);
}

avrm_status_t avrm_hierarchy_create_keys(avrm_instance_t *instance, int32_t size, const uint64_t *keys,
                                         avrm_hierarchy_t *hierarchy_p) noexcept {
  if (instance == nullptr || (keys == nullptr && size > 0) || hierarchy_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (size < 0) {
    return AVRM_ERR_SIZE;
  }
  return create(
      instance, size, [keys](std::int32_t rank) { return keys[rank]; }, hierarchy_p);
}

avrm_status_t avrm_hierarchy_create_function(const avrm_rankmap_t *map, avrm_hierarchy_key_t key, void *context,
                                             avrm_hierarchy_t *hierarchy_p) noexcept {
  if (map == nullptr || map->instance == nullptr || key == nullptr || hierarchy_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const auto key_at = [=](std::int32_t rank) { return key(context, avrm_rankmap_gpid(map, rank)); };
  return create(map->instance, map->size, key_at, hierarchy_p);
}

avrm_status_t avrm_hierarchy_create_layout(const avrm_rankmap_t *map, int32_t nodes, int32_t block,
                                           avrm_hierarchy_t *hierarchy_p) noexcept {
  if (map == nullptr || map->instance == nullptr || hierarchy_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (nodes < 1) {
    return AVRM_ERR_SIZE;
  }
  if (block < 1) {
    return AVRM_ERR_BLOCK;
  }
  constexpr auto kAll = std::uint32_t{std::numeric_limits<std::int32_t>::max()} + 1;
  const NodeIdRule rule{0, kAll, 0, 0, static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(nodes)};
  return create_of_rule(map, rule, hierarchy_p);
}
