// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Union, intersection, difference and comparison.
#include "tests/component/group/group_twin.h"

namespace avrankmap::test {
namespace {

class SetOperations : public testing::Test {
protected:
  Instance instance;
  GroupPtr lpids(const Ranks &list) { return group_of(instance, list); }
};

TEST_F(SetOperations, UnionIsTheFirstThenWhatIsNewInTheSecond) {
  EXPECT_TRUE(holds(union_of(lpids({5, 1, 9}), lpids({2, 9, 7, 5})), {5, 1, 9, 2, 7}));
}

TEST_F(SetOperations, IntersectionKeepsTheOrderOfTheFirst) {
  EXPECT_TRUE(holds(intersection_of(lpids({5, 1, 9, 3}), lpids({2, 9, 7, 5})), {5, 9}));
}

TEST_F(SetOperations, DifferenceKeepsTheOrderOfTheFirst) {
  EXPECT_TRUE(holds(difference_of(lpids({5, 1, 9, 3}), lpids({2, 9, 7, 5})), {1, 3}));
}

TEST_F(SetOperations, EmptyGroupIsNeutralToUnion) {
  EXPECT_TRUE(holds(union_of(lpids({}), lpids({3, 1, 2})), {3, 1, 2}));
  EXPECT_TRUE(holds(union_of(lpids({3, 1, 2}), lpids({})), {3, 1, 2}));
}

TEST_F(SetOperations, IntersectionWithTheEmptyGroupIsEmpty) {
  EXPECT_TRUE(holds(intersection_of(lpids({3, 1, 2}), lpids({})), Ranks{}));
  EXPECT_TRUE(holds(intersection_of(lpids({}), lpids({3, 1, 2})), Ranks{}));
}

TEST_F(SetOperations, DifferenceWithItselfIsEmpty) {
  const GroupPtr group = lpids({4, 1, 8});
  EXPECT_TRUE(holds(difference_of(group, group), Ranks{}));
}

TEST_F(SetOperations, SameLpidOfAnotherProcessGroupIsAnotherProcess) {
  const GroupPtr a = group_of(make_direct(instance, 4, 0));
  const GroupPtr b = group_of(make_direct(instance, 4, 1));
  EXPECT_TRUE(holds(intersection_of(a, b), Ranks{}));
  EXPECT_EQ(avrm_group_size(union_of(a, b).get()), 8);
  EXPECT_EQ(comparison_of(a, b), AVRM_UNEQUAL);
}

TEST_F(SetOperations, WorkAcrossProcessGroups) {
  const Table a = {{0, 5}, {2, 5}, {1, 7}, {0, 6}};
  const Table b = {{1, 7}, {0, 7}, {2, 6}, {0, 5}};
  EXPECT_TRUE(holds(union_of(group_of(instance, a), group_of(instance, b)), twin_union(a, b)));
  EXPECT_TRUE(holds(intersection_of(group_of(instance, a), group_of(instance, b)), Table{{0, 5}, {1, 7}}));
  EXPECT_TRUE(holds(difference_of(group_of(instance, a), group_of(instance, b)), Table{{2, 5}, {0, 6}}));
}

TEST_F(SetOperations, ResultInOneProcessGroupTakesARegularMode) {
  const Table a = {{0, 5}, {2, 5}, {0, 7}, {0, 9}};
  EXPECT_EQ(shape_of(avrm_group_map(difference_of(group_of(instance, a), group_of(instance, Table{{2, 5}})).get())),
            (Shape{AVRM_MODE_STRIDE, 0, 5, 2, 1}));
}

TEST_F(SetOperations, EvenRanksTakenAwayLeaveTheOddOnes) {
  const GroupPtr all = group_of(make_direct(instance, kMaxSize));
  const GroupPtr even = group_of(make_stride(instance, 1 << 30, 0, 2));
  EXPECT_EQ(shape_of(avrm_group_map(difference_of(all, even).get())), (Shape{AVRM_MODE_STRIDE, 0, 1, 2, 1}));
}

TEST_F(SetOperations, EveryThirdRankTakenAwayLeavesBlocks) {
  const GroupPtr all = group_of(make_direct(instance, 900000000));
  const GroupPtr third = group_of(make_stride(instance, 300000000, 2, 3));
  EXPECT_EQ(shape_of(avrm_group_map(difference_of(all, third).get())), (Shape{AVRM_MODE_BLOCKED, 0, 0, 3, 2}));
  EXPECT_LT(instance.usage(AVRM_MEM_SCRATCH).peak_bytes, 4096U);
}

TEST_F(SetOperations, SequencesTakenAwayFromConsecutiveProcessesAgree) {
  for (std::int32_t size = 1; size <= 24; ++size) {
    for (const std::int32_t stride : {-7, -4, -3, 3, 4, 7, 11}) {
      for (std::int32_t first = 100; first <= 130; ++first) {
        for (std::int32_t count = 1; count <= 8; ++count) {
          const Ranks out = regular_values(count, first, stride);
          const Table all = regular_table(0, size, 103, 1);
          ASSERT_TRUE(holds(difference_of(group_of(make_offset(instance, size, 103)),
                                          group_of(make_stride(instance, count, first, stride))),
                            twin_difference(all, in_group(0, out))));
        }
      }
    }
  }
}

TEST_F(SetOperations, StridesMeetAtTheirCommonMultiple) {
  const GroupPtr by_6 = group_of(make_stride(instance, 100000000, 4, 6));
  const GroupPtr by_10 = group_of(make_stride(instance, 100000000, 1000000008, -10));
  const GroupPtr both = intersection_of(by_6, by_10);
  EXPECT_EQ(shape_of(avrm_group_map(both.get())), (Shape{AVRM_MODE_STRIDE, 0, 28, 30, 1}));
  EXPECT_EQ(avrm_group_size(both.get()), (599999998 - 28) / 30 + 1);
}

TEST_F(SetOperations, GreatestRegularGroupsNeedNoScratchToSpeakOf) {
  const GroupPtr all = group_of(make_direct(instance, kMaxSize));
  const GroupPtr backwards = group_of(make_stride(instance, kMaxSize, kLastLpid, -1));
  EXPECT_EQ(comparison_of(all, backwards), AVRM_SIMILAR);
  EXPECT_TRUE(holds(difference_of(all, backwards), Ranks{}));
  EXPECT_LT(instance.usage(AVRM_MEM_SCRATCH).peak_bytes, 4096U);
}

TEST_F(SetOperations, MergedWorldsAreTwoSegments) {
  const Instance compact(false, AVRM_COST_BYTES);
  const GroupPtr both = union_of(group_of(make_direct(compact, 100000, 0)), group_of(make_direct(compact, 100000, 1)));
  const avrm_rankmap_info_t info = info_of(avrm_group_map(both.get()));
  EXPECT_EQ(info.segments, 2);
  EXPECT_LE(info.own_bytes + info.table_bytes, 128U);
  EXPECT_LT(compact.usage(AVRM_MEM_SCRATCH).peak_bytes, 4096U);
}

TEST_F(SetOperations, AGreatGroupWithoutAHundredProcessesIsAFewSegments) {
  const Instance compact(false, AVRM_COST_BYTES);
  Ranks failed;
  for (std::int32_t i = 0; i < 100; ++i) {
    failed.push_back(i * i * 75 + 13);
  }
  const GroupPtr left = difference_of(group_of(make_direct(compact, 786432)), group_of(compact, failed));
  const avrm_rankmap_info_t info = info_of(avrm_group_map(left.get()));
  EXPECT_EQ(info.size, 786332);
  EXPECT_LE(info.own_bytes + info.table_bytes, 2048U);
}

TEST_F(SetOperations, UnionOfTooManyProcessesIsRefused) {
  const GroupPtr a = group_of(make_direct(instance, kMaxSize, 0));
  const GroupPtr b = group_of(make_direct(instance, 1, 1));
  EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return avrm_group_union(a.get(), b.get(), group_p); }),
            AVRM_ERR_LIMIT);
}

TEST_F(SetOperations, SameOrderIsIdent) { EXPECT_EQ(comparison_of(lpids({3, 1, 2}), lpids({3, 1, 2})), AVRM_IDENT); }

TEST_F(SetOperations, AnotherOrderIsSimilar) {
  EXPECT_EQ(comparison_of(lpids({3, 1, 2}), lpids({1, 2, 3})), AVRM_SIMILAR);
}

TEST_F(SetOperations, AnotherProcessIsUnequal) {
  EXPECT_EQ(comparison_of(lpids({3, 1, 2}), lpids({3, 1, 4})), AVRM_UNEQUAL);
}

TEST_F(SetOperations, AnotherSizeIsUnequal) {
  EXPECT_EQ(comparison_of(lpids({3, 1, 2}), lpids({3, 1, 2, 4})), AVRM_UNEQUAL);
}

TEST_F(SetOperations, EmptyGroupsAreIdent) { EXPECT_EQ(comparison_of(lpids({}), lpids({})), AVRM_IDENT); }

TEST_F(SetOperations, RunsThatAreCutElsewhereAreIdentAllTheSame) {
  // A table of two process groups compared with one that is made of blocks.
  const GroupPtr blocks = group_of(make_blocked(instance, 12, 0, 10, 4));
  const GroupPtr other = group_of(make_direct(instance, 1, 1));
  Table table = regular_table(0, 12, 0, 10, 4);
  table.push_back({1, 0});
  EXPECT_EQ(comparison_of(union_of(blocks, other), group_of(instance, table)), AVRM_IDENT);
}

TEST_F(SetOperations, GroupsOfTwoInstancesAreRefused) {
  Instance elsewhere;
  const GroupPtr a = lpids({1, 2});
  const GroupPtr b = group_of(elsewhere, Ranks{1, 2});
  avrm_comparison_t comparison = AVRM_SIMILAR;
  EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return avrm_group_union(a.get(), b.get(), group_p); }),
            AVRM_ERR_INSTANCE);
  EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return avrm_group_intersection(a.get(), b.get(), group_p); }),
            AVRM_ERR_INSTANCE);
  EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return avrm_group_difference(a.get(), b.get(), group_p); }),
            AVRM_ERR_INSTANCE);
  EXPECT_EQ(avrm_group_compare(a.get(), b.get(), &comparison), AVRM_ERR_INSTANCE);
  EXPECT_EQ(comparison, AVRM_SIMILAR);
}

TEST_F(SetOperations, NullIsRefused) {
  const GroupPtr group = lpids({1, 2});
  avrm_group_t *out = nullptr;
  avrm_comparison_t comparison{};
  for (const auto operation : {avrm_group_union, avrm_group_intersection, avrm_group_difference}) {
    EXPECT_EQ(operation(nullptr, group.get(), &out), AVRM_ERR_NULL);
    EXPECT_EQ(operation(group.get(), nullptr, &out), AVRM_ERR_NULL);
    EXPECT_EQ(operation(group.get(), group.get(), nullptr), AVRM_ERR_NULL);
  }
  EXPECT_EQ(avrm_group_compare(nullptr, group.get(), &comparison), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_compare(group.get(), nullptr, &comparison), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_compare(group.get(), group.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(out, nullptr);
}

} // namespace
} // namespace avrankmap::test
