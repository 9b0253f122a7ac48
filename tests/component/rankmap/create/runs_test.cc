// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Run lists: the canonical runs of maps of every mode, lists from runs, and maps from lists,
// against plain tables.

#include "rankmap/create/runs.h"

#include <cstdint>
#include <string>
#include <vector>

#include "av/instance.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/component/rankmap/random_world.h"

namespace avrankmap::test {
namespace {

using OneRun = detail::Run; // Run is a member of testing::Test
using detail::RunList;
using Runs = std::vector<OneRun>;

constexpr std::int64_t kNoLimit = kIntMax;

// The canonical runs of a table: from each start on for as long as it goes.
Runs runs_of(const Table &table) {
  Runs runs;
  for (std::size_t first = 0; first < table.size();) {
    std::size_t end = first + 1;
    while (end < table.size() && table[end].pgid == table[first].pgid &&
           table[end].lpid - table[end - 1].lpid == table[first + 1].lpid - table[first].lpid) {
      ++end;
    }
    const std::int32_t stride = end - first == 1 ? 1 : table[first + 1].lpid - table[first].lpid;
    runs.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(end - first), table[first].pgid,
                    table[first].lpid, stride});
    first = end;
  }
  return runs;
}

Runs visited(const avrm_rankmap_t *map) {
  Runs runs;
  EXPECT_EQ(detail::for_each_run(map,
                                 [&runs](const OneRun &run) {
                                   runs.push_back(run);
                                   return AVRM_OK;
                                 }),
            AVRM_OK);
  return runs;
}

// A table of random pieces: runs of any stride and of several groups, single processes,
// repetitions.
Table random_pieces(RandomInput &input) {
  Table table;
  for (std::int32_t piece = 1 + input.below(6); piece > 0; --piece) {
    const std::int32_t pgid = input.below(3);
    const std::int32_t stride = input.below(9) - 4;
    std::int32_t lpid = 400 + input.below(100);
    for (std::int32_t rank = 1 + input.below(input.one_in(3) ? 60 : 4); rank > 0; --rank, lpid += stride) {
      table.push_back({pgid, lpid});
    }
  }
  return table;
}

class RankmapRuns : public testing::Test {
protected:
  detail::Memory &memory() { return instance.get()->memory; }

  Instance instance{false, AVRM_COST_BYTES};
  std::mt19937_64 engine = seeded_engine();
  RandomInput input{engine};
};

using RankmapRunsOfEachKind = RankmapOfEachKind;

INSTANTIATE_TEST_SUITE_P(All, RankmapRunsOfEachKind, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapRunsOfEachKind, AreTheCanonicalOnes) { EXPECT_EQ(visited(map.get()), runs_of(table)); }

TEST_P(RankmapRunsOfEachKind, StopWhenTheVisitorSaysSo) {
  int visits = 0;
  const auto refuse = [&visits](const OneRun &) {
    ++visits;
    return AVRM_ERR_LIMIT;
  };
  EXPECT_EQ(detail::for_each_run(map.get(), refuse), AVRM_ERR_LIMIT);
  EXPECT_EQ(visits, 1);
}

TEST_F(RankmapRuns, OfADirectMapOfFullSizeAreOne) {
  const MapPtr map = make_direct(instance, kMaxSize);
  EXPECT_EQ(visited(map.get()), Runs({{0, kMaxSize, 0, 0, 1}}));
}

TEST_F(RankmapRuns, OfTwoBlocksThatFillTheLargestMapAreTwo) {
  const MapPtr map = make_blocked(instance, kMaxSize, 1, -1, kMaxSize - 1);
  EXPECT_EQ(visited(map.get()), Runs({{0, kMaxSize - 1, 0, 1, 1}, {kMaxSize - 1, 1, 0, 0, 1}}));
}

TEST_F(RankmapRuns, ListIsCanonicalHoweverItIsCut) {
  for (int round = 0; round < 2000; ++round) {
    const Table table = random_pieces(input);
    RunList list(memory(), kNoLimit);
    for (std::size_t first = 0; first < table.size();) {
      // Any run that is right at `first`, of any length.
      std::size_t count = 1;
      while (first + count < table.size() && !input.one_in(4) && table[first + count].pgid == table[first].pgid &&
             table[first + count].lpid - table[first + count - 1].lpid == table[first + 1].lpid - table[first].lpid) {
        ++count;
      }
      const std::int32_t stride = count == 1 ? 1 : table[first + 1].lpid - table[first].lpid;
      ASSERT_EQ(list.push({0, static_cast<std::int32_t>(count), table[first].pgid, table[first].lpid, stride}),
                AVRM_OK);
      first += count;
    }
    ASSERT_EQ(Runs(list.begin(), list.end()), runs_of(table));
    ASSERT_EQ(static_cast<std::size_t>(list.size()), table.size());
  }
}

TEST_F(RankmapRuns, ListRefusesOneMoreThanItsLimit) {
  RunList list(memory(), 2);
  EXPECT_EQ(list.push({0, 3, 0, 0, 1}), AVRM_OK);
  EXPECT_EQ(list.push({0, 3, 0, 10, 2}), AVRM_OK);
  EXPECT_EQ(list.push({0, 3, 0, 16, 2}), AVRM_OK) << "continues the last run";
  EXPECT_EQ(list.push({0, 3, 0, 0, 1}), AVRM_ERR_LIMIT);
}

TEST_F(RankmapRuns, ListRefusesMoreRanksThanAMapHas) {
  RunList list(memory(), kNoLimit);
  EXPECT_EQ(list.push({0, kMaxSize, 0, 0, 1}), AVRM_OK);
  EXPECT_EQ(list.push({0, 1, 0, 0, 1}), AVRM_ERR_LIMIT);
}

TEST_F(RankmapRuns, ListWithoutMemorySaysSoAndLeaksNothing) {
  CountingAllocator hooks;
  const Instance refused(&hooks);
  RunList list(refused.get()->memory, kNoLimit);
  hooks.refuse_after(0);
  EXPECT_EQ(list.push({0, 3, 0, 0, 1}), AVRM_ERR_NO_MEMORY);
}

TEST_F(RankmapRuns, MapOfAListAgreesWithItsTable) {
  for (int round = 0; round < 2000; ++round) {
    const Table table = random_pieces(input);
    RunList list(memory(), kNoLimit);
    for (const OneRun &run : runs_of(table)) {
      ASSERT_EQ(list.push(run), AVRM_OK);
    }
    detail::MapOwner map;
    ASSERT_EQ(detail::map_from_runs(instance, list, &map), AVRM_OK);
    ASSERT_TRUE(agrees(map.get(), table));
  }
}

TEST_F(RankmapRuns, MapOfAListHasTheFormOfTheMapOfItsTable) {
  for (int round = 0; round < 2000; ++round) {
    const Table table = random_pieces(input);
    RunList list(memory(), kNoLimit);
    for (const OneRun &run : runs_of(table)) {
      ASSERT_EQ(list.push(run), AVRM_OK);
    }
    detail::MapOwner map;
    ASSERT_EQ(detail::map_from_runs(instance, list, &map), AVRM_OK);
    ASSERT_EQ(shape_of(map.get()), shape_of(make_gpids(instance, table).get()));
  }
}

} // namespace
} // namespace avrankmap::test
