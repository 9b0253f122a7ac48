// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchies that are a few pieces, and those that are made without a look at each rank.
#include <cstring>
#include <numeric>

#include "tests/component/hierarchy/random_keys.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

constexpr std::uint64_t kSegment = 24;

class HierarchyRuns : public testing::Test {
protected:
  // A hierarchy of these keys has so many pieces and is right.
  void expect_pieces(const Keys &keys, std::uint64_t pieces) const {
    const HierarchyPtr hierarchy = of_keys(instance, keys);
    EXPECT_EQ(avrm_hierarchy_bytes(hierarchy.get()), pieces == 1 ? 0 : 24 + pieces * kSegment);
    EXPECT_TRUE(HierarchyTwin(keys).agrees(hierarchy.get()));
  }

  CountingAllocator memory;
  Instance instance{&memory, false, AVRM_COST_BALANCED};
};

TEST_F(HierarchyRuns, RegularPartsTakeTwentyFourBytesEach) {
  // A short node.
  expect_pieces(layout(800, 0, 100, 8) + layout(7, 500, 1, 7) + layout(800, 200, 100, 8), 2);
  // Two partitions.
  expect_pieces(layout(400, 0, 100, 4) + layout(1600, 100, 200, 8), 2);
  // Cyclic, with more nodes from some rank on.
  expect_pieces(layout(800, 0, 100, 1) + layout(796, 0, 199, 1, 100), 2);
  // Twice the same is a plane, and partly the same is not.
  expect_pieces(layout(300, 0, 100, 3) + layout(300, 0, 100, 3), 1);
  expect_pieces(layout(300, 0, 100, 3) + layout(250, 10, 50, 5), 2);
  // Ends at one node, which has twice as many ranks: 99 nodes, that one and one more, the rest.
  Keys mirrored = layout(300, 0, 100, 3);
  mirrored.insert(mirrored.end(), mirrored.rbegin(), mirrored.rend());
  expect_pieces(mirrored, 3);
}

TEST_F(HierarchyRuns, PieceMayBeginInTheMiddleOfItsNodes) {
  // 70 .. 99, 0 .. 99, 0 ...: one piece behind another.
  expect_pieces(layout(1000, 0, 100, 2) + layout(50, 1000, 50, 1) + layout(900, 0, 100, 2, 140), 3);
  expect_pieces(layout(1000, 0, 100, 2) + layout(50, 1000, 50, 1) + layout(900, 0, 100, 2, 141), 3);
}

TEST_F(HierarchyRuns, ManyPiecesAreStartsOrPacked) {
  Keys keys;
  for (std::uint64_t i = 0; i < 100; ++i) { // 4, 4, 5, 3
    keys = keys + Keys(4, 4 * i) + Keys(4, 4 * i + 1) + Keys(5, 4 * i + 2) + Keys(3, 4 * i + 3);
  }
  const HierarchyPtr starts = of_keys(instance, keys);
  EXPECT_EQ(avrm_hierarchy_bytes(starts.get()), 24 + 400 * 4U);
  EXPECT_TRUE(HierarchyTwin(keys).agrees(starts.get()));
  const Keys twice = keys + Keys(keys.rbegin(), keys.rend());
  const HierarchyPtr packed = of_keys(instance, twice);
  EXPECT_EQ(avrm_hierarchy_bytes(packed.get()), 24 + 4 * 9 * (1 + 9 * (twice.size() / 256 + 1)));
  EXPECT_TRUE(HierarchyTwin(twice).agrees(packed.get()));
}

TEST_F(HierarchyRuns, AgreeWithTheTwinForRandomPieces) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  for (std::int64_t left = twin_checks(); left > 0;) {
    const Keys keys = random_pieces(input);
    const HierarchyPtr hierarchy = of_keys(instance, keys);
    ASSERT_TRUE(HierarchyTwin(keys).agrees(hierarchy.get()));
    left -= 5 * std::ssize(keys);
  }
}

// ---- from a map and a rule of node ids ----

Keys keys_of(const MapPtr &map, std::int32_t nodes, std::int32_t block) {
  Keys keys;
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(map.get(), rank);
    keys.push_back(static_cast<std::uint64_t>(process.pgid) << 32 |
                   static_cast<std::uint32_t>(process.lpid / block % nodes));
  }
  return keys;
}

// What a rule gives is what the keys give, to the byte.
void expect_same(const HierarchyPtr &one, const HierarchyPtr &other) {
  EXPECT_EQ(std::memcmp(one.get(), other.get(), sizeof(avrm_hierarchy_t)), 0);
}

TEST_F(HierarchyRuns, RuleGivesWhatItsKeysGive) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  for (std::int64_t left = twin_checks(); left > 0;) {
    Table table;
    for (std::int32_t pgid = 0; pgid < 1 + input.below(2); ++pgid) {
      for (const std::int32_t lpid : input.ranks(2000, 2000)) {
        table.push_back({pgid, lpid});
      }
    }
    const MapPtr map = make_gpids(instance, table);
    const std::int32_t nodes = input.one_in(3) ? kMaxSize : input.size(100);
    const std::int32_t block = input.size(300);
    const Keys keys = keys_of(map, nodes, block);
    const HierarchyPtr of_rule = of_layout(map, nodes, block);
    ASSERT_TRUE(HierarchyTwin(keys).agrees(of_rule.get())) << nodes << " nodes, blocks of " << block;
    expect_same(of_rule, of_keys(instance, keys));
    left -= 5 * std::ssize(keys) + 100;
  }
}

TEST_F(HierarchyRuns, ImplicitAvMayHaveSeveralRuns) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  for (int round = 0; round < 200; ++round) {
    Keys ids;
    for (std::int32_t left = 1 + input.below(4); left > 0; --left) {
      ids = ids + layout(input.size(400), ids.size(), input.size(40), input.size(9));
    }
    const auto size = static_cast<std::int32_t>(ids.size());
    avrm_av_options_t options{};
    options.kind = AVRM_AV_IMPLICIT;
    avrm_av_t *created = nullptr;
    require(avrm_av_create(instance, size, &options, &created));
    const AvPtr av(created);
    for (std::int32_t lpid = 0; lpid < size; ++lpid) {
      avrm_ave_t ave{};
      require(avrm_ofi_pack(1, static_cast<std::uint32_t>(ids[static_cast<std::size_t>(lpid)]), &ave));
      require(avrm_av_set(av.get(), lpid, &ave));
    }
    const Ranks lpids = input.ranks(size, size);
    const MapPtr map = make_lpids(instance, lpids, av->pgid);
    require(avrm_rankmap_bind(map.get()));
    Keys keys;
    for (const std::int32_t lpid : lpids) {
      keys.push_back(ids[static_cast<std::size_t>(lpid)]);
    }
    const HierarchyPtr hierarchy =
        make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) { return avrm_hierarchy_create(map.get(), hierarchy_p); });
    ASSERT_TRUE(HierarchyTwin(keys).agrees(hierarchy.get()));
    expect_same(hierarchy, of_keys(instance, keys));
  }
}

// A look at each rank would take 4 bytes of scratch memory for it.
TEST_F(HierarchyRuns, BillionRanksAreNotReadOneByOne) {
  constexpr std::int32_t kRanks = 1 << 30;
  const MapPtr world = make_direct(instance, kRanks);
  const MapPtr lower = make_offset(instance, kRanks / 2, 0);
  const MapPtr upper = make_offset(instance, kRanks / 2, kRanks / 2);
  const MapPtr behind = make_offset(instance, kRanks / 2 - 1001, kRanks / 2 + 1001);
  const MapPtr backwards = make_stride(instance, kRanks, kRanks - 1, -1);
  const MapPtr of_world_2 = make_direct(instance, kRanks / 2, 1);
  const MapPtr maps[] = {
      make_dup(world),
      make_concat({lower.get(), upper.get()}),
      make_concat({upper.get(), lower.get()}),
      make_concat({lower.get(), behind.get()}), // 1001 failed
      make_dup(backwards),
      make_concat({lower.get(), of_world_2.get()}),
      make_stride(instance, kRanks / 4, 3, 4),
      make_blocked(instance, kRanks / 1024, 0, 1 << 19, 1 << 18),
  };
  for (const MapPtr &map : maps) {
    for (const auto &[nodes, block] : {std::pair{kMaxSize, 128}, {8192, 128}, {8192, 1}, {1, 1}, {kMaxSize, 1}}) {
      const HierarchyPtr hierarchy = of_layout(map, nodes, block);
      EXPECT_LE(avrm_hierarchy_bytes(hierarchy.get()), 24 + 4 * kSegment);
      for (const std::int32_t rank : {0, 1, map->size / 2 - 1, map->size / 2, map->size - 1}) {
        const std::int32_t node = avrm_hierarchy_node(hierarchy.get(), rank);
        const std::int32_t local = avrm_hierarchy_local(hierarchy.get(), rank);
        EXPECT_EQ(avrm_hierarchy_rank(hierarchy.get(), node, local), rank);
        const avrm_gpid_t process = avrm_rankmap_gpid(map.get(), rank);
        const avrm_gpid_t leader = avrm_rankmap_gpid(map.get(), avrm_hierarchy_leader(hierarchy.get(), node));
        EXPECT_EQ(process.pgid, leader.pgid);
        EXPECT_EQ(process.lpid / block % nodes, leader.lpid / block % nodes);
      }
    }
  }
  EXPECT_LE(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 65536U);
}

TEST_F(HierarchyRuns, LargestLayoutsAreRightAtTheirBorders) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  for (int round = 0; round < 20000; ++round) {
    const std::int32_t cut = input.below(1 << 20) >> input.below(20);
    const std::int32_t block = std::max(1, (kMaxSize - input.below(1000)) / (1 + input.below(5)) - cut);
    const std::int32_t nodes = input.one_in(2) ? kMaxSize : 1 + input.below(5);
    const std::int32_t offset = input.below(2) * std::min(block - 1, kMaxSize - block);
    const std::int32_t size = kMaxSize - offset - input.below(3);
    const HierarchyPtr hierarchy = of_layout(make_offset(instance, size, offset), nodes, block);
    std::int64_t number = 0; // of the block, counted from the first
    for (std::int64_t lpid = offset; lpid < std::int64_t{offset} + size; ++number) {
      const std::int64_t end = std::min<std::int64_t>((lpid / block + 1) * block, std::int64_t{offset} + size);
      for (const std::int64_t at : {lpid, end - 1}) {
        const auto rank = static_cast<std::int32_t>(at - offset);
        const std::int32_t node = avrm_hierarchy_node(hierarchy.get(), rank);
        ASSERT_EQ(node, number % nodes) << size << " ranks from " << offset << ", blocks of " << block;
        const std::int32_t local = avrm_hierarchy_local(hierarchy.get(), rank);
        ASSERT_EQ(avrm_hierarchy_rank(hierarchy.get(), node, local), rank);
        const std::int64_t rounds = number / nodes;
        const std::int64_t missing = node == 0 ? offset % block : 0;
        ASSERT_EQ(local, rounds * block + at % block - missing);
      }
      lpid = end;
    }
  }
}

// The phase is that of the first of three nodes, which has one rank. Where a reciprocal of 64 bits
// is not exact for all positions, no layout is kept.
TEST_F(HierarchyRuns, HugeNodeBetweenTwoSmallOnesIsRight) {
  int layouts = 0;
  for (std::int32_t huge = kMaxSize - 102; huge < kMaxSize - 2; ++huge) {
    const MapPtr first = make_direct(instance, 1, 0);
    const MapPtr second = make_direct(instance, huge, 1);
    const MapPtr third = make_direct(instance, 1, 2);
    const HierarchyPtr hierarchy = of_layout(make_concat({first.get(), second.get(), third.get()}), 1, 1);
    layouts += avrm_hierarchy_bytes(hierarchy.get()) == 0 ? 1 : 0;
    for (const std::int32_t rank : {1, huge / 2, huge}) {
      ASSERT_EQ(avrm_hierarchy_node(hierarchy.get(), rank), 1);
      ASSERT_EQ(avrm_hierarchy_local(hierarchy.get(), rank), rank - 1);
      ASSERT_EQ(avrm_hierarchy_rank(hierarchy.get(), 1, rank - 1), rank);
    }
    ASSERT_EQ(avrm_hierarchy_node(hierarchy.get(), 0), 0);
    ASSERT_EQ(avrm_hierarchy_node(hierarchy.get(), huge + 1), 2);
  }
  EXPECT_GT(layouts, 0);
  EXPECT_LT(layouts, 100);
}

} // namespace
} // namespace avrankmap::test
