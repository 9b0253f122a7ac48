// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The maps of a node and of the leaders, against the lists of ranks of the brute-force twin.
#include "hierarchy/by_grid.h"
#include "tests/component/hierarchy/random_keys.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

MapPtr node_map(const HierarchyPtr &hierarchy, std::size_t node, const MapPtr &map) {
  return make_map([&](avrm_rankmap_t *map_p) {
    return avrm_hierarchy_node_map(hierarchy.get(), static_cast<std::int32_t>(node), map.get(), map_p);
  });
}
MapPtr leaders_map(const HierarchyPtr &hierarchy, const MapPtr &map) {
  return make_map([&](avrm_rankmap_t *map_p) { return avrm_hierarchy_leaders_map(hierarchy.get(), map.get(), map_p); });
}

// The map's processes are those of the parent's ranks.
testing::AssertionResult is_child(const MapPtr &map, const MapPtr &parent, const Ranks &ranks) {
  if (map->size != static_cast<std::int32_t>(ranks.size())) {
    return testing::AssertionFailure() << map->size << " ranks, expected " << ranks.size();
  }
  for (std::int32_t i = 0; i < map->size; ++i) {
    const std::int32_t rank = ranks[static_cast<std::size_t>(i)];
    if (!(avrm_rankmap_gpid(map.get(), i) == avrm_rankmap_gpid(parent.get(), rank))) {
      return testing::AssertionFailure() << "place " << i << " is not rank " << rank;
    }
  }
  return testing::AssertionSuccess();
}

class HierarchyMaps : public testing::Test {
protected:
  // Compares the maps of some nodes, the first and the last among them. Returns the checks.
  std::int64_t expect_maps(const Keys &keys, const HierarchyPtr &hierarchy, const MapPtr &parent) {
    const HierarchyTwin twin(keys);
    Ranks leaders;
    for (const Ranks &ranks : twin.nodes()) {
      leaders.push_back(ranks[0]);
    }
    EXPECT_TRUE(is_child(leaders_map(hierarchy, parent), parent, leaders));
    std::int64_t checks = std::ssize(leaders);
    for (std::size_t node = 0; node < leaders.size();) {
      const Ranks &ranks = twin.nodes()[node];
      EXPECT_TRUE(is_child(node_map(hierarchy, node, parent), parent, ranks)) << "node " << node;
      checks += std::ssize(ranks);
      const std::size_t next = node + 1 + below(engine, 1 + leaders.size() / 16);
      node = node + 1 < leaders.size() ? std::min(next, leaders.size() - 1) : next;
    }
    return checks;
  }

  // A grid as a map, whatever its size.
  avrm_rankmap_t new_cart_or_blocked(const detail::Cart &grid) {
    const bool is_blocked = grid.dimensions == 2 && grid.strides[0] == 1;
    const detail::Regular blocked{grid.size, grid.offset, static_cast<std::int32_t>(grid.strides[1]), grid.extents[0]};
    return is_blocked ? detail::new_regular_map(instance, 0, blocked).release()
                      : detail::new_cart_map(instance, 0, grid, detail::greatest_of(grid)).release();
  }

  std::mt19937_64 engine = seeded_engine();
  RandomInput input{engine};
  CountingAllocator memory;
  Instance instance{&memory, false, AVRM_COST_BALANCED};
};

TEST_F(HierarchyMaps, OfLayoutsAgreeWithTheTwinForEveryPhase) {
  for (const std::int32_t nodes : {1, 2, 3, 7}) {
    for (const std::int32_t block : {1, 2, 5}) {
      for (const std::int32_t size : {1, 2, 9, 10, 31, 71}) {
        for (std::int32_t phase = 0; phase < nodes * block; ++phase) {
          const Keys keys = layout(size, 0, nodes, block, phase);
          expect_maps(keys, of_keys(instance, keys), make_stride(instance, size, 3, 2));
        }
      }
    }
  }
}

TEST_F(HierarchyMaps, AgreeWithTheTwinForRandomNodesAndMaps) {
  for (std::int64_t left = twin_checks(); left > 0 && !HasFailure();) {
    const Keys keys = input.one_in(3) ? random_keys(engine) : random_pieces(input);
    Ranks lpids(keys.size());
    std::iota(lpids.begin(), lpids.end(), 0);
    if (input.one_in(3)) {
      std::shuffle(lpids.begin(), lpids.end(), engine);
    }
    left -= expect_maps(keys, of_keys(instance, keys), make_lpids(instance, lpids));
  }
}

TEST_F(HierarchyMaps, OfRegularLayoutsAreFormulasWithoutMemory) {
  constexpr std::int32_t kRanks = 1 << 30;
  const MapPtr world = make_direct(instance, kRanks);
  const MapPtr odd = make_stride(instance, kRanks / 2, 1, 2);
  const std::uint64_t live_bytes = memory.live_bytes();
  const HierarchyPtr blocks = of_layout(world, kMaxSize, 128);
  EXPECT_EQ(shape_of(node_map(blocks, 5, world).get()), (Shape{AVRM_MODE_OFFSET, 0, 640, 1, 1}));
  EXPECT_EQ(shape_of(leaders_map(blocks, world).get()), (Shape{AVRM_MODE_STRIDE, 0, 0, 128, 1}));
  const HierarchyPtr cyclic = of_layout(world, 1024, 1);
  EXPECT_EQ(shape_of(node_map(cyclic, 5, world).get()), (Shape{AVRM_MODE_STRIDE, 0, 5, 1024, 1}));
  EXPECT_EQ(shape_of(leaders_map(cyclic, world).get()), (Shape{AVRM_MODE_DIRECT, 0, 0, 1, 1}));
  const HierarchyPtr planes = of_layout(world, 1024, 4);
  EXPECT_EQ(shape_of(node_map(planes, 5, world).get()), (Shape{AVRM_MODE_BLOCKED, 0, 20, 4096, 4}));
  const HierarchyPtr half = of_layout(odd, kMaxSize, 128);
  EXPECT_EQ(shape_of(node_map(half, 5, odd).get()), (Shape{AVRM_MODE_STRIDE, 0, 641, 2, 1}));
  EXPECT_EQ(shape_of(leaders_map(half, odd).get()), (Shape{AVRM_MODE_STRIDE, 0, 1, 128, 1}));
  EXPECT_EQ(memory.live_bytes(), live_bytes);
}

TEST_F(HierarchyMaps, OfPiecesAreNotMadeRankByRank) {
  constexpr std::int32_t kRanks = 1 << 30;
  const MapPtr world = make_direct(instance, kRanks);
  const MapPtr lower = make_offset(instance, 1000, 0);
  const MapPtr upper = make_offset(instance, kRanks - 2000, 2000); // 1000 failed
  const MapPtr map = make_concat({lower.get(), upper.get()});
  const HierarchyPtr hierarchy = of_layout(map, kMaxSize, 128);
  const MapPtr leaders = leaders_map(hierarchy, map);
  const std::int32_t nodes = avrm_hierarchy_nodes(hierarchy.get());
  for (const std::int32_t node : {0, 1, 6, 7, 8, 9, nodes / 2, nodes - 1}) {
    const std::int32_t leader = avrm_hierarchy_leader(hierarchy.get(), node);
    EXPECT_EQ(avrm_rankmap_gpid(leaders.get(), node), avrm_rankmap_gpid(map.get(), leader));
  }
  EXPECT_LE(info_of(leaders.get()).table_bytes, 4096U);
  EXPECT_LE(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 65536U);
}

// A random part of a grid of processes, in any order of its dimensions.
detail::Cart random_grid(RandomInput &input, std::int32_t most) {
  detail::Cart grid;
  std::int64_t pace = 1;
  grid.dimensions = 2 + input.below(3);
  grid.size = 1;
  std::vector<std::int64_t> strides;
  for (int k = 0; k < grid.dimensions; ++k) {
    const std::int32_t of_world = 1 + input.below(most);
    grid.extents[k] = 1 + input.below(of_world);
    strides.push_back(pace * (input.one_in(4) ? 1 + input.below(3) : 1));
    pace = strides.back() * of_world;
  }
  std::rotate(strides.begin(), strides.begin() + input.below(grid.dimensions), strides.end());
  for (int k = 0; k < grid.dimensions; ++k) {
    const bool falls = input.one_in(6);
    grid.strides[k] = falls ? -strides[static_cast<std::size_t>(k)] : strides[static_cast<std::size_t>(k)];
    grid.size *= grid.extents[k];
    grid.offset += falls ? static_cast<std::int32_t>(strides[static_cast<std::size_t>(k)]) * (grid.extents[k] - 1) : 0;
  }
  grid.offset += input.one_in(2) ? 0 : input.below(20);
  grid.size -= input.one_in(2) ? 0 : input.below(grid.size);
  return grid;
}

Ranks values_of(const detail::Cart &grid) {
  Ranks values;
  for (std::int32_t rank = 0; rank < grid.size; ++rank) {
    values.push_back(static_cast<std::int32_t>(grid.at(rank)));
  }
  return values;
}

// A number that divides one of the grid's paces, or is one, or any.
std::int32_t random_part(RandomInput &input, const detail::Cart &grid) {
  const auto pace = static_cast<std::int32_t>(std::abs(grid.strides[input.below(grid.dimensions)]));
  const std::int32_t extent = grid.extents[input.below(grid.dimensions)];
  return input.one_in(3) ? 1 + input.below(20) : input.one_in(2) ? pace : pace * extent;
}

TEST_F(HierarchyMaps, AgreeWithTheTwinForRandomGrids) {
  const Instance small(&memory, false, AVRM_COST_BYTES); // finds carts of any size
  std::uint64_t layouts = 0;
  std::uint64_t all = 0;
  for (std::int64_t left = twin_checks(); left > 0 && !HasFailure(); ++all) {
    const detail::Cart grid = random_grid(input, 12);
    const MapPtr map = make_lpids(small, values_of(grid));
    const std::int32_t block = random_part(input, grid);
    const std::int32_t nodes = input.one_in(2) ? 10000 : random_part(input, grid);
    Keys keys;
    for (std::int32_t rank = 0; rank < grid.size; ++rank) {
      keys.push_back(static_cast<std::uint64_t>(grid.at(rank) / block % nodes));
    }
    const HierarchyPtr hierarchy = of_layout(map, nodes, block);
    ASSERT_TRUE(HierarchyTwin(keys).agrees(hierarchy.get())) << "block " << block << ", " << nodes << " nodes";
    left -= 4 * std::ssize(keys) + expect_maps(keys, hierarchy, map);
    layouts += avrm_hierarchy_bytes(hierarchy.get()) == 0 ? 1 : 0;
  }
  EXPECT_GT(layouts, all / 4);
}

// Planes of a grid of 2^29 processes.
TEST_F(HierarchyMaps, OfGridsAlongTheirNodesAreFormulas) {
  struct Case {
    detail::Cart grid;
    std::int32_t nodes;
    std::int32_t block;
    avrm_mode_t leaders;
  };
  // 512 x 1024 x 1024, the last one fastest.
  constexpr std::int32_t kRow = 1 << 10;
  constexpr std::int32_t kPlane = 1 << 20;
  const Case cases[] = {
      {{2, 1 << 19, 5 * kRow, {kRow}, {1, kPlane}}, kMaxSize, kRow, AVRM_MODE_STRIDE},
      {{2, 1 << 19, 5 * kRow, {kRow}, {1, kPlane}}, kMaxSize, 128, AVRM_MODE_CART},
      {{3, 1 << 28, 0, {512, kRow}, {1, kRow, kPlane}}, kMaxSize, 1 << 10, AVRM_MODE_STRIDE},
      {{3, 1 << 28, 0, {512, kRow}, {1, kRow, kPlane}}, kMaxSize, 64, AVRM_MODE_CART},
      // Cyclic: the slowest dimension is on one node.
      {{2, 1 << 19, 0, {kRow}, {1, kPlane}}, kPlane, 1, AVRM_MODE_DIRECT},
      // Columns before rows: the fastest dimension is on one node.
      {{2, 1 << 19, 7, {512}, {kPlane, 1}}, kPlane, 1, AVRM_MODE_OFFSET},
  };
  for (const Case &each : cases) {
    const MapPtr map(new avrm_rankmap_t(new_cart_or_blocked(each.grid)));
    const std::uint64_t live_bytes = memory.live_bytes();
    const HierarchyPtr hierarchy = of_layout(map, each.nodes, each.block);
    EXPECT_EQ(avrm_hierarchy_bytes(hierarchy.get()), 0U);
    EXPECT_EQ(memory.live_bytes(), live_bytes);
    const MapPtr leaders = leaders_map(hierarchy, map);
    EXPECT_EQ(info_of(leaders.get()).mode, each.leaders);
    const std::int32_t last = avrm_hierarchy_nodes(hierarchy.get()) - 1;
    for (const std::int32_t node : {0, 1, last / 2, last}) {
      const std::int32_t leader = avrm_hierarchy_leader(hierarchy.get(), node);
      EXPECT_EQ(avrm_rankmap_gpid(leaders.get(), node), avrm_rankmap_gpid(map.get(), leader));
    }
    EXPECT_GT(node_map(hierarchy, static_cast<std::size_t>(last), map)->size, 0);
  }
  EXPECT_LE(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 65536U);
}

// A child of a grid by parameters is what its array gives.
TEST_F(HierarchyMaps, ChildrenOfGridsAreWhatTheirArraysGive) {
  const Instance small(&memory, false, AVRM_COST_BYTES);
  int made = 0;
  for (int round = 0; round < 3000 && made < 60 && !HasFailure(); ++round) {
    const detail::Cart grid = random_grid(input, 60);
    if (grid.size > 300000) {
      continue;
    }
    const Ranks values = values_of(grid);
    const MapPtr parent = make_lpids(small, values);
    detail::Regular inner{grid.size, input.one_in(2) ? 0 : input.below(grid.extents[0]), 1 + input.below(3), 1};
    inner.stride = input.one_in(2) ? inner.stride : grid.extents[0];
    inner.block = inner.stride > 2 && input.one_in(2) ? 1 + input.below(inner.stride - 1) : 1;
    while (detail::range_of(inner).max >= grid.size) {
      --inner.size;
    }
    detail::MapOwner child;
    const avrm_status_t status = detail::child_of_grid(parent.get(), inner, &child);
    if (status == AVRM_ERR_UNSUPPORTED) {
      continue;
    }
    ASSERT_EQ(status, AVRM_OK);
    ++made;
    Ranks lpids;
    for (std::int32_t rank = 0; rank < inner.size; ++rank) {
      lpids.push_back(values[static_cast<std::size_t>(detail::value_at(inner, rank))]);
      ASSERT_EQ(avrm_rankmap_gpid(child.get(), rank).lpid, lpids.back()) << "rank " << rank;
    }
    const char *reason = nullptr;
    EXPECT_TRUE(avrm_rankmap_validate(child.get(), &reason)) << reason;
    EXPECT_EQ(info_of(child.get()).mode, info_of(make_lpids(small, lpids).get()).mode);
    EXPECT_EQ(info_of(child.get()).table_bytes, info_of(make_lpids(small, lpids).get()).table_bytes);
  }
  EXPECT_EQ(made, 60);
}

TEST_F(HierarchyMaps, ArgumentsAreChecked) {
  const MapPtr map = make_direct(instance, 10);
  const MapPtr longer = make_direct(instance, 11);
  const HierarchyPtr hierarchy = of_layout(map, kMaxSize, 4);
  avrm_rankmap_t out{};
  EXPECT_EQ(avrm_hierarchy_node_map(nullptr, 0, map.get(), &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_node_map(hierarchy.get(), 0, nullptr, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_node_map(hierarchy.get(), 0, map.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_node_map(hierarchy.get(), 0, longer.get(), &out), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_hierarchy_node_map(hierarchy.get(), 3, map.get(), &out), AVRM_ERR_RANGE);
  EXPECT_EQ(avrm_hierarchy_node_map(hierarchy.get(), -1, map.get(), &out), AVRM_ERR_RANGE);
  EXPECT_EQ(avrm_hierarchy_leaders_map(nullptr, map.get(), &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_leaders_map(hierarchy.get(), longer.get(), &out), AVRM_ERR_SIZE);
  EXPECT_EQ(out.instance, nullptr);
}

TEST_F(HierarchyMaps, EmptyHierarchyHasAnEmptyMapOfLeaders) {
  const MapPtr none = make_direct(instance, 0);
  EXPECT_EQ(leaders_map(of_layout(none, 4, 4), none)->size, 0);
}

TEST_F(HierarchyMaps, RefusedAllocationLeavesNothingBehind) {
  Keys scattered(1000);
  std::generate(scattered.begin(), scattered.end(), [this] { return below(engine, 500); });
  for (const Keys &keys : {layout(300, 0, 10, 3, 1) + layout(200, 5, 4, 5), scattered}) {
    Ranks lpids(keys.size());
    std::iota(lpids.begin(), lpids.end(), 0);
    std::shuffle(lpids.begin(), lpids.end(), engine);
    const MapPtr map = make_lpids(instance, lpids);
    const HierarchyPtr hierarchy = of_keys(instance, keys);
    const auto make = [&](std::uint64_t points, auto create) {
      const std::uint64_t live_bytes = memory.live_bytes();
      avrm_rankmap_t out{};
      memory.refuse_after(points);
      const avrm_status_t status = create(&out);
      const bool refused = memory.refused();
      memory.refuse_none();
      EXPECT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
      EXPECT_TRUE(!refused || (out.instance == nullptr && memory.live_bytes() == live_bytes));
      avrm_rankmap_destroy(&out);
      return refused;
    };
    std::uint64_t points = 0;
    while (make(points,
                [&](avrm_rankmap_t *map_p) { return avrm_hierarchy_leaders_map(hierarchy.get(), map.get(), map_p); })) {
      ++points;
    }
    while (make(points,
                [&](avrm_rankmap_t *map_p) { return avrm_hierarchy_node_map(hierarchy.get(), 0, map.get(), map_p); })) {
      ++points;
    }
    EXPECT_GE(points, 2U);
  }
}

} // namespace
} // namespace avrankmap::test
