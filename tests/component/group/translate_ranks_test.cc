// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks of processes in groups, and translation of ranks between groups.
#include "tests/component/group/group_twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

class TranslateRanks : public testing::Test {
protected:
  Instance instance;
  GroupPtr a = group_of(instance, {10, 7, 12, 3});
  GroupPtr b = group_of(instance, {3, 4, 5, 10});

  static Ranks translated(const GroupPtr &from, const Ranks &ranks, const GroupPtr &to) {
    Ranks result(ranks.size());
    require(avrm_group_translate_ranks(from.get(), ranks.size(), ranks.data(), to.get(), result.data()));
    return result;
  }
};

TEST_F(TranslateRanks, RankOfAMember) {
  std::int32_t rank = -7;
  require(avrm_group_rank(a.get(), {0, 12}, &rank));
  EXPECT_EQ(rank, 2);
}

TEST_F(TranslateRanks, RankOfANonMemberIsUndefined) {
  std::int32_t rank = -7;
  require(avrm_group_rank(a.get(), {1, 12}, &rank));
  EXPECT_EQ(rank, AVRM_UNDEFINED);
}

TEST_F(TranslateRanks, RankInTheEmptyGroupIsUndefined) {
  std::int32_t rank = -7;
  require(avrm_group_rank(empty_group(instance).get(), {0, 0}, &rank));
  EXPECT_EQ(rank, AVRM_UNDEFINED);
}

TEST_F(TranslateRanks, MissingOnesAreUndefined) {
  EXPECT_EQ(translated(a, {0, 1, 2, 3}, b), (Ranks{3, AVRM_UNDEFINED, AVRM_UNDEFINED, 0}));
}

TEST_F(TranslateRanks, ToTheEmptyGroupAllAreUndefined) {
  EXPECT_EQ(translated(a, {0, 3}, empty_group(instance)), (Ranks{AVRM_UNDEFINED, AVRM_UNDEFINED}));
}

TEST_F(TranslateRanks, NobodyStaysNobody) {
  EXPECT_EQ(translated(a, {AVRM_PROC_NULL, 3, AVRM_PROC_NULL}, b), (Ranks{AVRM_PROC_NULL, 0, AVRM_PROC_NULL}));
  EXPECT_EQ(translated(empty_group(instance), {AVRM_PROC_NULL}, empty_group(instance)), (Ranks{AVRM_PROC_NULL}));
}

TEST_F(TranslateRanks, RanksMayRepeat) { EXPECT_EQ(translated(a, {3, 3, 0, 3}, b), (Ranks{0, 0, 3, 0})); }

TEST_F(TranslateRanks, MayBeDoneInPlace) {
  Ranks ranks = {3, AVRM_PROC_NULL, 0, 1};
  require(avrm_group_translate_ranks(a.get(), ranks.size(), ranks.data(), b.get(), ranks.data()));
  EXPECT_EQ(ranks, (Ranks{0, AVRM_PROC_NULL, 3, AVRM_UNDEFINED}));
}

TEST_F(TranslateRanks, ManyRanksAtOnceAreTheSameAsOneByOne) {
  Ranks lpids = regular_values(1000, 0, 1);
  std::mt19937_64 engine = seeded_engine();
  std::shuffle(lpids.begin(), lpids.end(), engine);
  const GroupPtr from = group_of(instance, lpids);
  const GroupPtr to = group_of(make_stride(instance, 300, 998, -3));
  const Ranks ranks = regular_values(1000, 0, 1);
  const Ranks result = translated(from, ranks, to);
  for (const std::int32_t rank : ranks) {
    EXPECT_EQ(translated(from, {rank}, to)[0], result[static_cast<std::size_t>(rank)]);
    const std::int32_t distance = 998 - lpids[static_cast<std::size_t>(rank)];
    const bool member = distance >= 0 && distance % 3 == 0 && distance / 3 < 300;
    EXPECT_EQ(result[static_cast<std::size_t>(rank)], member ? distance / 3 : AVRM_UNDEFINED);
  }
}

// Groups of every pair of forms, with as many ranks as take the paths for many, against one by one.
TEST_F(TranslateRanks, BetweenAllFormsIsAsOneByOne) {
  std::mt19937_64 engine = seeded_engine();
  Ranks random = regular_values(1200, 0, 1);
  std::shuffle(random.begin(), random.end(), engine);
  std::vector<GroupPtr> groups;
  groups.push_back(group_of(make_direct(instance, 1200)));
  groups.push_back(group_of(make_stride(instance, 400, 1197, -3)));
  groups.push_back(group_of(make_stride(instance, 150, 0, 8)));
  groups.push_back(group_of(make_stride(instance, 100, 1190, -12)));
  groups.push_back(group_of(make_blocked(instance, 300, 4, 40, 10)));
  groups.push_back(group_of(make_blocked(instance, 300, 1190, -40, 10)));
  groups.push_back(group_of(make_stride(instance, 300, 0, 2, 1))); // of another world
  groups.push_back(group_of(instance, random));
  groups.push_back(group_of(instance, Ranks{5, 6, 7, 900, 901, 300, 299}));
  groups.push_back(empty_group(instance));
  for (const GroupPtr &from : groups) {
    Ranks ranks(1000, AVRM_PROC_NULL);
    for (std::size_t i = 0; avrm_group_size(from.get()) != 0 && i < ranks.size(); ++i) {
      ranks[i] = i % 9 == 4 ? AVRM_PROC_NULL : static_cast<std::int32_t>(i * 7 % avrm_group_size(from.get()));
    }
    for (const GroupPtr &to : groups) {
      const Ranks result = translated(from, ranks, to);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::int32_t expected = AVRM_PROC_NULL;
        if (ranks[i] != AVRM_PROC_NULL) {
          require(avrm_group_rank(to.get(), avrm_rankmap_gpid(avrm_group_map(from.get()), ranks[i]), &expected));
        }
        ASSERT_EQ(result[i], expected) << "rank " << ranks[i] << " at " << i;
      }
    }
  }
}

TEST_F(TranslateRanks, LastOfManyRanksOutsideIsRefusedAndNothingIsWritten) {
  const GroupPtr from = group_of(make_direct(instance, 100));
  for (const std::int32_t rank : {100, -1, kIntMax, kIntMin}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{15}, std::size_t{16}, std::size_t{999}}) {
      Ranks ranks(1000, AVRM_PROC_NULL);
      ranks[place] = rank;
      const Ranks before = ranks;
      EXPECT_EQ(avrm_group_translate_ranks(from.get(), 1000, ranks.data(), from.get(), ranks.data()), AVRM_ERR_RANK);
      EXPECT_EQ(ranks, before);
    }
  }
}

TEST_F(TranslateRanks, ManyToARegularGroupTakeNoMemory) {
  CountingAllocator memory;
  const Instance own(&memory);
  const GroupPtr from = group_of(make_blocked(own, 1000, 0, 20, 10));
  const GroupPtr to = group_of(make_stride(own, 300, 998, -3));
  const Ranks ranks = regular_values(1000, 0, 1);
  memory.refuse_after(0);
  EXPECT_EQ(translated(from, ranks, to)[496], 4); // lpid 986
  memory.refuse_none();
}

TEST_F(TranslateRanks, RankOutsideIsRefusedAndNothingIsWritten) {
  for (const std::int32_t rank : {4, -1, AVRM_UNDEFINED, kIntMax, kIntMin}) {
    const Ranks ranks = {0, rank};
    Ranks result = {77, 77};
    EXPECT_EQ(avrm_group_translate_ranks(a.get(), 2, ranks.data(), b.get(), result.data()), AVRM_ERR_RANK);
    EXPECT_EQ(result, (Ranks{77, 77}));
  }
}

TEST_F(TranslateRanks, GroupsOfTwoInstancesAreRefused) {
  Instance elsewhere;
  const GroupPtr other = group_of(elsewhere, Ranks{1, 2});
  std::int32_t rank = 0;
  EXPECT_EQ(avrm_group_translate_ranks(a.get(), 1, &rank, other.get(), &rank), AVRM_ERR_INSTANCE);
}

TEST_F(TranslateRanks, NullIsRefused) {
  std::int32_t rank = 0;
  EXPECT_EQ(avrm_group_translate_ranks(nullptr, 1, &rank, b.get(), &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_translate_ranks(a.get(), 1, nullptr, b.get(), &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_translate_ranks(a.get(), 1, &rank, nullptr, &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_translate_ranks(a.get(), 1, &rank, b.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_translate_ranks(a.get(), 0, nullptr, b.get(), nullptr), AVRM_OK);
  EXPECT_EQ(avrm_group_rank(nullptr, {0, 0}, &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_rank(a.get(), {0, 0}, nullptr), AVRM_ERR_NULL);
}

TEST(TranslateRanksMemory, EachAllocationMayBeRefused) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const GroupPtr a = group_of(make_direct(instance, 100));
  const GroupPtr b = group_of(instance, Ranks{5, 1, 60, 2});
  const Ranks ranks = regular_values(100, 0, 1);
  for (std::uint64_t point = 0; point < 10; ++point) {
    Ranks result(100, 77);
    memory.refuse_after(point);
    const avrm_status_t status = avrm_group_translate_ranks(a.get(), 100, ranks.data(), b.get(), result.data());
    const bool refused = memory.refused();
    memory.refuse_none();
    EXPECT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
    EXPECT_EQ(result[5], refused ? 77 : 0);
    if (!refused) {
      break;
    }
  }
}

} // namespace
} // namespace avrankmap::test
