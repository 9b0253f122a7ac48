// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a group by ranks: incl, excl, and both by ranges.
#include <numeric>

#include "tests/component/group/group_twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

class Subset : public testing::Test {
protected:
  Instance instance;
  GroupPtr ten = group_of(instance, {100, 90, 80, 75, 73, 71, 7, 8, 9, 10});

  template <typename Operation, typename Item>
  avrm_status_t refused(Operation operation, const std::vector<Item> &items) {
    return group_refusal(instance,
                         [&](auto **group_p) { return operation(ten.get(), count_of(items), items.data(), group_p); });
  }
  avrm_status_t incl(const Ranks &ranks) { return refused(avrm_group_incl, ranks); }
  avrm_status_t excl(const Ranks &ranks) { return refused(avrm_group_excl, ranks); }
  avrm_status_t range_incl(const Ranges &ranges) { return refused(avrm_group_range_incl, ranges); }
  avrm_status_t range_excl(const Ranges &ranges) { return refused(avrm_group_range_excl, ranges); }
};

TEST_F(Subset, InclIsInTheOrderOfTheRanks) { EXPECT_TRUE(holds(incl_of(ten, {9, 0, 4}), {10, 100, 73})); }

TEST_F(Subset, ExclIsInTheOrderOfTheGroup) { EXPECT_TRUE(holds(excl_of(ten, {9, 0, 4, 6, 5}), {90, 80, 75, 8, 9})); }

TEST_F(Subset, InclOfNoRanksIsEmpty) { EXPECT_TRUE(holds(incl_of(ten, {}), Ranks{})); }

TEST_F(Subset, ExclOfNoRanksIsTheGroup) { EXPECT_EQ(comparison_of(excl_of(ten, {}), ten), AVRM_IDENT); }

TEST_F(Subset, ExclOfAllRanksIsEmpty) { EXPECT_TRUE(holds(excl_of(ten, {3, 1, 4, 0, 5, 9, 2, 6, 8, 7}), Ranks{})); }

TEST_F(Subset, InclOfAPermutationIsSimilar) {
  EXPECT_EQ(comparison_of(incl_of(ten, {3, 1, 4, 0, 5, 9, 2, 6, 8, 7}), ten), AVRM_SIMILAR);
}

TEST_F(Subset, NothingCanBeTakenOutOfTheEmptyGroup) {
  const GroupPtr none = empty_group(instance);
  EXPECT_TRUE(holds(incl_of(none, {}), Ranks{}));
  EXPECT_TRUE(holds(excl_of(none, {}), Ranks{}));
  EXPECT_TRUE(holds(range_incl_of(none, {}), Ranks{}));
  EXPECT_TRUE(holds(range_excl_of(none, {}), Ranks{}));
  const std::int32_t rank = 0;
  EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return avrm_group_incl(none.get(), 1, &rank, group_p); }),
            AVRM_ERR_RANK);
}

TEST_F(Subset, RangesAreTakenOneAfterTheOther) {
  EXPECT_TRUE(holds(range_incl_of(ten, {{6, 9, 1}, {4, 0, -2}, {5, 5, 77}}), {7, 8, 9, 10, 73, 80, 100, 71}));
}

TEST_F(Subset, RangesThatAreLeftOutDoNotChangeTheOrder) {
  EXPECT_TRUE(holds(range_excl_of(ten, {{9, 7, -1}, {0, 4, 2}}), {90, 75, 71, 7}));
}

TEST_F(Subset, LastRankOfARangeNeedNotBeHit) {
  EXPECT_TRUE(holds(range_incl_of(ten, {{0, 11, 4}}), {100, 73, 9}));
  EXPECT_TRUE(holds(range_incl_of(ten, {{9, -2, -4}}), {10, 71, 90}));
}

TEST_F(Subset, InterleavedRangesAreNoDuplicates) {
  EXPECT_TRUE(holds(range_incl_of(ten, {{0, 9, 2}, {9, 1, -2}}), {100, 80, 73, 7, 9, 10, 8, 71, 75, 90}));
}

TEST_F(Subset, PartOfAGreatGroupKeepsItsForm) {
  const GroupPtr all = group_of(make_stride(instance, 1 << 20, 5, 7));
  EXPECT_EQ(shape_of(avrm_group_map(range_incl_of(all, {{1000, 0, -10}}).get())),
            (Shape{AVRM_MODE_STRIDE, 0, 7005, -70, 1}));
  EXPECT_EQ(shape_of(avrm_group_map(range_excl_of(all, {{0, 9, 1}}).get())), (Shape{AVRM_MODE_STRIDE, 0, 75, 7, 1}));
}

TEST_F(Subset, EveryThirdRankLeftOutLeavesBlocksWithoutAListOfThem) {
  const GroupPtr all = group_of(make_direct(instance, 9000000));
  EXPECT_EQ(shape_of(avrm_group_map(range_excl_of(all, {{8999999, 0, -3}}).get())),
            (Shape{AVRM_MODE_BLOCKED, 0, 0, 3, 2}));
  EXPECT_LT(instance.usage(AVRM_MEM_SCRATCH).peak_bytes, 4096U);
}

TEST_F(Subset, EveryThirdRankOfAStrideLeftOutLeavesACart) {
  const Instance compact(false, AVRM_COST_BYTES);
  const GroupPtr all = group_of(make_stride(compact, 300000, 7, 2));
  const GroupPtr rest = range_excl_of(all, {{2, 299999, 3}});
  EXPECT_EQ(info_of(avrm_group_map(rest.get())).mode, AVRM_MODE_CART);
  EXPECT_EQ(avrm_rankmap_gpid(avrm_group_map(rest.get()), 3).lpid, 7 + 2 * 4);
  EXPECT_LT(compact.usage(AVRM_MEM_SCRATCH).peak_bytes, 4096U);
}

TEST_F(Subset, RangesLeftOutOfAffineGroupsAgree) {
  for (std::int32_t size = 1; size <= 16; ++size) {
    for (const std::int32_t group_stride : {-2, 1, 5}) {
      const GroupPtr group = group_of(make_stride(instance, size, 100, group_stride));
      const Table table = regular_table(0, size, 100, group_stride);
      for (const std::int32_t stride : {-4, -3, 3, 4}) {
        for (std::int32_t first = 0; first < size; ++first) {
          const std::int32_t last = stride > 0 ? size - 1 : 0;
          for (const std::int32_t end : {last, (first + last) / 2}) {
            const Ranges ranges = {{first, end, stride}};
            ASSERT_TRUE(holds(range_excl_of(group, ranges), twin_excl(table, ranks_of(ranges))));
          }
        }
      }
    }
  }
}

TEST_F(Subset, RankOutsideIsRefused) {
  for (const std::int32_t rank : {-1, 10, kIntMax, kIntMin, AVRM_UNDEFINED, AVRM_PROC_NULL}) {
    EXPECT_EQ(incl({0, rank}), AVRM_ERR_RANK) << rank;
    EXPECT_EQ(excl({0, rank}), AVRM_ERR_RANK) << rank;
    EXPECT_EQ(range_incl({{rank, rank, 1}}), AVRM_ERR_RANK) << rank;
    EXPECT_EQ(range_excl({{rank, rank, 1}}), AVRM_ERR_RANK) << rank;
  }
}

TEST_F(Subset, RangeThatReachesOutsideIsRefused) {
  for (const avrm_range_t &range : {avrm_range_t{0, 10, 5}, avrm_range_t{0, kIntMax, 1}, avrm_range_t{9, -1, -5},
                                    avrm_range_t{9, kIntMin, -1}, avrm_range_t{1, kIntMax, kIntMax - 1}}) {
    EXPECT_EQ(range_incl({range}), AVRM_ERR_RANK) << range.last;
    EXPECT_EQ(range_excl({range}), AVRM_ERR_RANK) << range.last;
  }
}

TEST_F(Subset, RankNamedTwiceIsRefused) {
  for (const Ranks &ranks : {Ranks{4, 4}, Ranks{0, 1, 2, 3, 0}, Ranks{9, 2, 7, 2, 5}}) {
    EXPECT_EQ(incl(ranks), AVRM_ERR_DUPLICATE);
    EXPECT_EQ(excl(ranks), AVRM_ERR_DUPLICATE);
  }
}

// Random ranks, blocks of them and swapped pairs, some left out, of groups of every form: one that
// is named twice and one outside are found wherever they are.
TEST_F(Subset, IrregularRanksAreTakenUnlessOneIsTwiceOrOutside) {
  std::mt19937_64 engine = seeded_engine();
  for (const avrm_cost_t cost : {AVRM_COST_SPEED, AVRM_COST_BYTES}) {
    const Instance other(false, cost);
    for (const std::int32_t size : {1, 2, 63, 64, 65, 130, 1025, 5000}) {
      for (const std::int32_t block : {1, 2, 16}) {
        Ranks order(static_cast<std::size_t>((size + block - 1) / block));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), engine);
        Ranks ranks;
        for (const std::int32_t number : order) {
          for (std::int32_t rank = number * block; rank < std::min(size, (number + 1) * block); ++rank) {
            ranks.push_back(block == 2 ? rank ^ (rank / 2 * 2 + 1 < size ? 1 : 0) : rank);
          }
        }
        ranks.resize(1 + below(engine, ranks.size()));
        Table table;
        for (std::int32_t rank = 0; rank < size; ++rank) {
          table.push_back({block == 16 ? rank % 3 / 2 : 0, 7 * rank % 5003});
        }
        const GroupPtr groups[] = {group_of(make_direct(other, size)), group_of(make_stride(other, size, 5, 3)),
                                   group_of(other, table)};
        for (const GroupPtr &group : groups) {
          Table expected;
          for (const std::int32_t rank : ranks) {
            expected.push_back(avrm_rankmap_gpid(avrm_group_map(group.get()), rank));
          }
          ASSERT_TRUE(holds(incl_of(group, ranks), expected)) << size << ' ' << block;
          const std::size_t step = 1 + ranks.size() / 40;
          for (std::size_t place = 0; place < ranks.size(); place += step) {
            Ranks wrong = ranks;
            wrong[place] = place % 2 == 0 ? size : -1;
            ASSERT_EQ(group_refusal(other,
                                    [&](auto **group_p) {
                                      return avrm_group_incl(group.get(), count_of(wrong), wrong.data(), group_p);
                                    }),
                      AVRM_ERR_RANK);
            wrong[place] = ranks[(place + 1 + below(engine, ranks.size())) % ranks.size()];
            if (wrong[place] != ranks[place]) {
              ASSERT_EQ(group_refusal(other,
                                      [&](auto **group_p) {
                                        return avrm_group_incl(group.get(), count_of(wrong), wrong.data(), group_p);
                                      }),
                        AVRM_ERR_DUPLICATE);
            }
          }
        }
      }
    }
  }
}

TEST_F(Subset, MoreRanksThanTheGroupHasAreRefused) {
  EXPECT_EQ(incl({0, 1, 2, 3, 4, 5, 6, 7, 9, 8, 3}), AVRM_ERR_DUPLICATE);
  EXPECT_EQ(incl({0, 1, 2, 3, 4, 5, 6, 7, 9, 8, 10}), AVRM_ERR_RANK);
}

TEST_F(Subset, OverlappingRangesAreRefused) {
  for (const Ranges &ranges :
       {Ranges{{0, 5, 1}, {5, 9, 1}}, Ranges{{0, 9, 2}, {9, 0, -3}}, Ranges{{3, 3, 1}, {0, 9, 3}}}) {
    EXPECT_EQ(range_incl(ranges), AVRM_ERR_DUPLICATE);
    EXPECT_EQ(range_excl(ranges), AVRM_ERR_DUPLICATE);
  }
}

TEST_F(Subset, FewRanksNamedTwiceInAGreatGroupAreRefused) {
  const GroupPtr all = group_of(make_direct(instance, kMaxSize));
  const Ranks twice = {kIntMax - 1, 7, kIntMax - 1};
  EXPECT_EQ(
      group_refusal(instance, [&](auto **group_p) { return avrm_group_incl(all.get(), 3, twice.data(), group_p); }),
      AVRM_ERR_DUPLICATE);
  const Ranges entangled = {{0, 2000000000, 1000000000}, {500, 1000000500, 500000000}, {1000000000, 1000000000, 1}};
  EXPECT_EQ(
      group_refusal(instance,
                    [&](auto **group_p) { return avrm_group_range_excl(all.get(), 3, entangled.data(), group_p); }),
      AVRM_ERR_DUPLICATE);
}

TEST_F(Subset, FewEntangledRangesInAGreatGroupAreTaken) {
  const GroupPtr all = group_of(make_direct(instance, kMaxSize));
  const Ranges entangled = {{0, 2000000000, 1000000000}, {500, 1000000500, 500000000}};
  EXPECT_TRUE(holds(range_incl_of(all, entangled), ranks_of(entangled)));
}

TEST_F(Subset, StrideOfZeroIsRefused) {
  EXPECT_EQ(range_incl({{0, 5, 0}}), AVRM_ERR_STRIDE);
  EXPECT_EQ(range_excl({{5, 5, 0}}), AVRM_ERR_STRIDE);
}

TEST_F(Subset, RangeThatRunsAwayIsRefused) {
  EXPECT_EQ(range_incl({{0, 5, -1}}), AVRM_ERR_RANGE);
  EXPECT_EQ(range_excl({{5, 0, 1}}), AVRM_ERR_RANGE);
}

TEST_F(Subset, NegativeCountIsRefused) {
  const Ranks ranks = {0};
  const Ranges ranges = {{0, 0, 1}};
  for (const auto operation : {avrm_group_incl, avrm_group_excl}) {
    EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return operation(ten.get(), -1, ranks.data(), group_p); }),
              AVRM_ERR_SIZE);
  }
  for (const auto operation : {avrm_group_range_incl, avrm_group_range_excl}) {
    EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return operation(ten.get(), -1, ranges.data(), group_p); }),
              AVRM_ERR_SIZE);
  }
}

TEST_F(Subset, NullIsRefused) {
  const Ranks ranks = {0};
  const Ranges ranges = {{0, 0, 1}};
  avrm_group_t *out = nullptr;
  for (const auto operation : {avrm_group_incl, avrm_group_excl}) {
    EXPECT_EQ(operation(nullptr, 1, ranks.data(), &out), AVRM_ERR_NULL);
    EXPECT_EQ(operation(ten.get(), 1, nullptr, &out), AVRM_ERR_NULL);
    EXPECT_EQ(operation(ten.get(), 1, ranks.data(), nullptr), AVRM_ERR_NULL);
  }
  for (const auto operation : {avrm_group_range_incl, avrm_group_range_excl}) {
    EXPECT_EQ(operation(nullptr, 1, ranges.data(), &out), AVRM_ERR_NULL);
    EXPECT_EQ(operation(ten.get(), 1, nullptr, &out), AVRM_ERR_NULL);
    EXPECT_EQ(operation(ten.get(), 1, ranges.data(), nullptr), AVRM_ERR_NULL);
  }
  EXPECT_EQ(out, nullptr);
}

} // namespace
} // namespace avrankmap::test
