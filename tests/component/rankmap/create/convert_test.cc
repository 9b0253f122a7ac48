// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Rankmaps from and to process numbers and runs; nodes in bulk.

#include "avrankmap/convert.h"

#include "tests/component/rankmap/one_of_each.h"

namespace avrankmap::test {
namespace {

std::vector<avrm_run_t> runs_of(const avrm_rankmap_t *map) {
  std::size_t count = 0;
  require(avrm_rankmap_runs(map, 0, nullptr, &count));
  std::vector<avrm_run_t> runs(count);
  require(avrm_rankmap_runs(map, count, runs.data(), &count));
  EXPECT_EQ(runs.size(), count);
  return runs;
}

MapPtr make_runs(avrm_instance_t *instance, const std::vector<avrm_run_t> &runs) {
  return make_map([&](avrm_rankmap_t *map) {
    return avrm_rankmap_create_runs(instance, static_cast<std::int32_t>(runs.size()), runs.data(), 0, map);
  });
}

using RankmapConversion = RankmapOfEachKind;

INSTANTIATE_TEST_SUITE_P(All, RankmapConversion, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapConversion, RunsMakeTheSameMapAgain) {
  EXPECT_TRUE(agrees(make_runs(map->instance, runs_of(map.get())).get(), table_of(map.get())));
}

TEST_P(RankmapConversion, RunsFollowOneAnotherThroughAllRanks) {
  std::size_t ranks = 0;
  for (const avrm_run_t &run : runs_of(map.get())) {
    for (std::int32_t i = 0; i < run.count; ++i, ++ranks) {
      ASSERT_EQ(avrm_rankmap_gpid(map.get(), static_cast<std::int32_t>(ranks)),
                (avrm_gpid_t{run.pgid, run.lpid + i * run.stride}));
    }
  }
  EXPECT_EQ(ranks, static_cast<std::size_t>(avrm_rankmap_size(map.get())));
}

TEST_P(RankmapConversion, NumbersMakeTheSameMapAgain) {
  std::vector<std::uint64_t> numbers;
  for (const avrm_gpid_t &gpid : table_of(map.get())) {
    numbers.push_back(static_cast<std::uint64_t>(gpid.pgid) << 32 | static_cast<std::uint32_t>(gpid.lpid));
  }
  const MapPtr same = make_map([&](avrm_rankmap_t *made) {
    return avrm_rankmap_create_numbers(map->instance, static_cast<std::int32_t>(numbers.size()), numbers.data(), 0,
                                       made);
  });
  EXPECT_TRUE(agrees(same.get(), table_of(map.get())));
}

TEST_P(RankmapConversion, NodesAreThoseOfEachRank) {
  Ranks ranks;
  for (std::int32_t rank = avrm_rankmap_size(map.get()) - 1; rank >= 0; rank -= 3) {
    ranks.push_back(rank);
  }
  std::vector<std::uint32_t> nodes(ranks.size());
  require(avrm_rankmap_nodes(map.get(), ranks.size(), ranks.data(), nodes.data()));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ASSERT_EQ(nodes[i], avrm_rankmap_node(map.get(), ranks[i]));
  }
}

class RankmapFromRuns : public testing::Test {
protected:
  avrm_status_t refused(const std::vector<avrm_run_t> &runs, unsigned flags = 0) {
    return refusal(instance, [&](avrm_rankmap_t *map) {
      return avrm_rankmap_create_runs(instance, static_cast<std::int32_t>(runs.size()), runs.data(), flags, map);
    });
  }
  Instance instance;
};

TEST_F(RankmapFromRuns, NoneMakeTheEmptyMap) {
  EXPECT_EQ(avrm_rankmap_size(make_runs(instance, {}).get()), 0);
  EXPECT_TRUE(runs_of(make_direct(instance, 0).get()).empty());
}

TEST_F(RankmapFromRuns, ThatContinueEachOtherBecomeOne) {
  const MapPtr map = make_runs(instance, {{2, 0, 5, 3}, {1, 0, 11, 77}, {3, 0, 14, 3}});
  EXPECT_EQ(shape_of(map.get()), (Shape{AVRM_MODE_STRIDE, 0, 5, 3, 1}));
}

TEST_F(RankmapFromRuns, RoomForFewReceivesTheFirst) {
  const MapPtr map = make_runs(instance, {{2, 0, 5, 3}, {4, 1, 0, 1}, {9, 0, 100, -2}});
  avrm_run_t runs[2] = {};
  std::size_t count = 0;
  require(avrm_rankmap_runs(map.get(), 1, runs, &count));
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(runs[0].lpid, 5);
  EXPECT_EQ(runs[1].count, 0);
}

TEST_F(RankmapFromRuns, BadOnesAreRefused) {
  EXPECT_EQ(refused({{0, 0, 5, 3}}), AVRM_ERR_SIZE);
  EXPECT_EQ(refused({{1, 0, 5, 3}, {-1, 0, 5, 3}}), AVRM_ERR_SIZE);
  EXPECT_EQ(refused({{1, -1, 5, 3}}), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_EQ(refused({{1, 0, -1, 3}}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({{4, 0, 5, -2}}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({{2, 0, kLastLpid, 1}}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({{kIntMax, 0, 0, kIntMax}}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({{kIntMax, 0, 0, 0}, {1, 0, 0, 1}}), AVRM_ERR_LIMIT);
  EXPECT_EQ(refused({{2, 0, 5, 0}}, AVRM_RANKMAP_UNIQUE), AVRM_ERR_DUPLICATE);
  EXPECT_EQ(refused({{2, 0, 5, 1}}, 2), AVRM_ERR_OPTION);
}

TEST_F(RankmapFromRuns, NullIsRefused) {
  const MapPtr map = make_direct(instance, 5);
  avrm_rankmap_t made{};
  const avrm_run_t run{1, 0, 0, 1};
  const std::uint64_t number = 0;
  std::size_t count = 0;
  EXPECT_EQ(avrm_rankmap_create_runs(nullptr, 1, &run, 0, &made), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_runs(instance, 1, nullptr, 0, &made), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_runs(instance, 1, &run, 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_numbers(nullptr, 1, &number, 0, &made), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_numbers(instance, 1, nullptr, 0, &made), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_runs(nullptr, 0, nullptr, &count), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_runs(map.get(), 1, nullptr, &count), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_runs(map.get(), 0, nullptr, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_nodes(nullptr, 0, nullptr, nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapFromRuns, EveryRefusedAllocationIsAStatusAndLeaksNothing) {
  CountingAllocator memory;
  const Instance counted(&memory);
  const avrm_run_t runs[] = {{2, 0, 5, 3}, {4, 1, 0, 1}, {9, 0, 100, -2}};
  avrm_rankmap_t map{};
  EXPECT_GT(
      refuse_each_allocation(&memory, &map,
                             [&](avrm_rankmap_t *made) { return avrm_rankmap_create_runs(counted, 3, runs, 0, made); }),
      1);
  avrm_rankmap_destroy(&map);
}

TEST(RankmapNodes, NeedABoundMapAndItsRanks) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10);
  fill(av.get());
  const MapPtr map = make_direct(instance, 10);
  const std::int32_t rank = 10;
  std::uint32_t node = 77;
  EXPECT_EQ(avrm_rankmap_nodes(map.get(), 1, &rank, &node), AVRM_ERR_NOT_BOUND);
  require(avrm_rankmap_bind(map.get()));
  EXPECT_EQ(avrm_rankmap_nodes(map.get(), 1, &rank, &node), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_rankmap_nodes(map.get(), 1, nullptr, &node), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_nodes(map.get(), 0, nullptr, nullptr), AVRM_OK);
  EXPECT_EQ(node, 77U);
}

} // namespace
} // namespace avrankmap::test
