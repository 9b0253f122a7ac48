// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The AV-Rankmap paper's own creation of a rankmap agrees with a table, whatever its models.
#include "baseline/paper_rankmap.h"

#include "baseline_twin.h"
#include "tests/support/seed.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

using namespace twin;
using Model = PaperRankmap::Model;

void expect_agrees(const PaperRankmap &map, const Table &table) {
  ASSERT_EQ(map.size(), static_cast<std::int32_t>(table.size()));
  for (std::int32_t rank = 0; rank < map.size(); ++rank) {
    const Gpid process = map.at(rank);
    const Gpid expected = table[static_cast<std::size_t>(rank)];
    ASSERT_TRUE(process.pgid == expected.pgid && process.lpid == expected.lpid) << map.label() << ", rank " << rank;
  }
}

TEST(PaperRankmap, DescendantsAgreeWithTheirTablesBeforeAndAfterTheScan) {
  std::mt19937_64 random = test::seeded_engine();
  for (int family = 0; family < 200; ++family) {
    Table table = world_table(0, 400);
    PaperRankmap map = PaperRankmap::direct(400);
    for (int generation = 0; generation < 5; ++generation) {
      const Ranks ranks = random_pattern(static_cast<std::int32_t>(table.size()), random);
      table = child_table(table, ranks);
      map = map.child(ranks);
      ASSERT_NO_FATAL_FAILURE(expect_agrees(map, table));
      ASSERT_NO_FATAL_FAILURE(expect_agrees(map.scanned(), table));
    }
  }
}

TEST(PaperRankmap, StrideOfAStrideIsATableUntilItIsScanned) {
  const PaperRankmap child = PaperRankmap::stride(100, 0, 2).child(pattern(20, 0, 3));
  EXPECT_EQ(child.model(), Model::kLut);
  EXPECT_EQ(child.scanned().model(), Model::kStride);
}

TEST(PaperRankmap, BlocksAreAStride) {
  EXPECT_EQ(PaperRankmap::direct(100).child(pattern(40, 2, 10, 4)).model(), Model::kStride);
}

TEST(PaperRankmap, ATableOfTwoWorldsStaysOne) {
  Table table = joined(world_table(0, 10), world_table(1, 10));
  const PaperRankmap merged = PaperRankmap::table(table);
  EXPECT_EQ(merged.model(), Model::kMlut);
  EXPECT_EQ(merged.child(contiguous(5, 0)).scanned().model(), Model::kMlut);
}

TEST(PaperRankmap, OfNobodyIsDirect) { EXPECT_EQ(PaperRankmap::direct(10).child({}).size(), 0); }

// Section V-C2: its communicator for lut has the odd ranks in reverse order.
TEST(PaperRankmap, RanksThatGoBackwardsAreATableEvenAfterTheScan) {
  const PaperRankmap child = PaperRankmap::direct(16).child(pattern(8, 15, -2));
  EXPECT_STREQ(child.label(), "lut");
  EXPECT_STREQ(child.scanned().label(), "lut");
}

} // namespace
} // namespace avrankmap::bench
