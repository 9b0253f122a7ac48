// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The process groups of a rankmap: avrm_rankmap_pgids, and their AVs: avrm_rankmap_av.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "tests/component/rankmap/random_world.h"

namespace avrankmap::test {

namespace {

using Pgids = std::multiset<std::int32_t>;

Pgids pgids_of(const MapPtr &map) {
  std::int32_t count = 0;
  require(avrm_rankmap_pgids(map.get(), 0, nullptr, &count));
  std::vector<std::int32_t> pgids(static_cast<std::size_t>(count));
  std::int32_t again = 0;
  require(avrm_rankmap_pgids(map.get(), count, pgids.data(), &again));
  EXPECT_EQ(again, count);
  return {pgids.begin(), pgids.end()};
}

Pgids expected_of(const Table &table) {
  std::set<std::int32_t> pgids;
  for (const avrm_gpid_t &gpid : table) {
    pgids.insert(gpid.pgid);
  }
  return {pgids.begin(), pgids.end()};
}

class RankmapPgids : public testing::TestWithParam<avrm_cost_t> {
protected:
  Instance instance{false, GetParam()};
};

TEST_P(RankmapPgids, BadArgumentsAreRefused) {
  const MapPtr map = make_direct(instance, 10);
  std::int32_t pgid = -7;
  std::int32_t count = -7;
  EXPECT_EQ(avrm_rankmap_pgids(nullptr, 1, &pgid, &count), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_pgids(map.get(), 1, nullptr, &count), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_pgids(map.get(), 1, &pgid, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_pgids(map.get(), -1, &pgid, &count), AVRM_ERR_SIZE);
  EXPECT_EQ(pgid, -7);
  EXPECT_EQ(count, -7);
}

TEST_P(RankmapPgids, OfARegularMapIsItsOwn) { EXPECT_EQ(pgids_of(make_direct(instance, 10, 4)), (Pgids{4})); }

TEST_P(RankmapPgids, NeedNoAddressVector) {
  EXPECT_EQ(pgids_of(make_gpids(instance, {{9, 1}, {2, 0}, {9, 0}})), (Pgids{2, 9}));
}

TEST_P(RankmapPgids, TooLittleRoomIsFilled) {
  const MapPtr map = make_gpids(instance, {{9, 1}, {2, 0}, {9, 0}, {5, 7}});
  std::int32_t pgids[3] = {-1, -1, -1};
  std::int32_t count = 0;
  ASSERT_EQ(avrm_rankmap_pgids(map.get(), 2, pgids, &count), AVRM_OK);
  EXPECT_EQ(count, 3);
  EXPECT_NE(pgids[0], -1);
  EXPECT_NE(pgids[1], -1);
  EXPECT_EQ(pgids[2], -1);
}

TEST_P(RankmapPgids, OfAPartAreThoseOfItsRanks) {
  const MapPtr whole = make_gpids(instance, {{7, 3}, {7, 9}, {1, 4}, {3, 1}, {1, 1}, {8, 2}});
  const MapPtr part = make_child_regular(whole, 3, 2, 1);
  EXPECT_EQ(pgids_of(part), (Pgids{1, 3}));
}

TEST_P(RankmapPgids, OfThousandsOfGroupsAreAll) {
  Table table;
  for (std::int32_t i = 0; i < 5000; ++i) {
    table.push_back({i * 3, i * 7 % 11});
  }
  const MapPtr whole = make_gpids(instance, table);
  EXPECT_EQ(pgids_of(whole), expected_of(table));
  const MapPtr part = make_child_regular(whole, 2000, 1500, 1);
  EXPECT_EQ(pgids_of(part), expected_of(child_table(table, regular_values(2000, 1500, 1))));
}

TEST_P(RankmapPgids, AgreeWithTheRanksOfRandomMapsAndParts) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  for (int round = 0; round < 300; ++round) {
    Table table;
    for (std::int32_t pieces = 1 + input.below(6); pieces > 0; --pieces) {
      const Table piece = in_group(input.below(5) * 1000, input.ranks(50, 30));
      table.insert(table.end(), piece.begin(), piece.end());
    }
    const MapPtr whole = make_gpids(instance, table);
    ASSERT_EQ(pgids_of(whole), expected_of(table)) << "round " << round;
    const auto size = static_cast<std::int32_t>(table.size());
    const std::int32_t count = input.size(size);
    const std::int32_t first = input.below(size - count + 1);
    ASSERT_EQ(pgids_of(make_child_regular(whole, count, first, 1)),
              expected_of(child_table(table, regular_values(count, first, 1))))
        << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RankmapPgids, testing::Values(AVRM_COST_SPEED, AVRM_COST_BYTES),
                         [](const auto &param) { return param.param == AVRM_COST_SPEED ? "Speed" : "Bytes"; });

TEST(RankmapAv, BadArgumentsAreRefused) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10);
  const MapPtr map = make_direct(instance, 10);
  avrm_av_t *found = nullptr;
  EXPECT_EQ(avrm_rankmap_av(map.get(), 0, &found), AVRM_ERR_NOT_BOUND);
  require(avrm_rankmap_bind(map.get()));
  EXPECT_EQ(avrm_rankmap_av(nullptr, 0, &found), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_av(map.get(), 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_av(map.get(), -1, &found), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_rankmap_av(map.get(), 10, &found), AVRM_ERR_RANK);
  EXPECT_EQ(found, nullptr);
}

TEST(RankmapAv, IsTheOneOfEachRanksWorld) {
  const Instance instance;
  const AvPtr avs[2] = {make_av(instance, 10), make_av(instance, 10)};
  const MapPtr map = make_gpids(instance, {{0, 3}, {1, 7}, {1, 2}, {0, 9}});
  require(avrm_rankmap_bind(map.get()));
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    avrm_av_t *found = nullptr;
    ASSERT_EQ(avrm_rankmap_av(map.get(), rank, &found), AVRM_OK);
    EXPECT_EQ(found, avs[avrm_rankmap_gpid(map.get(), rank).pgid].get());
  }
}

TEST(RankmapAv, IsFoundAfterItsRelease) {
  const Instance instance;
  AvPtr av = make_av(instance, 10);
  const avrm_av_t *const there = av.get();
  const MapPtr map = make_direct(instance, 10);
  require(avrm_rankmap_bind(map.get()));
  av.reset();
  avrm_av_t *found = nullptr;
  EXPECT_EQ(avrm_av_find(instance, 0, &found), AVRM_ERR_PGID_RELEASED);
  ASSERT_EQ(avrm_rankmap_av(map.get(), 3, &found), AVRM_OK);
  EXPECT_EQ(found, there);
}

} // namespace

} // namespace avrankmap::test
