// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// AVRM_RANKMAP_UNIQUE: every creating function that takes flags returns an error for a map in which
// a process occurs twice, in every mode.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "rankmap/patterns/regular.h"
#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

constexpr unsigned kUnique = AVRM_RANKMAP_UNIQUE;

avrm_status_t unique_lpids(const Instance &instance, const Ranks &lpids) {
  avrm_rankmap_t map{};
  const avrm_status_t status =
      avrm_rankmap_create_lpids(instance, 0, static_cast<std::int32_t>(lpids.size()), lpids.data(), kUnique, &map);
  avrm_rankmap_destroy(&map);
  return status;
}

avrm_status_t unique_gpids(const Instance &instance, const Table &table) {
  avrm_rankmap_t map{};
  const avrm_status_t status =
      avrm_rankmap_create_gpids(instance, static_cast<std::int32_t>(table.size()), table.data(), kUnique, &map);
  avrm_rankmap_destroy(&map);
  return status;
}

// ---- regular maps ----

TEST(RankmapUnique, EverySmallRegularMapIsJudgedAsByBruteForce) {
  const Instance instance;
  const MapPtr world = make_direct(instance, 400);
  for (std::int32_t size = 1; size <= 13; ++size) {
    for (std::int32_t stride = -13; stride <= 13; ++stride) {
      for (std::int32_t block = 1; stride != 0 && block <= 14; ++block) {
        const bool twice = has_twice(regular_table(0, size, 200, stride, block));
        avrm_rankmap_t map{};
        ASSERT_EQ(avrm_rankmap_create_child_regular(world.get(), size, 200, stride, block, kUnique, &map),
                  twice ? AVRM_ERR_DUPLICATE : AVRM_OK)
            << "size " << size << " stride " << stride << " block " << block;
        avrm_rankmap_destroy(&map);
      }
    }
  }
}

TEST(RankmapUnique, EverySmallRegularTableIsJudgedAsByBruteForce) {
  const Instance instance;
  for (std::int32_t size = 1; size <= 13; ++size) {
    for (std::int32_t stride = -13; stride <= 13; ++stride) {
      for (std::int32_t block = 1; stride != 0 && block <= 14; ++block) {
        const Ranks lpids = regular_values(size, 200, stride, block);
        ASSERT_EQ(unique_lpids(instance, lpids), has_twice(in_group(0, lpids)) ? AVRM_ERR_DUPLICATE : AVRM_OK)
            << "size " << size << " stride " << stride << " block " << block;
      }
    }
  }
}

TEST(RankmapUnique, LargestStrideIsJudgedWithoutOverflow) {
  EXPECT_FALSE(detail::has_duplicates({2, 0, kIntMin, 1}));
  EXPECT_FALSE(detail::has_duplicates({kMaxSize, 0, kIntMin, kIntMax}));
  // Ends one below the first block.
  EXPECT_FALSE(detail::has_duplicates({kMaxSize, 0, 1 - (1 << 30), 1 << 30}));
  EXPECT_TRUE(detail::has_duplicates({kMaxSize, 0, 2 - (1 << 30), 1 << 30}));
}

TEST(RankmapUnique, RegularMapsAreJudgedWithoutScratch) {
  CountingAllocator memory;
  const Instance instance(&memory);
  EXPECT_EQ(unique_lpids(instance, regular_values(1000, 2000, -2, 3)), AVRM_ERR_DUPLICATE);
  EXPECT_EQ(unique_lpids(instance, regular_values(1000, 4000, -4, 3)), AVRM_OK);
  EXPECT_EQ(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 0U);
}

// Tables, a cart, and segments of two process groups.
TEST(RankmapUnique, MoreRanksThanProcessesAreRefusedWithoutScratchPerRank) {
  constexpr std::int32_t kRanks = 40000;
  for (const avrm_cost_t cost : {AVRM_COST_SPEED, AVRM_COST_BYTES}) {
    CountingAllocator memory;
    const Instance instance(&memory, false, cost);
    const MapPtr one = make_direct(instance, kRanks);
    const MapPtr other = make_direct(instance, kRanks, 1);
    for (const MapPtr *const second : {&one, &other}) {
      const avrm_rankmap_t *const parents[] = {one.get(), second->get(), one.get()};
      avrm_rankmap_t map{};
      EXPECT_EQ(avrm_rankmap_create_concat(3, parents, kUnique, &map), AVRM_ERR_DUPLICATE);
    }
    EXPECT_LT(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 1000U);
  }
}

TEST(RankmapUnique, OverlapIsAllowedWithoutTheFlag) {
  const Instance instance;
  const MapPtr world = make_direct(instance, 100);
  EXPECT_TRUE(agrees(make_child_regular(world, 9, 10, 2, 3).get(), regular_table(0, 9, 10, 2, 3)));
}

// ---- luts ----

// The same table, with its values scaled: the closer, the denser. Near and far from where a bit per
// lpid costs more than a sort.
class RankmapUniqueLut : public testing::TestWithParam<std::int32_t> {
protected:
  Instance instance;

  static Ranks table() {
    Ranks lpids(200);
    std::iota(lpids.begin(), lpids.end(), 0);
    std::mt19937_64 engine = seeded_engine();
    std::shuffle(lpids.begin(), lpids.end(), engine);
    for (std::int32_t &lpid : lpids) {
      lpid *= GetParam();
    }
    return lpids;
  }
};

TEST_P(RankmapUniqueLut, TableWithoutDuplicatesIsAccepted) { EXPECT_EQ(unique_lpids(instance, table()), AVRM_OK); }

TEST_P(RankmapUniqueLut, OneDuplicateIsFoundWhereverItIs) {
  const Ranks unique = table();
  for (std::size_t place = 1; place < unique.size(); ++place) {
    Ranks lpids = unique;
    lpids[place] = lpids[place / 2];
    EXPECT_EQ(unique_lpids(instance, lpids), AVRM_ERR_DUPLICATE) << "place " << place;
  }
}

INSTANTIATE_TEST_SUITE_P(Spread, RankmapUniqueLut, testing::Values(1, 2, 127, 128, 129, 1000, 10000000));

TEST(RankmapUnique, DenseLutCostsABitPerLpid) {
  CountingAllocator memory;
  const Instance instance(&memory);
  Ranks lpids(64000);
  std::iota(lpids.rbegin(), lpids.rend(), 0);
  std::swap(lpids[1], lpids[7]);
  EXPECT_EQ(unique_lpids(instance, lpids), AVRM_OK);
  EXPECT_LE(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 64000 / 8 + 8U);
}

TEST(RankmapUnique, ThinLutCostsASortOf8BytesPerRank) {
  CountingAllocator memory;
  const Instance instance(&memory);
  EXPECT_EQ(unique_lpids(instance, {0, kLastLpid, 7}), AVRM_OK);
  EXPECT_EQ(unique_lpids(instance, {kLastLpid, 0, kLastLpid}), AVRM_ERR_DUPLICATE);
  EXPECT_EQ(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 24U);
}

TEST(RankmapUnique, RefusedLutLeavesNothing) {
  const Instance instance;
  const Ranks lpids = {1, 5, 5, 2};
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) {
                      return avrm_rankmap_create_lpids(instance, 0, 4, lpids.data(), kUnique, map_p);
                    }),
            AVRM_ERR_DUPLICATE);
}

TEST(RankmapUnique, RangeIsJudgedBeforeDuplicates) {
  const Instance instance;
  EXPECT_EQ(unique_lpids(instance, {-1, -1, 5}), AVRM_ERR_OVERFLOW);
}

TEST(RankmapUnique, OneLpidTwiceIsAllowedWithoutTheFlag) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_lpids(instance, {1, 5, 5, 2}).get(), in_group(0, {1, 5, 5, 2})));
}

// ---- mluts ----

TEST(RankmapUnique, OneLpidInTwoGroupsIsNoDuplicate) {
  const Instance instance;
  EXPECT_EQ(unique_gpids(instance, {{0, 3}, {1, 3}, {2, 3}, {0, 0}}), AVRM_OK);
}

TEST(RankmapUnique, DuplicateInADenseMlutIsFound) {
  const Instance instance;
  EXPECT_EQ(unique_gpids(instance, {{0, 3}, {1, 3}, {0, 2}, {1, 3}}), AVRM_ERR_DUPLICATE);
}

TEST(RankmapUnique, DuplicateInAThinMlutIsFound) {
  const Instance instance;
  EXPECT_EQ(unique_gpids(instance, {{0, kLastLpid}, {1, kLastLpid}, {2, 0}, {1, kLastLpid}}), AVRM_ERR_DUPLICATE);
}

TEST(RankmapUnique, ThinMlutWithoutDuplicatesIsAccepted) {
  const Instance instance;
  EXPECT_EQ(unique_gpids(instance, {{0, kLastLpid}, {1, kLastLpid}, {2, 0}, {2, kLastLpid}}), AVRM_OK);
}

TEST(RankmapUnique, RandomMlutsAreJudgedAsByBruteForce) {
  const Instance instance;
  std::mt19937_64 engine = seeded_engine();
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t spread = std::uint64_t{1} << below(engine, 31);
    Table table(2 + below(engine, 30));
    for (avrm_gpid_t &gpid : table) {
      gpid = {static_cast<std::int32_t>(below(engine, 3)), static_cast<std::int32_t>(below(engine, spread))};
    }
    const avrm_status_t expected = has_twice(table) ? AVRM_ERR_DUPLICATE : AVRM_OK;
    refused += expected == AVRM_OK ? 0 : 1;
    ASSERT_EQ(unique_gpids(instance, table), expected) << "round " << round;
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 1900);
}

// ---- segments and carts ----

avrm_mode_t mode_of(const Instance &instance, const Table &table) {
  return shape_of(make_gpids(instance, table).get()).mode;
}

// Blocks in random order, of one or two process groups and either direction, close together or far
// apart, half of them with one process twice.
TEST(RankmapUnique, RandomSegmentsAreJudgedAsByBruteForce) {
  const Instance instance(false, AVRM_COST_BYTES);
  std::mt19937_64 engine = seeded_engine();
  int segments = 0;
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    const auto block = static_cast<std::int32_t>(20 + below(engine, 20));
    const std::int32_t gap = block * (1 + static_cast<std::int32_t>(below(engine, 2) * below(engine, 100000)));
    Ranks order(2 + below(engine, round % 2 == 0 ? 10 : 100));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine);
    Table table;
    for (const std::int32_t number : order) {
      const bool up = below(engine, 2) == 0;
      const std::int32_t pgid = number % static_cast<std::int32_t>(1 + round / 2 % 2);
      for (std::int32_t i = 0; i < block; ++i) {
        table.push_back({pgid, number * gap + (up ? i : block - 1 - i)});
      }
    }
    if (below(engine, 2) == 0) {
      table[below(engine, table.size())] = table[below(engine, table.size())];
    }
    const avrm_status_t expected = has_twice(table) ? AVRM_ERR_DUPLICATE : AVRM_OK;
    segments += mode_of(instance, table) == AVRM_MODE_SEGMENTS ? 1 : 0;
    refused += expected == AVRM_OK ? 0 : 1;
    ASSERT_EQ(unique_gpids(instance, table), expected) << "round " << round;
  }
  EXPECT_GT(segments, 200);
  EXPECT_GT(refused, 50);
  EXPECT_LT(refused, 350);
}

TEST(RankmapUnique, RandomCartsAreJudgedAsByBruteForce) {
  const Instance instance(false, AVRM_COST_BYTES);
  std::mt19937_64 engine = seeded_engine();
  int carts = 0;
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    Ranks lpids = {1000};
    for (int dimension = 0; dimension < 3; ++dimension) {
      const Ranks slice = lpids;
      const auto stride = static_cast<std::int32_t>(below(engine, 41)) - 20;
      for (std::int32_t i = 1; i <= static_cast<std::int32_t>(1 + below(engine, 4)); ++i) {
        std::transform(slice.begin(), slice.end(), std::back_inserter(lpids),
                       [&](std::int32_t lpid) { return lpid + i * stride; });
      }
    }
    const bool twice = has_twice(in_group(0, lpids));
    const bool is_cart = mode_of(instance, in_group(0, lpids)) == AVRM_MODE_CART;
    carts += is_cart ? 1 : 0;
    refused += is_cart && twice ? 1 : 0;
    ASSERT_EQ(unique_lpids(instance, lpids), twice ? AVRM_ERR_DUPLICATE : AVRM_OK) << "round " << round;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(carts, refused + 100);
}

// ---- the other functions that take flags ----

TEST(RankmapUnique, ChildThatRepeatsAParentRankIsRefused) {
  const Instance instance;
  const MapPtr parent = make_stride(instance, 10, 50, -5);
  const Ranks ranks = {3, 4, 3};
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) {
                      return avrm_rankmap_create_child(parent.get(), 3, ranks.data(), kUnique, map_p);
                    }),
            AVRM_ERR_DUPLICATE);
}

TEST(RankmapUnique, ChildOfAParentWithDuplicatesIsRefused) {
  const Instance instance;
  const MapPtr parent = make_lpids(instance, {1, 5, 5, 2, 8, 0});
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) {
                      return avrm_rankmap_create_child_regular(parent.get(), 4, 0, 1, 1, kUnique, map_p);
                    }),
            AVRM_ERR_DUPLICATE);
}

TEST(RankmapUnique, ChildThatLeavesOutTheDuplicateIsAccepted) {
  const Instance instance;
  const MapPtr parent = make_lpids(instance, {1, 5, 5, 2, 8, 0});
  EXPECT_TRUE(agrees(make_child_regular(parent, 4, 2, 1, 1, kUnique).get(), in_group(0, {5, 2, 8, 0})));
}

TEST(RankmapUnique, ChildOfAnMlutThatLeavesOutTheDuplicateIsAccepted) {
  const Instance instance;
  const Table table = {{0, 1}, {1, 5}, {1, 5}, {0, 2}};
  const MapPtr parent = make_gpids(instance, table);
  EXPECT_TRUE(agrees(make_child_regular(parent, 2, 2, 1, 1, kUnique).get(), {{1, 5}, {0, 2}}));
}

TEST(RankmapUnique, MergedProcessOfTwoParentsIsRefused) {
  const Instance instance;
  const MapPtr a = make_direct(instance, 10);
  const MapPtr b = make_offset(instance, 10, 5);
  const avrm_rankmap_t *const parents[] = {a.get(), b.get()};
  const Ranks which = {0, 1, 0};
  const Ranks ranks = {7, 2, 1}; // lpid 7 by both
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) {
                      return avrm_rankmap_create_merged(2, parents, 3, which.data(), ranks.data(), kUnique, map_p);
                    }),
            AVRM_ERR_DUPLICATE);
}

TEST(RankmapUnique, ConcatenationOfOverlappingParentsIsRefused) {
  const Instance instance;
  const MapPtr a = make_direct(instance, 10);
  const MapPtr b = make_offset(instance, 10, 9);
  const avrm_rankmap_t *const parents[] = {a.get(), b.get()};
  EXPECT_EQ(
      refusal(instance, [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_concat(2, parents, kUnique, map_p); }),
      AVRM_ERR_DUPLICATE);
}

TEST(RankmapUnique, ConcatenationInClosedFormWithOverlapIsRefused) {
  const Instance instance;
  const MapPtr a = make_offset(instance, 10, 5);
  const MapPtr b = make_offset(instance, 10, 8); // blocks of 10, 3 apart
  const avrm_rankmap_t *const parents[] = {a.get(), b.get()};
  EXPECT_EQ(
      refusal(instance, [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_concat(2, parents, kUnique, map_p); }),
      AVRM_ERR_DUPLICATE);
}

} // namespace
} // namespace avrankmap::test
