// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Rankmaps without ranks, as MPI_Comm_create makes them on one side of an intercommunicator.

#include "avrankmap/group.h"
#include "avrankmap/inverse.h"
#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

class RankmapEmpty : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory};
  MapPtr empty = make_direct(instance, 0);
  MapPtr some = make_stride(instance, 5, 3, 4);
};

TEST_F(RankmapEmpty, IsDirectAndOfNoProcessGroup) {
  EXPECT_EQ(shape_of(empty.get()), (Shape{AVRM_MODE_DIRECT, -1, 0, 1, 1}));
  EXPECT_EQ(info_of(empty.get()).process_groups, 0);
  EXPECT_EQ(avrm_rankmap_size(empty.get()), 0);
}

TEST_F(RankmapEmpty, IsSound) { EXPECT_TRUE(avrm_rankmap_validate(empty.get(), nullptr)); }

TEST_F(RankmapEmpty, IsTheSameFromAllCreations) {
  const auto is_empty = [](const MapPtr &map) {
    return shape_of(map.get()) == Shape{AVRM_MODE_DIRECT, -1, 0, 1, 1} && avrm_rankmap_size(map.get()) == 0;
  };
  const avrm_rankmap_t *const both[] = {empty.get(), empty.get()};
  EXPECT_TRUE(is_empty(make_offset(instance, 0, 7)));
  EXPECT_TRUE(is_empty(make_stride(instance, 0, 7, 2)));
  EXPECT_TRUE(is_empty(make_blocked(instance, 0, 7, 9, 2)));
  EXPECT_TRUE(is_empty(
      make_map([&](avrm_rankmap_t *map) { return avrm_rankmap_create_lpids(instance, 3, 0, nullptr, 0, map); })));
  EXPECT_TRUE(
      is_empty(make_map([&](avrm_rankmap_t *map) { return avrm_rankmap_create_gpids(instance, 0, nullptr, 0, map); })));
  EXPECT_TRUE(is_empty(
      make_map([&](avrm_rankmap_t *map) { return avrm_rankmap_create_child(some.get(), 0, nullptr, 0, map); })));
  EXPECT_TRUE(is_empty(make_map(
      [&](avrm_rankmap_t *map) { return avrm_rankmap_create_child_regular(some.get(), 0, 9, 1, 1, 0, map); })));
  EXPECT_TRUE(is_empty(
      make_map([&](avrm_rankmap_t *map) { return avrm_rankmap_create_merged(2, both, 0, nullptr, nullptr, 0, map); })));
  EXPECT_TRUE(is_empty(make_map([&](avrm_rankmap_t *map) { return avrm_rankmap_create_concat(2, both, 0, map); })));
  EXPECT_TRUE(is_empty(make_dup(empty)));
}

TEST_F(RankmapEmpty, StrideAndBlockAreChecked) {
  EXPECT_EQ(
      refusal(instance, [&](avrm_rankmap_t *map) { return avrm_rankmap_create_stride(instance, 0, 0, 0, 0, map); }),
      AVRM_ERR_STRIDE);
  EXPECT_EQ(
      refusal(instance, [&](avrm_rankmap_t *map) { return avrm_rankmap_create_blocked(instance, 0, 0, 0, 2, 0, map); }),
      AVRM_ERR_BLOCK);
}

TEST_F(RankmapEmpty, AllocatesNothing) {
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_direct(instance, 0);
  EXPECT_EQ(memory.calls(), calls);
}

TEST_F(RankmapEmpty, IsBoundAndUnboundWithoutAnAddressVector) {
  EXPECT_EQ(avrm_rankmap_bind(empty.get()), AVRM_OK);
  EXPECT_TRUE(avrm_rankmap_validate(empty.get(), nullptr));
  EXPECT_EQ(avrm_rankmap_bind(empty.get()), AVRM_ERR_ALREADY_BOUND);
  EXPECT_EQ(avrm_rankmap_unbind(empty.get()), AVRM_OK);
}

TEST_F(RankmapEmpty, HasNoRankToTranslate) {
  require(avrm_rankmap_bind(empty.get()));
  std::uint64_t word = 0;
  avrm_gpid_t gpid{};
  EXPECT_EQ(avrm_rankmap_word_checked(empty.get(), 0, &word), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_rankmap_gpid_checked(empty.get(), 0, &gpid), AVRM_ERR_RANK);
}

TEST_F(RankmapEmpty, TranslatesNoRanksInBulk) {
  require(avrm_rankmap_bind(empty.get()));
  EXPECT_EQ(avrm_rankmap_words(empty.get(), 0, nullptr, nullptr), AVRM_OK);
  EXPECT_EQ(avrm_rankmap_gpids(empty.get(), 0, nullptr, nullptr), AVRM_OK);
}

TEST_F(RankmapEmpty, ContainsNoProcess) {
  for (const std::int32_t pgid : {-1, 0, 1}) {
    std::int32_t rank = 5;
    require(avrm_rankmap_rank(empty.get(), {pgid, 0}, &rank));
    EXPECT_EQ(rank, AVRM_UNDEFINED);
  }
}

TEST_F(RankmapEmpty, HasNoChildWithRanks) {
  const std::int32_t ranks[] = {0};
  EXPECT_EQ(
      refusal(instance, [&](avrm_rankmap_t *map) { return avrm_rankmap_create_child(empty.get(), 1, ranks, 0, map); }),
      AVRM_ERR_RANK);
  EXPECT_EQ(
      refusal(instance,
              [&](avrm_rankmap_t *map) { return avrm_rankmap_create_child_regular(empty.get(), 1, 0, 1, 1, 0, map); }),
      AVRM_ERR_RANK);
}

TEST_F(RankmapEmpty, AddsNothingToAConcatenation) {
  for (const bool strict : {false, true}) {
    const Instance where(strict);
    const MapPtr none = make_direct(where, 0);
    const MapPtr front = make_stride(where, 5, 3, 4, 2);
    const MapPtr back = make_stride(where, 5, 23, 4, 2);
    EXPECT_TRUE(agrees(make_concat({none.get(), front.get(), none.get(), back.get(), none.get()}).get(),
                       regular_table(2, 10, 3, 4)));
  }
}

TEST_F(RankmapEmpty, NullArraysAreRefusedWhereTheSizeIsNotZero) {
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map) { return avrm_rankmap_create_lpids(instance, 0, 1, nullptr, 0, map); }),
            AVRM_ERR_NULL);
  EXPECT_EQ(
      refusal(instance, [&](avrm_rankmap_t *map) { return avrm_rankmap_create_gpids(instance, 1, nullptr, 0, map); }),
      AVRM_ERR_NULL);
}

TEST_F(RankmapEmpty, IsTheMapOfTheEmptyGroup) {
  avrm_group_t *group = nullptr;
  require(avrm_group_create(empty.get(), &group));
  EXPECT_EQ(avrm_group_size(group), 0);
  avrm_group_destroy(group);
}

} // namespace
} // namespace avrankmap::test
