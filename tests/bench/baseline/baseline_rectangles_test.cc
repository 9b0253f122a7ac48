// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The world rectangles of the n-D Cartesian compression paper, and that our detection, which knows
// no rectangle, finds all that they find, in no more bytes than the pattern's dimensions take.

#include "baseline/world_rectangles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/instance.h"
#include "tests/support/seed.h"

namespace avrankmap::bench {
namespace {

using Ranks = std::vector<std::int32_t>;

/// World ranks of the sub-rectangle of these extents at this corner, its dimensions gone through in
/// this order, the first one fastest.
Ranks sub_rectangle(const Extents &world, const Ranks &corner, const Extents &extents, const Ranks &order) {
  const std::int32_t size = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
  Ranks ranks;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    Ranks coordinates = corner;
    std::int32_t rest = rank;
    for (const std::int32_t k : order) {
      const auto dimension = static_cast<std::size_t>(k);
      coordinates[dimension] += rest % extents[dimension];
      rest /= extents[dimension];
    }
    std::int32_t world_rank = 0;
    for (std::size_t k = world.size(); k-- > 0;) {
      world_rank = world_rank * world[k] + coordinates[k];
    }
    ranks.push_back(world_rank);
  }
  return ranks;
}

class WorldRectanglesTest : public testing::Test {
protected:
  /// Both ways, both right at every rank, and ours as small as its dimensions allow.
  void expect_compressed(const WorldRectangles &rectangles, const Ranks &ranks) {
    const std::optional<CartesianVcrt> vcrt = rectangles.compress(ranks);
    ASSERT_TRUE(vcrt.has_value()) << testing::PrintToString(ranks);
    expect_found_by_ours(ranks, vcrt->dimensions());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      ASSERT_EQ(vcrt->map(static_cast<std::int32_t>(rank)), ranks[rank]);
    }
  }

  void expect_found_by_ours(const Ranks &ranks, int dimensions) {
    const test::MapPtr map = test::make_map([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_lpids(instance_, 0, static_cast<std::int32_t>(ranks.size()), ranks.data(), 0, map_p);
    });
    avrm_rankmap_info_t info{};
    test::require(avrm_rankmap_describe(map.get(), &info));
    const std::uint64_t bytes = info.own_bytes + info.table_bytes - sizeof(avrm_rankmap_t);
    ASSERT_LE(bytes, 8 + 16 * static_cast<std::uint64_t>(dimensions - 1)) << testing::PrintToString(ranks);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      ASSERT_EQ(avrm_rankmap_gpid(map.get(), static_cast<std::int32_t>(rank)).lpid, ranks[rank]);
    }
  }

  test::Instance instance_{false, AVRM_COST_BYTES};
};

TEST_F(WorldRectanglesTest, AreTheDimsInBothOrdersAndTheSquareAndTheCube) {
  const WorldRectangles rectangles(80);
  const std::vector<Extents> expected = {{10, 8},      {8, 10},      {5, 4, 4}, {4, 4, 5},
                                         {5, 4, 2, 2}, {2, 2, 4, 5}, {8, 8},    {4, 4, 4}};
  EXPECT_EQ(rectangles.all(), expected);
}

TEST_F(WorldRectanglesTest, MoreCanBeAdded) {
  WorldRectangles rectangles(80);
  const Ranks column = {3, 19, 35, 51, 67}; // of 16 x 5
  const Ranks columns = {3, 5, 19, 21, 35, 37, 51, 53, 67, 69};
  EXPECT_TRUE(WorldRectangles(80).compress(Ranks{0, 1, 2}).has_value());
  EXPECT_FALSE(rectangles.compress(columns).has_value());
  rectangles.add({2, 8, 5});
  EXPECT_TRUE(rectangles.compress(columns).has_value());
  expect_compressed(rectangles, column);
}

// Section 4.1 of the paper.
TEST_F(WorldRectanglesTest, CompressTheExamplesOfThePaper) {
  const WorldRectangles rectangles(80);
  for (const Ranks &ranks :
       {Ranks{0, 1, 2, 3, 4}, Ranks{0, 5, 10, 15}, Ranks{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, Ranks{15, 35, 55, 75},
        Ranks{15, 16, 35, 36, 55, 56, 75, 76}, Ranks{10, 11, 15, 16, 30, 31, 35, 36, 50, 51, 55, 56, 70, 71, 75, 76}}) {
    expect_compressed(rectangles, ranks);
  }
}

TEST_F(WorldRectanglesTest, ShufflesAndHolesAreRefused) {
  const WorldRectangles rectangles(80);
  Ranks box = sub_rectangle({5, 4, 4}, {1, 1, 1}, {3, 2, 3}, {0, 1, 2});
  EXPECT_TRUE(rectangles.compress(box).has_value());
  for (std::size_t i = 0; i < box.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Ranks shuffled = box;
      std::swap(shuffled[i], shuffled[j]);
      const std::optional<CartesianVcrt> vcrt = rectangles.compress(shuffled);
      EXPECT_FALSE(vcrt.has_value()) << i << " and " << j;
    }
  }
  for (std::size_t i = 0; i < box.size(); ++i) {
    Ranks incomplete = box;
    incomplete.erase(incomplete.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(rectangles.compress(incomplete).has_value()) << i;
  }
}

// All sub-rectangles of all rectangles, in all orders of their dimensions.
TEST_F(WorldRectanglesTest, OursFindsEverySubRectangleInEveryOrder) {
  std::mt19937_64 engine = test::seeded_engine();
  for (const std::int32_t processes : {24, 60, 80, 4096}) {
    const WorldRectangles rectangles(processes);
    for (const Extents &world : rectangles.all()) {
      for (int round = 0; round < 40; ++round) {
        Ranks corner;
        Extents extents;
        for (const std::int32_t extent : world) {
          const auto first = static_cast<std::int32_t>(engine() % static_cast<std::uint64_t>(extent));
          corner.push_back(first);
          extents.push_back(1 + static_cast<std::int32_t>(engine() % static_cast<std::uint64_t>(extent - first)));
        }
        Ranks order(world.size());
        std::iota(order.begin(), order.end(), 0);
        do {
          expect_compressed(rectangles, sub_rectangle(world, corner, extents, order));
        } while (std::next_permutation(order.begin(), order.end()) && !HasFatalFailure());
      }
    }
  }
}

// MPI_Cart_sub: of every choice of dimensions that are kept, every member of the family; rows,
// columns and planes are among them. MPI counts the last dimension fastest.
TEST_F(WorldRectanglesTest, EveryFamilyOfCartSubIsFound) {
  const WorldRectangles rectangles(96);
  for (const Extents &world : rectangles.all()) {
    const auto dimensions = static_cast<std::int32_t>(world.size());
    Ranks order;
    for (std::int32_t k = dimensions - 1; k >= 0; --k) {
      order.push_back(k);
    }
    Extents row_major(world.rbegin(), world.rend());
    for (int kept = 1; kept < 1 << dimensions; ++kept) {
      Extents extents;
      Extents members; // of the family, in each dimension
      for (std::int32_t k = 0; k < dimensions; ++k) {
        const bool is_kept = (kept >> k & 1) != 0;
        extents.push_back(is_kept ? world[static_cast<std::size_t>(k)] : 1);
        members.push_back(is_kept ? 1 : world[static_cast<std::size_t>(k)]);
      }
      Ranks natural(world.size());
      std::iota(natural.begin(), natural.end(), 0);
      for (const std::int32_t corner_rank : sub_rectangle(members, Ranks(world.size(), 0), members, natural)) {
        Ranks corner;
        std::int32_t rest = corner_rank;
        for (const std::int32_t extent : members) {
          corner.push_back(rest % extent);
          rest /= extent;
        }
        expect_compressed(rectangles, sub_rectangle(world, corner, extents, natural));
        expect_compressed(rectangles, sub_rectangle(world, corner, extents, order));
      }
    }
  }
}

TEST_F(WorldRectanglesTest, OursFindsWhatNoRectangleHas) {
  // Each 2nd of each 3rd row of 10 x 8: no sub-rectangle, but a mixed radix.
  Ranks ranks;
  for (std::int32_t y = 0; y < 8; y += 3) {
    for (std::int32_t x = 1; x < 10; x += 2) {
      ranks.push_back(x + 10 * y);
    }
  }
  EXPECT_FALSE(WorldRectangles(80).compress(ranks).has_value());
  expect_found_by_ours(ranks, 2);
  std::reverse(ranks.begin(), ranks.end());
  EXPECT_FALSE(WorldRectangles(80).compress(ranks).has_value());
  expect_found_by_ours(ranks, 2);
}

} // namespace
} // namespace avrankmap::bench
