// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Node ids that an address vector declares: hierarchies of maps over it read no element.
#include "tests/component/hierarchy/random_keys.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

using Runs = std::vector<avrm_node_run_t>;

avrm_status_t declare(const AvPtr &av, const Runs &runs) {
  return avrm_av_declare_nodes(av.get(), static_cast<std::int32_t>(runs.size()), runs.data());
}
std::uint64_t node_of(const Runs &runs, std::int32_t lpid) {
  const avrm_node_run_t *run = &runs.back();
  while (run->first > lpid) {
    --run;
  }
  return static_cast<std::uint64_t>(run->node + (lpid - run->first) / run->block % run->nodes);
}
HierarchyPtr of_map(const MapPtr &map) {
  return make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) { return avrm_hierarchy_create(map.get(), hierarchy_p); });
}

class DeclaredNodes : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory, false, AVRM_COST_BALANCED};
};

TEST_F(DeclaredNodes, ReadNoElementOfAHundredMillion) {
  constexpr std::int32_t kRanks = 100000000;
  const AvPtr av = make_av(instance, kRanks);
  require(declare(av, {{0, 0, 128, kMaxSize}}));
  const MapPtr world = make_direct(instance, kRanks, av->pgid);
  const MapPtr odd = make_stride(instance, kRanks / 2, 1, 2, av->pgid);
  for (const MapPtr *map : {&world, &odd}) {
    require(avrm_rankmap_bind(map->get()));
    const std::uint64_t calls = memory.calls();
    const HierarchyPtr hierarchy = of_map(*map);
    EXPECT_EQ(memory.calls(), calls);
    const std::int32_t per_node = map == &world ? 128 : 64;
    EXPECT_EQ(avrm_hierarchy_nodes(hierarchy.get()), (kRanks + 127) / 128);
    EXPECT_EQ(avrm_hierarchy_node(hierarchy.get(), 1000000), 1000000 / per_node);
    EXPECT_EQ(avrm_hierarchy_bytes(hierarchy.get()), 0U);
  }
}

TEST_F(DeclaredNodes, AgreeWithTheTwinForRandomRunsAndMaps) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  for (std::int64_t left = twin_checks(); left > 0;) {
    const std::int32_t size = input.size(3000);
    Runs runs{{0, input.below(50), input.size(40), input.size(60)}};
    while (runs.back().first + 1 < size && !input.one_in(input.one_in(4) ? 500 : 4)) {
      runs.push_back({runs.back().first + 1 + input.below(size - runs.back().first - 1), input.below(50),
                      input.size(40), input.one_in(3) ? kMaxSize - 50 : input.size(60)});
    }
    const bool implicit = input.one_in(2);
    avrm_av_options_t options{};
    options.kind = implicit ? AVRM_AV_IMPLICIT : AVRM_AV_TABLE;
    avrm_av_t *created = nullptr;
    require(avrm_av_create(instance, size, &options, &created));
    const AvPtr av(created);
    require(declare(av, runs));
    const Ranks lpids = input.ranks(size, size);
    const MapPtr map = make_lpids(instance, lpids, av->pgid);
    require(avrm_rankmap_bind(map.get()));
    Keys keys;
    for (const std::int32_t lpid : lpids) {
      keys.push_back(node_of(runs, lpid));
    }
    ASSERT_TRUE(HierarchyTwin(keys).agrees(of_map(map).get()));
    left -= 5 * std::ssize(keys) + 100;
  }
}

TEST_F(DeclaredNodes, SeveralWorldsMayBeDeclaredOrNot) {
  const AvPtr first = make_av(instance, 40);
  const AvPtr second = make_av(instance, 40);
  require(declare(first, {{0, 7, 8, 5}}));
  for (std::int32_t lpid = 0; lpid < 40; ++lpid) {
    avrm_ave_t ave{};
    require(avrm_ofi_pack(1, static_cast<std::uint32_t>(lpid / 10), &ave));
    require(avrm_av_set(second.get(), lpid, &ave));
  }
  Table table;
  Keys keys;
  for (std::int32_t rank = 0; rank < 80; ++rank) {
    table.push_back({rank % 3 == 0 ? second->pgid : first->pgid, rank * 7 % 40});
    keys.push_back(static_cast<std::uint64_t>(rank % 3 == 0 ? 100 + table.back().lpid / 10 : table.back().lpid / 8));
  }
  const MapPtr map = make_gpids(instance, table);
  require(avrm_rankmap_bind(map.get()));
  EXPECT_TRUE(HierarchyTwin(keys).agrees(of_map(map).get()));
}

TEST_F(DeclaredNodes, ManyRunsAreTakenWhereHierarchiesReadRankByRank) {
  Runs runs;
  for (std::int32_t i = 0; i < 2000; ++i) {
    runs.push_back({3 * i, i * 7919 % 100, 1 + i % 2, 50});
  }
  const AvPtr av = make_av(instance, 6000);
  require(declare(av, runs));
  const MapPtr map = make_direct(instance, 6000, av->pgid);
  require(avrm_rankmap_bind(map.get()));
  Keys keys;
  for (std::int32_t lpid = 0; lpid < 6000; ++lpid) {
    keys.push_back(node_of(runs, lpid));
  }
  EXPECT_TRUE(HierarchyTwin(keys).agrees(of_map(map).get()));
}

TEST_F(DeclaredNodes, AreAccountedForAndGoWithTheirAv) {
  AvPtr av = make_av(instance, 100);
  const std::uint64_t before = avrm_av_bytes(av.get());
  require(declare(av, {{0, 0, 4, 5}, {20, 9, 1, 1}}));
  EXPECT_EQ(avrm_av_bytes(av.get()), memory.usage(AVRM_MEM_AV).live_bytes);
  EXPECT_GE(avrm_av_bytes(av.get()), before + 8 + 2 * 24);
  av.reset();
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_bytes, 0U);
}

// A bound map keeps its address vectors.
TEST_F(DeclaredNodes, AreKnownToABoundMapAfterTheirAvWasReleased) {
  for (const avrm_av_kind_t kind : {AVRM_AV_TABLE, AVRM_AV_IMPLICIT}) {
    avrm_av_options_t options{};
    options.kind = kind;
    avrm_av_t *created[2] = {};
    require(avrm_av_create(instance, 16, &options, &created[0]));
    require(avrm_av_create(instance, 16, &options, &created[1]));
    AvPtr avs[] = {AvPtr(created[0]), AvPtr(created[1])};
    const std::int32_t pgids[] = {created[0]->pgid, created[1]->pgid};
    const Runs runs{{0, 0, 4, 4}};
    require(declare(avs[0], runs));
    require(declare(avs[1], runs));
    Table pairs;
    Keys keys_of_pairs;
    for (std::int32_t rank = 0; rank < 30; ++rank) {
      const std::int32_t lpid = rank * rank % 16;
      pairs.push_back({pgids[rank % 2], lpid});
      keys_of_pairs.push_back(static_cast<std::uint64_t>(100 * (rank % 2) + lpid / 4));
    }
    const Ranks lpids = {3, 9, 1, 12, 4, 15, 0};
    Keys keys_of_lpids;
    for (const std::int32_t lpid : lpids) {
      keys_of_lpids.push_back(static_cast<std::uint64_t>(lpid / 4));
    }
    const MapPtr world = make_direct(instance, 16, pgids[0]);
    const MapPtr lut = make_lpids(instance, lpids, pgids[0]);
    const MapPtr mlut = make_gpids(instance, pairs);
    for (const MapPtr *map : {&world, &lut, &mlut}) {
      require(avrm_rankmap_bind(map->get()));
    }
    avs[0].reset();
    avs[1].reset();
    const HierarchyPtr hierarchy = of_map(world);
    EXPECT_EQ(avrm_hierarchy_nodes(hierarchy.get()), 4);
    EXPECT_EQ(avrm_hierarchy_node(hierarchy.get(), 15), 3);
    EXPECT_TRUE(HierarchyTwin(keys_of_lpids).agrees(of_map(lut).get()));
    EXPECT_TRUE(HierarchyTwin(keys_of_pairs).agrees(of_map(mlut).get()));
  }
}

TEST_F(DeclaredNodes, ArgumentsAreChecked) {
  const AvPtr av = make_av(instance, 100);
  const avrm_node_run_t run{0, 0, 1, 1};
  EXPECT_EQ(avrm_av_declare_nodes(nullptr, 1, &run), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_declare_nodes(av.get(), 1, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_declare_nodes(av.get(), 0, &run), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_av_declare_nodes(av.get(), 65537, &run), AVRM_ERR_SIZE);
  EXPECT_EQ(declare(av, {{1, 0, 1, 1}}), AVRM_ERR_LPID);
  EXPECT_EQ(declare(av, {{0, 0, 1, 1}, {0, 0, 1, 1}}), AVRM_ERR_LPID);
  EXPECT_EQ(declare(av, {{0, 0, 1, 1}, {5, 0, 1, 1}, {4, 0, 1, 1}}), AVRM_ERR_LPID);
  EXPECT_EQ(declare(av, {{0, 0, 1, 1}, {100, 0, 1, 1}}), AVRM_ERR_LPID);
  EXPECT_EQ(declare(av, {{0, 0, 0, 1}}), AVRM_ERR_BLOCK);
  EXPECT_EQ(declare(av, {{0, 0, 1, 0}}), AVRM_ERR_SIZE);
  EXPECT_EQ(declare(av, {{0, -1, 1, 1}}), AVRM_ERR_RANGE);
  EXPECT_EQ(declare(av, {{0, 2, 1, kMaxSize}}), AVRM_ERR_RANGE);
  EXPECT_EQ(declare(av, {{0, 1, 1, kMaxSize}}), AVRM_OK);
  EXPECT_EQ(declare(av, {{0, 1, 1, 1}}), AVRM_ERR_BUSY);
}

TEST_F(DeclaredNodes, RefusedAllocationDeclaresNothing) {
  const AvPtr av = make_av(instance, 100);
  for (std::uint64_t points : {0, 1}) {
    memory.refuse_after(points);
    EXPECT_EQ(declare(av, {{0, 0, 1, 1}}), AVRM_ERR_NO_MEMORY);
    memory.refuse_none();
  }
  EXPECT_EQ(declare(av, {{0, 0, 1, 1}}), AVRM_OK);
}

} // namespace
} // namespace avrankmap::test
