// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Making hierarchies: layouts by arithmetic, anything else by a look at the key of each rank.
#include "avrankmap/hierarchy.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "av/address_vector.h"
#include "av/instance.h"
#include "hierarchy/numbering.h"
#include "hierarchy/shared.h"

namespace avrankmap::detail {

namespace {

// A layout of ranks, as the fields of avrm_hierarchy_t.
struct Layout {
  std::uint32_t nodes;
  std::uint32_t block;
  std::uint32_t phase;
};

[[nodiscard]] avrm_hierarchy_t hierarchy_of(avrm_instance_t *instance, std::int32_t size) noexcept {
  avrm_hierarchy_t hierarchy{};
  hierarchy.size = static_cast<std::uint32_t>(size);
  hierarchy.block = 1;
  hierarchy.instance = instance;
  return hierarchy;
}

// `layout` may have more nodes than there are blocks.
void set_layout(avrm_hierarchy_t *hierarchy, const Layout &layout) noexcept {
  if (hierarchy->size == 0) {
    return;
  }
  const std::uint64_t end = std::uint64_t{hierarchy->size} + layout.phase;
  const std::uint64_t blocks = (end + layout.block - 1) / layout.block;
  hierarchy->nodes = static_cast<std::uint32_t>(std::min<std::uint64_t>(layout.nodes, blocks));
  if (hierarchy->nodes == 1) { // the same whatever the blocks are
    hierarchy->block = hierarchy->size;
    hierarchy->rounds = 1;
    return;
  }
  const std::uint64_t round = std::uint64_t{hierarchy->nodes} * layout.block;
  hierarchy->block = layout.block;
  hierarchy->phase = layout.phase;
  hierarchy->rounds = static_cast<std::uint32_t>(end / round);
  hierarchy->rest = static_cast<std::uint32_t>(end % round);
}

// The one layout that the nodes of the ranks can have, if they have any: its block is the second
// one, which is whole, and its first block is the first one.
[[nodiscard]] bool find_layout(const std::uint32_t *nodes, std::uint32_t size, std::uint32_t count,
                               Layout *layout) noexcept {
  const std::uint32_t *const end = nodes + size;
  const std::uint32_t *const second = std::find_if(nodes, end, [](std::uint32_t node) { return node != 0; });
  const auto first_ranks = static_cast<std::uint32_t>(second - nodes);
  if (second == end) {
    *layout = {1, first_ranks, 0};
    return true;
  }
  const std::uint32_t *const third = std::find_if(second, end, [](std::uint32_t node) { return node != 1; });
  std::uint32_t block = static_cast<std::uint32_t>(third - second);
  block = third == end ? std::max(block, first_ranks) : block;
  if (first_ranks > block) {
    return false;
  }
  *layout = {count, block, block - first_ranks};
  std::uint32_t node = 0;
  std::uint32_t in_block = layout->phase;
  for (const std::uint32_t *at = nodes; at != end; ++at) {
    if (*at != node) {
      return false;
    }
    if (++in_block == block) {
      in_block = 0;
      node = node + 1 == count ? 0 : node + 1;
    }
  }
  return true;
}

// From the key of each rank: key_at(rank).
template <typename KeyAt>
[[nodiscard]] avrm_status_t create(avrm_instance_t *instance, std::int32_t size, KeyAt key_at,
                                   avrm_hierarchy_t *hierarchy_p) noexcept {
  avrm_hierarchy_t hierarchy = hierarchy_of(instance, size);
  if (size > 0) {
    const Scratch<std::uint32_t> nodes(instance->memory, hierarchy.size);
    Numbering numbering(instance->memory);
    if (!nodes) {
      return AVRM_ERR_NO_MEMORY;
    }
    std::uint32_t node = 0;
    for (std::int32_t rank = 0; rank < size; ++rank) {
      if (!numbering.number(key_at(rank), &node)) {
        return AVRM_ERR_NO_MEMORY;
      }
      nodes.data()[rank] = node;
    }
    Layout layout{};
    if (find_layout(nodes.data(), hierarchy.size, numbering.count(), &layout)) {
      set_layout(&hierarchy, layout);
    } else {
      hierarchy.nodes = numbering.count();
      const avrm_status_t status = share(&hierarchy, nodes.data());
      if (status != AVRM_OK) {
        return status;
      }
    }
  }
  *hierarchy_p = hierarchy;
  return AVRM_OK;
}

// The layout of ranks whose processes are offset, offset + stride, ... where that is one. Downwards
// is upwards with the nodes counted from the other end.
[[nodiscard]] bool layout_of(const avrm_rankmap_t *map, std::int64_t nodes, std::int64_t block,
                             Layout *layout) noexcept {
  const bool regular = map->mode == AVRM_MODE_DIRECT || map->mode == AVRM_MODE_OFFSET || map->mode == AVRM_MODE_STRIDE;
  if (!regular) {
    return false;
  }
  const std::int64_t stride = map->stride < 0 ? -std::int64_t{map->stride} : map->stride;
  std::int64_t in_block = map->offset % block;
  in_block = map->stride < 0 ? block - 1 - in_block : in_block;
  if (block % stride == 0) {
    const std::int64_t whole = block / stride;
    const std::int64_t first = (block - in_block + stride - 1) / stride;
    *layout = {static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(whole),
               static_cast<std::uint32_t>(whole - first)};
    return true;
  }
  if (stride % block == 0) {
    *layout = {static_cast<std::uint32_t>(nodes / std::gcd(nodes, stride / block)), 1, 0};
    return true;
  }
  return false;
}

// If the map's processes are of one group whose AV is implicit, the layout of the AV's node ids.
[[nodiscard]] std::optional<NodeIdRule> layout_of_nodes(const avrm_rankmap_t *map) noexcept {
  avrm_av_t *av = nullptr;
  if (map->pgid < 0 || avrm_av_hold(map->instance, map->pgid, &av) != AVRM_OK) {
    return {};
  }
  const AddressVector *const vector = AddressVector::from_handle(av);
  std::optional<NodeIdRule> layout;
  if (vector->table() == nullptr) {
    layout = vector->implicit->node_layout();
  }
  avrm_av_drop(av);
  return layout;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_hierarchy_create(const avrm_rankmap_t *map, avrm_hierarchy_t *hierarchy_p) noexcept {
  if (map == nullptr || map->instance == nullptr || hierarchy_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (map->bound == 0) {
    return AVRM_ERR_NOT_BOUND;
  }
  if (const std::optional<NodeIdRule> layout = layout_of_nodes(map)) {
    return avrm_hierarchy_create_layout(map, layout->nodes, layout->block, hierarchy_p);
  }
  const auto key_at = [map](std::int32_t rank) {
    const auto pgid = static_cast<std::uint32_t>(map->pgid >= 0 ? 0 : avrm_rankmap_gpid(map, rank).pgid);
    return std::uint64_t{pgid} << 32 | avrm_rankmap_node(map, rank);
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
  Layout layout{};
  if (map->size == 0 || layout_of(map, nodes, block, &layout)) {
    avrm_hierarchy_t hierarchy = hierarchy_of(map->instance, map->size);
    set_layout(&hierarchy, layout);
    *hierarchy_p = hierarchy;
    return AVRM_OK;
  }
  const auto key_at = [=](std::int32_t rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
    return static_cast<std::uint64_t>(process.pgid) << 32 | static_cast<std::uint32_t>(process.lpid / block % nodes);
  };
  return create(map->instance, map->size, key_at, hierarchy_p);
}
