// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Children of several parents: merged by two arrays, or one after the other.

#include <cstdint>
#include <vector>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

using Parents = std::vector<const avrm_rankmap_t *>;

class RankmapMerge : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory};
  MapPtr world = make_direct(instance, 20);
  MapPtr spawned = make_stride(instance, 10, 90, -10, 1);
  MapPtr irregular = make_lpids(instance, {5, 0, 7, 3}, 2);
  MapPtr mixed = make_gpids(instance, {{1, 4}, {3, 6}, {0, 2}});
  Parents all = {world.get(), spawned.get(), irregular.get(), mixed.get()};

  static Table concatenation(const Parents &parents) {
    Table table;
    for (const avrm_rankmap_t *const parent : parents) {
      const Table part = table_of(parent);
      table.insert(table.end(), part.begin(), part.end());
    }
    return table;
  }

  avrm_status_t refused(const Parents &parents, const Ranks &which, const Ranks &ranks, unsigned flags = 0) {
    return refused_raw(static_cast<std::int32_t>(parents.size()), parents.data(),
                       static_cast<std::int32_t>(which.size()), which.data(), ranks.data(), flags);
  }
  avrm_status_t refused_raw(std::int32_t count, const avrm_rankmap_t *const *parents, std::int32_t size,
                            const std::int32_t *which, const std::int32_t *ranks, unsigned flags = 0) {
    return refusal(instance, [&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_merged(count, parents, size, which, ranks, flags, map_p);
    });
  }
  avrm_status_t concat_refused(std::int32_t count, const avrm_rankmap_t *const *parents, unsigned flags = 0) {
    return refusal(instance,
                   [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_concat(count, parents, flags, map_p); });
  }
};

// ---- merged ----

TEST_F(RankmapMerge, EachRankIsThatOfItsParent) {
  const Ranks which = {0, 1, 2, 3, 3, 3, 2, 0};
  const Ranks ranks = {19, 0, 2, 0, 1, 2, 0, 0};
  Table expected;
  for (std::size_t i = 0; i < which.size(); ++i) {
    expected.push_back(table_of(all[static_cast<std::size_t>(which[i])])[static_cast<std::size_t>(ranks[i])]);
  }
  EXPECT_TRUE(agrees(make_merged(all, which, ranks).get(), expected));
}

TEST_F(RankmapMerge, OneParentIsEnough) {
  EXPECT_TRUE(agrees(make_merged({spawned.get()}, {0, 0, 0}, {9, 0, 4}).get(), {{1, 0}, {1, 90}, {1, 50}}));
}

TEST_F(RankmapMerge, OneParentManyTimesIsAllowed) {
  EXPECT_TRUE(agrees(make_merged({world.get(), world.get()}, {0, 1, 0}, {3, 4, 5}).get(), regular_table(0, 3, 3, 1)));
}

TEST_F(RankmapMerge, ResultInOneGroupIsNoMlut) {
  EXPECT_EQ(shape_of(make_merged(all, {0, 3, 0}, {7, 2, 0}).get()), (Shape{AVRM_MODE_LUT, 0, 0, 0, 0}));
}

TEST_F(RankmapMerge, RegularResultInOneGroupIsRegular) {
  EXPECT_EQ(shape_of(make_merged(all, {0, 3, 0}, {1, 2, 3}).get()), (Shape{AVRM_MODE_OFFSET, 0, 1, 1, 1}));
}

TEST_F(RankmapMerge, OnlyGroupsThatOccurAreCounted) {
  const MapPtr map = make_merged(all, {0, 1}, {7, 2});
  EXPECT_EQ(info_of(map.get()).process_groups, 2);
  EXPECT_EQ(info_of(map.get()).table_bytes, 16 + 8 * 2 + 16 * 2U);
}

TEST_F(RankmapMerge, ParentsMayGo) {
  const MapPtr map = make_merged(all, {3, 2, 1}, {1, 0, 0});
  mixed.reset();
  irregular.reset();
  spawned.reset();
  EXPECT_TRUE(agrees(map.get(), {{3, 6}, {2, 5}, {1, 90}}));
}

TEST_F(RankmapMerge, RefusesNullPointers) {
  const Ranks array = {0, 1};
  EXPECT_EQ(refused_raw(4, nullptr, 2, array.data(), array.data()), AVRM_ERR_NULL);
  EXPECT_EQ(refused_raw(4, all.data(), 2, nullptr, array.data()), AVRM_ERR_NULL);
  EXPECT_EQ(refused_raw(4, all.data(), 2, array.data(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_merged(4, all.data(), 2, array.data(), array.data(), 0, nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapMerge, RefusesANullParent) {
  for (std::size_t place = 0; place < all.size(); ++place) {
    Parents parents = all;
    parents[place] = nullptr;
    EXPECT_EQ(refused(parents, {0, 1}, {0, 0}), AVRM_ERR_NULL);
  }
}

TEST_F(RankmapMerge, RefusesNoParents) {
  const Ranks array = {0, 0};
  EXPECT_EQ(refused_raw(0, all.data(), 2, array.data(), array.data()), AVRM_ERR_SIZE);
  EXPECT_EQ(refused_raw(-1, all.data(), 2, array.data(), array.data()), AVRM_ERR_SIZE);
}

TEST_F(RankmapMerge, RefusesNegativeSize) {
  const Ranks array = {0, 0};
  EXPECT_EQ(refused_raw(4, all.data(), -1, array.data(), array.data()), AVRM_ERR_SIZE);
}

TEST_F(RankmapMerge, RefusesUnknownFlags) { EXPECT_EQ(refused(all, {0, 1}, {0, 0}, 2), AVRM_ERR_OPTION); }

TEST_F(RankmapMerge, RefusesAParentNumberOutOfRange) {
  for (const std::int32_t bad : {-1, 4, kIntMin, kIntMax}) {
    EXPECT_EQ(refused(all, {0, bad}, {0, 0}), AVRM_ERR_RANK) << bad;
    EXPECT_EQ(refused(all, {bad, 0}, {0, 0}), AVRM_ERR_RANK) << bad;
  }
}

TEST_F(RankmapMerge, RefusesARankOutsideItsParent) {
  for (std::int32_t parent = 0; parent < 4; ++parent) {
    const std::int32_t size = avrm_rankmap_size(all[static_cast<std::size_t>(parent)]);
    for (const std::int32_t bad : {-1, size, kIntMin, kIntMax}) {
      EXPECT_EQ(refused(all, {0, parent}, {0, bad}), AVRM_ERR_RANK) << "rank " << bad << " of parent " << parent;
    }
  }
}

TEST_F(RankmapMerge, RefusesParentsOfTwoInstances) {
  const Instance other;
  const MapPtr stranger = make_direct(other, 20);
  EXPECT_EQ(refused({world.get(), stranger.get()}, {0, 1}, {0, 0}), AVRM_ERR_INSTANCE);
}

// ---- concatenation ----

TEST_F(RankmapMerge, ConcatenationHasItsParentsOneAfterTheOther) {
  EXPECT_TRUE(agrees(make_concat(all).get(), concatenation(all)));
}

TEST_F(RankmapMerge, ConcatenationInAnyOrderAgrees) {
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      for (std::size_t c = 0; c < 4; ++c) {
        const Parents parents = {all[a], all[b], all[c]};
        ASSERT_TRUE(agrees(make_concat(parents).get(), concatenation(parents)));
      }
    }
  }
}

TEST_F(RankmapMerge, ConcatenationOfOneParentIsTheParent) {
  for (const avrm_rankmap_t *const parent : all) {
    EXPECT_TRUE(agrees(make_concat({parent}).get(), table_of(parent)));
  }
}

TEST_F(RankmapMerge, ConcatenationOfTwoWorldsIsAnMlut) {
  const MapPtr map = make_concat({world.get(), spawned.get()});
  EXPECT_EQ(info_of(map.get()).mode, AVRM_MODE_MLUT);
  EXPECT_EQ(info_of(map.get()).table_bytes, 16 + 8 * 30 + 16 * 2U);
}

TEST_F(RankmapMerge, ConcatenationOfTheSamePatternInTwoWorldsIsNoPattern) {
  const MapPtr a = make_direct(instance, 10, 0);
  const MapPtr b = make_offset(instance, 10, 10, 1);
  EXPECT_TRUE(agrees(make_concat({a.get(), b.get()}).get(), concatenation({a.get(), b.get()})));
}

TEST_F(RankmapMerge, ConcatenationThatGoesOnIsRegular) {
  const MapPtr a = make_stride(instance, 10, 5, 3);
  const MapPtr b = make_stride(instance, 7, 35, 3);
  EXPECT_TRUE(agrees(make_concat({a.get(), b.get()}).get(), regular_table(0, 17, 5, 3)));
}

TEST_F(RankmapMerge, ConcatenationOfSingleProcessesInAPatternIsRegular) {
  std::vector<MapPtr> singles;
  Parents parents;
  for (std::int32_t i = 0; i < 6; ++i) {
    singles.push_back(make_offset(instance, 1, 4 + 12 * (i / 2) + i % 2));
    parents.push_back(singles.back().get());
  }
  EXPECT_TRUE(agrees(make_concat(parents).get(), regular_table(0, 6, 4, 12, 2)));
}

TEST_F(RankmapMerge, ConcatenationLeavesNoScratch) {
  const MapPtr map = make_concat(all);
  EXPECT_EQ(memory.usage(AVRM_MEM_SCRATCH).live_blocks, 0U);
}

TEST_F(RankmapMerge, ConcatRefusesNullPointers) {
  EXPECT_EQ(concat_refused(4, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_concat(4, all.data(), 0, nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapMerge, ConcatRefusesANullParent) {
  for (std::size_t place = 0; place < all.size(); ++place) {
    Parents parents = all;
    parents[place] = nullptr;
    EXPECT_EQ(concat_refused(4, parents.data()), AVRM_ERR_NULL);
  }
}

TEST_F(RankmapMerge, ConcatRefusesNoParents) {
  EXPECT_EQ(concat_refused(0, all.data()), AVRM_ERR_SIZE);
  EXPECT_EQ(concat_refused(-1, all.data()), AVRM_ERR_SIZE);
}

TEST_F(RankmapMerge, ConcatRefusesUnknownFlags) { EXPECT_EQ(concat_refused(4, all.data(), 8), AVRM_ERR_OPTION); }

TEST_F(RankmapMerge, ConcatRefusesParentsOfTwoInstances) {
  const Instance other;
  const MapPtr stranger = make_direct(other, 20);
  const Parents parents = {world.get(), stranger.get()};
  EXPECT_EQ(concat_refused(2, parents.data()), AVRM_ERR_INSTANCE);
}

} // namespace
} // namespace avrankmap::test
