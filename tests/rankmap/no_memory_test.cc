// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Each allocation of each creating function refused in turn: the status is AVRM_ERR_NO_MEMORY, the output is as it was,
// and nothing is leaked. Then the number of allocations, so that a new one does not go unnoticed.

#include <cstdint>

#include "tests/rankmap/twin.h"

namespace avrankmap::test {
namespace {

constexpr unsigned kUnique = AVRM_RANKMAP_UNIQUE;
const Ranks kIrregular = {4, 0, 9, 2, 7};
const Table kTwoGroups = {{0, 4}, {5, 0}, {0, 9}, {5, 2}};

class RankmapNoMemory : public testing::TestWithParam<bool> { // strict or not
protected:
  CountingAllocator memory;
  Instance instance{&memory, GetParam()};

  template <typename Create> int allocations_of(Create create) {
    avrm_rankmap_t *map = nullptr;
    const int points = refuse_each_allocation(&memory, &map, create);
    avrm_rankmap_destroy(map);
    return points;
  }
  int child_allocations(const MapPtr &parent, const Ranks &ranks, unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return allocations_of([&](avrm_rankmap_t **map_p) {
      return avrm_rankmap_create_child(parent.get(), static_cast<std::int32_t>(ranks.size()), ranks.data(), flags,
                                       map_p);
    });
  }
  int lpids_allocations(const Ranks &lpids, unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return allocations_of([&](avrm_rankmap_t **map_p) {
      return avrm_rankmap_create_lpids(instance, 0, static_cast<std::int32_t>(lpids.size()), lpids.data(), flags,
                                       map_p);
    });
  }
  int gpids_allocations(const Table &table, unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return allocations_of([&](avrm_rankmap_t **map_p) {
      return avrm_rankmap_create_gpids(instance, static_cast<std::int32_t>(table.size()), table.data(), flags, map_p);
    });
  }
};

INSTANTIATE_TEST_SUITE_P(All, RankmapNoMemory, testing::Bool(),
                         [](const auto &param) { return param.param ? "Strict" : "Default"; });

TEST_P(RankmapNoMemory, RegularMapIsOneAllocation) {
  EXPECT_EQ(allocations_of([&](avrm_rankmap_t **map_p) { return avrm_rankmap_create_direct(instance, 0, 9, map_p); }),
            1);
  EXPECT_EQ(
      allocations_of([&](avrm_rankmap_t **map_p) { return avrm_rankmap_create_offset(instance, 0, 9, 3, map_p); }), 1);
  EXPECT_EQ(
      allocations_of([&](avrm_rankmap_t **map_p) { return avrm_rankmap_create_stride(instance, 0, 9, 3, 2, map_p); }),
      1);
  EXPECT_EQ(allocations_of(
                [&](avrm_rankmap_t **map_p) { return avrm_rankmap_create_blocked(instance, 0, 9, 3, 5, 2, map_p); }),
            1);
}

TEST_P(RankmapNoMemory, RegularTableIsOneAllocation) { EXPECT_EQ(lpids_allocations({3, 4, 5}, kUnique), 1); }

TEST_P(RankmapNoMemory, LutIsTwoAllocations) { EXPECT_EQ(lpids_allocations(kIrregular), 2); }

TEST_P(RankmapNoMemory, CheckOfADenseLutIsOneMore) { EXPECT_EQ(lpids_allocations(kIrregular, kUnique), 3); }

TEST_P(RankmapNoMemory, CheckOfAThinLutIsOneMore) { EXPECT_EQ(lpids_allocations({4, 0, 1 << 30}, kUnique), 3); }

TEST_P(RankmapNoMemory, MlutIsThreeAllocations) { EXPECT_EQ(gpids_allocations(kTwoGroups), 3); }

TEST_P(RankmapNoMemory, CheckOfAnMlutIsTwoMore) { EXPECT_EQ(gpids_allocations(kTwoGroups, kUnique), 5); }

TEST_P(RankmapNoMemory, MlutOfManyGroupsLeaksNothingWhileItsIndexGrows) {
  Table table;
  for (std::int32_t pgid = 0; pgid < 200; ++pgid) {
    table.push_back({pgid, pgid});
  }
  EXPECT_EQ(gpids_allocations(table), 2 + 6); // the index has 16, 32, ..., 512 places
}

TEST_P(RankmapNoMemory, DuplicateIsOneAllocationInEveryMode) {
  for (const MapPtr &map : {make_direct(instance, 9), make_blocked(instance, 9, 3, 5, 2),
                            make_lpids(instance, kIrregular), make_gpids(instance, kTwoGroups)}) {
    EXPECT_EQ(allocations_of([&map](avrm_rankmap_t **map_p) { return avrm_rankmap_dup(map.get(), map_p); }), 1);
  }
}

TEST_P(RankmapNoMemory, RefusedShareLeavesTheSharersAsTheyWere) {
  const MapPtr lut = make_lpids(instance, kIrregular);
  const MapPtr mlut = make_gpids(instance, kTwoGroups);
  child_allocations(lut, {1, 2, 3});
  child_allocations(mlut, {1, 2});
  EXPECT_EQ(info_of(lut.get()).table_sharers, 1U);
  EXPECT_EQ(info_of(mlut.get()).table_sharers, 1U);
}

TEST_P(RankmapNoMemory, RegularChildOfADirectParentIsOneAllocation) {
  EXPECT_EQ(child_allocations(make_direct(instance, 9), {1, 3, 5}, kUnique), 1);
}

TEST_P(RankmapNoMemory, SharingChildIsOneAllocation) {
  EXPECT_EQ(child_allocations(make_lpids(instance, kIrregular), {1, 2, 3}), 1);
  EXPECT_EQ(child_allocations(make_gpids(instance, kTwoGroups), {1, 2, 3}), 1);
}

TEST_P(RankmapNoMemory, IrregularChildIsTwoAllocations) {
  EXPECT_EQ(child_allocations(make_stride(instance, 9, 3, 2), {1, 0, 5}), 2);
  EXPECT_EQ(child_allocations(make_lpids(instance, kIrregular), {1, 0, 4}), 2);
}

TEST_P(RankmapNoMemory, IrregularChildOfAnMlutIsThreeAllocations) {
  EXPECT_EQ(child_allocations(make_gpids(instance, kTwoGroups), {1, 0, 3}), 3);
}

TEST_P(RankmapNoMemory, StrideOfStrideIsOneAllocationOrWithTheRescanThree) {
  EXPECT_EQ(child_allocations(make_stride(instance, 9, 3, 2), {0, 2, 4}), GetParam() ? 3 : 1);
}

TEST_P(RankmapNoMemory, RegularPartOfALutIsTwoAllocations) {
  EXPECT_EQ(child_allocations(make_lpids(instance, {9, 4, 5, 6, 1}), {1, 2, 3}), 2);
}

TEST_P(RankmapNoMemory, PartOfAnMlutThatIsALutIsThreeAllocations) {
  EXPECT_EQ(child_allocations(make_gpids(instance, {{0, 1}, {5, 9}, {5, 3}, {5, 4}}), {1, 2, 3}), 3);
}

TEST_P(RankmapNoMemory, PartOfAnMlutThatIsRegularIsFourAllocations) {
  EXPECT_EQ(child_allocations(make_gpids(instance, {{0, 1}, {5, 3}, {5, 4}, {5, 5}}), {1, 2, 3}), 4);
}

TEST_P(RankmapNoMemory, MergedMlutIsThreeAllocations) {
  const MapPtr a = make_direct(instance, 9);
  const MapPtr b = make_direct(instance, 9, 1);
  const avrm_rankmap_t *const parents[] = {a.get(), b.get()};
  const Ranks which = {0, 1, 0};
  const Ranks ranks = {7, 2, 1};
  EXPECT_EQ(allocations_of([&](avrm_rankmap_t **map_p) {
              return avrm_rankmap_create_merged(2, parents, 3, which.data(), ranks.data(), 0, map_p);
            }),
            3);
}

TEST_P(RankmapNoMemory, ConcatenationOfTwoWorldsIsThreeAllocations) {
  const MapPtr a = make_direct(instance, 9);
  const MapPtr b = make_direct(instance, 9, 1);
  const avrm_rankmap_t *const parents[] = {a.get(), b.get()};
  EXPECT_EQ(allocations_of([&](avrm_rankmap_t **map_p) { return avrm_rankmap_create_concat(2, parents, 0, map_p); }),
            3);
}

} // namespace
} // namespace avrankmap::test
