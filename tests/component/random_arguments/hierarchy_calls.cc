// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchies.
#include "tests/component/random_arguments/world.h"

namespace avrankmap::test {

namespace {

// A map of as many ranks, if there is one.
const avrm_rankmap_t *map_of(World &w, const avrm_hierarchy_t *hierarchy) {
  for (const MapPtr &map : w.maps) {
    if (hierarchy != nullptr && map != nullptr && map->size == avrm_hierarchy_size(hierarchy) && !w.draw.one_in(8)) {
      return map.get();
    }
  }
  return w.any_map();
}

void keep(World &w, avrm_status_t status, Out<avrm_hierarchy_t> &hierarchy) {
  if (w.ok(status, hierarchy)) {
    w.keep(*hierarchy);
  }
}

void create(World &w) {
  Out<avrm_hierarchy_t> hierarchy;
  keep(w, avrm_hierarchy_create(w.any_map(), &hierarchy), hierarchy);
}

void create_keys(World &w) {
  auto key = w.draw.any<std::uint64_t>();
  const auto keys = w.array<std::uint64_t>(w.small(), [&] {
    key = w.draw.one_in(4) ? w.draw.any<std::uint64_t>() : key + w.draw.below(2);
    return key;
  });
  const auto size = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(keys));
  Out<avrm_hierarchy_t> hierarchy;
  keep(w, avrm_hierarchy_create_keys(w.any_instance(), size, keys.data(), &hierarchy), hierarchy);
}

void create_function(World &w) {
  Out<avrm_hierarchy_t> hierarchy;
  const avrm_hierarchy_key_t key = [](void *context, avrm_gpid_t process) {
    return static_cast<std::uint64_t>(process.lpid) * *static_cast<const std::uint64_t *>(context);
  };
  auto factor = w.draw.any<std::uint64_t>();
  keep(w, avrm_hierarchy_create_function(w.any_map(), key, &factor, &hierarchy), hierarchy);
}

// The nodes of some ranks are those of the rule.
void create_layout(World &w) {
  const avrm_rankmap_t *const map = w.any_map();
  if (runs_of(map) > kMostRuns) {
    return;
  }
  const std::int32_t nodes = w.draw.near(1, INT32_MAX);
  const std::int32_t block = w.draw.near(1, w.draw.one_in(2) ? 50 : INT32_MAX);
  Out<avrm_hierarchy_t> hierarchy;
  if (!w.ok(avrm_hierarchy_create_layout(map, nodes, block, &hierarchy), hierarchy)) {
    return;
  }
  for (int i = 0; i < 4 && map->size > 0; ++i) {
    const auto rank = static_cast<std::int32_t>(w.draw.inside(0, std::int64_t{map->size} - 1));
    const std::int32_t leader = avrm_hierarchy_leader(&hierarchy, avrm_hierarchy_node(&hierarchy, rank));
    const avrm_gpid_t one = avrm_rankmap_gpid(map, rank);
    const avrm_gpid_t other = avrm_rankmap_gpid(map, leader);
    EXPECT_LE(leader, rank);
    EXPECT_EQ(one.pgid, other.pgid);
    EXPECT_EQ(one.lpid / block % nodes, other.lpid / block % nodes);
  }
  w.keep(*hierarchy);
}

void dup(World &w) {
  const avrm_hierarchy_t *const one = w.any_hierarchy();
  Out<avrm_hierarchy_t> hierarchy;
  keep(w, avrm_hierarchy_dup(one, &hierarchy), hierarchy);
}

void destroy(World &w) {
  HierarchyPtr &hierarchy = w.place(w.hierarchies);
  avrm_hierarchy_destroy(hierarchy.get());
  hierarchy.reset(); // which destroys zero bytes
}

void ask(World &w) {
  const avrm_hierarchy_t *const hierarchy = w.any_hierarchy();
  (void)avrm_hierarchy_bytes(hierarchy);
  const std::int32_t size = hierarchy == nullptr ? 0 : avrm_hierarchy_size(hierarchy);
  if (size == 0) {
    return;
  }
  const std::int32_t nodes = avrm_hierarchy_nodes(hierarchy);
  const auto rank = static_cast<std::int32_t>(w.draw.inside(0, std::int64_t{size} - 1));
  const auto asked = static_cast<std::int32_t>(w.draw.inside(0, std::int64_t{nodes} - 1));
  const std::int32_t node = avrm_hierarchy_node(hierarchy, rank);
  ASSERT_TRUE(node >= 0 && node < nodes) << node;
  const std::int32_t local = avrm_hierarchy_local(hierarchy, rank);
  ASSERT_TRUE(local >= 0 && local < avrm_hierarchy_node_size(hierarchy, node)) << local;
  EXPECT_EQ(avrm_hierarchy_rank(hierarchy, node, local), rank);
  EXPECT_EQ(avrm_hierarchy_local_on(hierarchy, asked, rank), asked == node ? local : AVRM_UNDEFINED);
  const std::int32_t members = avrm_hierarchy_node_size(hierarchy, asked);
  ASSERT_GE(members, 1);
  EXPECT_EQ(avrm_hierarchy_leader(hierarchy, asked), avrm_hierarchy_rank(hierarchy, asked, 0));
  const std::int32_t last = avrm_hierarchy_rank(hierarchy, asked, members - 1);
  ASSERT_TRUE(last >= 0 && last < size) << last;
  EXPECT_EQ(avrm_hierarchy_node(hierarchy, last), asked);
  EXPECT_EQ(avrm_hierarchy_local(hierarchy, last), members - 1);
}

// Ranks of the map that was made are those of the hierarchy.
void node_map(World &w) {
  const avrm_hierarchy_t *const hierarchy = w.any_hierarchy();
  const avrm_rankmap_t *const map = map_of(w, hierarchy);
  const std::int32_t node =
      w.draw.near(0, hierarchy == nullptr ? 0 : std::int64_t{avrm_hierarchy_nodes(hierarchy)} - 1);
  Out<avrm_rankmap_t> members;
  if (w.ok(avrm_hierarchy_node_map(hierarchy, node, map, &members), members)) {
    ASSERT_EQ((*members).size, avrm_hierarchy_node_size(hierarchy, node));
    const auto local = static_cast<std::int32_t>(w.draw.inside(0, std::int64_t{(*members).size} - 1));
    EXPECT_EQ(avrm_rankmap_gpid(&members, local), avrm_rankmap_gpid(map, avrm_hierarchy_rank(hierarchy, node, local)));
    w.keep(*members);
  }
}

void leaders_map(World &w) {
  const avrm_hierarchy_t *const hierarchy = w.any_hierarchy();
  const avrm_rankmap_t *const map = map_of(w, hierarchy);
  Out<avrm_rankmap_t> leaders;
  if (w.ok(avrm_hierarchy_leaders_map(hierarchy, map, &leaders), leaders)) {
    ASSERT_EQ((*leaders).size, avrm_hierarchy_nodes(hierarchy));
    if ((*leaders).size > 0) {
      const auto of = static_cast<std::int32_t>(w.draw.inside(0, std::int64_t{(*leaders).size} - 1));
      EXPECT_EQ(avrm_rankmap_gpid(&leaders, of), avrm_rankmap_gpid(map, avrm_hierarchy_leader(hierarchy, of)));
    }
    w.keep(*leaders);
  }
}

} // namespace

const std::vector<Call> kHierarchyCalls = {
    {"avrm_hierarchy_create", create},
    {"avrm_hierarchy_create_keys", create_keys},
    {"avrm_hierarchy_create_function", create_function},
    {"avrm_hierarchy_create_layout", create_layout},
    {"avrm_hierarchy_dup", dup},
    {"avrm_hierarchy_destroy", destroy},
    {"avrm_hierarchy_node and its kind", ask},
    {"avrm_hierarchy_node_map", node_map},
    {"avrm_hierarchy_leaders_map", leaders_map},
};

} // namespace avrankmap::test
