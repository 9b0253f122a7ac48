// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Binding: which maps bind, what it holds, and what happens when process groups come and go.

#include <cstdint>
#include <vector>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

// Two process groups of 100 and 50, all connected.
class RankmapBind : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory};
  AvPtr av0 = make_av(instance, 100);
  AvPtr av1 = make_av(instance, 50);

  void SetUp() override {
    fill(av0.get());
    fill(av1.get());
  }

  [[nodiscard]] std::uint64_t av_blocks() const { return memory.usage(AVRM_MEM_AV).live_blocks; }

  static testing::AssertionResult translates(const MapPtr &map) {
    for (std::int32_t rank = 0; rank < avrm_rankmap_size(map.get()); ++rank) {
      const avrm_gpid_t gpid = avrm_rankmap_gpid(map.get(), rank);
      if (avrm_rankmap_word(map.get(), rank) != word_of(gpid) || avrm_rankmap_node(map.get(), rank) != node_of(gpid)) {
        return testing::AssertionFailure()
               << "rank " << rank << " is not translated to the element of " << gpid.pgid << ':' << gpid.lpid;
      }
    }
    return testing::AssertionSuccess();
  }
};

// ---- states ----

TEST_F(RankmapBind, NewMapIsNotBound) { EXPECT_FALSE(info_of(make_direct(instance, 10).get()).bound); }

TEST_F(RankmapBind, BoundMapSaysSo) {
  const MapPtr map = make_direct(instance, 10);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
  EXPECT_TRUE(info_of(map.get()).bound);
}

TEST_F(RankmapBind, UnboundMapSaysSo) {
  const MapPtr map = make_direct(instance, 10);
  require(avrm_rankmap_bind(map.get()));
  EXPECT_EQ(avrm_rankmap_unbind(map.get()), AVRM_OK);
  EXPECT_FALSE(info_of(map.get()).bound);
}

TEST_F(RankmapBind, NullIsRefused) {
  EXPECT_EQ(avrm_rankmap_bind(nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_unbind(nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapBind, SecondBindIsRefused) {
  const MapPtr map = make_direct(instance, 10);
  require(avrm_rankmap_bind(map.get()));
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_ALREADY_BOUND);
  EXPECT_TRUE(translates(map));
}

TEST_F(RankmapBind, UnbindOfAnUnboundMapIsRefused) {
  const MapPtr map = make_direct(instance, 10);
  EXPECT_EQ(avrm_rankmap_unbind(map.get()), AVRM_ERR_NOT_BOUND);
}

TEST_F(RankmapBind, SecondUnbindIsRefused) {
  const MapPtr map = make_direct(instance, 10);
  require(avrm_rankmap_bind(map.get()));
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(avrm_rankmap_unbind(map.get()), AVRM_ERR_NOT_BOUND);
}

TEST_F(RankmapBind, EveryModeTranslatesToTheElementsOfItsProcesses) {
  std::vector<MapPtr> maps;
  maps.push_back(make_direct(instance, 50, 1));
  maps.push_back(make_offset(instance, 70, 30));
  maps.push_back(make_stride(instance, 20, 3, 5));
  maps.push_back(make_stride(instance, 100, 99, -1));
  maps.push_back(make_blocked(instance, 30, 2, 9, 3));
  maps.push_back(make_blocked(instance, 30, 90, -9, 3));
  maps.push_back(make_lpids(instance, {4, 0, 49, 2}, 1));
  maps.push_back(make_child_regular(maps.back(), 3, 1, 1));
  maps.push_back(make_gpids(instance, {{0, 3}, {1, 49}, {0, 99}, {1, 0}, {0, 0}}));
  maps.push_back(make_child_regular(maps.back(), 3, 1, 1));
  for (const MapPtr &map : maps) {
    require(avrm_rankmap_bind(map.get()));
    EXPECT_TRUE(translates(map)) << shape_of(map.get());
    EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
  }
}

TEST_F(RankmapBind, RebindTranslatesAgain) {
  const MapPtr map = make_gpids(instance, {{0, 3}, {1, 49}, {0, 99}});
  for (int round = 0; round < 3; ++round) {
    require(avrm_rankmap_bind(map.get()));
    EXPECT_TRUE(translates(map));
    require(avrm_rankmap_unbind(map.get()));
  }
}

TEST_F(RankmapBind, BindingAllocatesNothing) {
  const MapPtr map = make_gpids(instance, {{0, 3}, {1, 49}, {0, 99}});
  const std::uint64_t calls = memory.calls();
  require(avrm_rankmap_bind(map.get()));
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(memory.calls(), calls);
}

TEST_F(RankmapBind, ElementWrittenLaterIsSeen) {
  const MapPtr map = make_offset(instance, 10, 5);
  require(avrm_rankmap_bind(map.get()));
  const avrm_ave_t moved = ave_of({1, 1});
  require(avrm_av_set(av0.get(), 7, &moved));
  EXPECT_EQ(avrm_rankmap_word(map.get(), 2), avrm_ave_word(&moved));
}

// ---- lpids outside the AV ----

TEST_F(RankmapBind, RegularMapMayEndWhereTheAvEnds) {
  const MapPtr map = make_offset(instance, 40, 60);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
}

TEST_F(RankmapBind, RegularMapBeyondTheAvIsRefused) {
  const MapPtr direct = make_direct(instance, 101);
  const MapPtr offset = make_offset(instance, 41, 60);
  const MapPtr stride = make_stride(instance, 12, 1, 9);
  EXPECT_EQ(avrm_rankmap_bind(direct.get()), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_rankmap_bind(offset.get()), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_rankmap_bind(stride.get()), AVRM_ERR_LPID);
}

TEST_F(RankmapBind, NegativeStrideMayStartWhereTheAvEnds) {
  const MapPtr map = make_stride(instance, 100, 99, -1);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
}

TEST_F(RankmapBind, NegativeStrideFromBeyondTheAvIsRefused) {
  const MapPtr map = make_stride(instance, 100, 100, -1);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_LPID);
}

TEST_F(RankmapBind, BlockBeforeAShortLastOneCounts) {
  // Of blocks of 8, 1 apart, the last full one ends beyond the short one behind it.
  const MapPtr inside = make_blocked(instance, 17, 91, 1, 8);
  const MapPtr outside = make_blocked(instance, 17, 92, 1, 8);
  EXPECT_EQ(avrm_rankmap_bind(inside.get()), AVRM_OK);
  EXPECT_EQ(avrm_rankmap_bind(outside.get()), AVRM_ERR_LPID);
}

TEST_F(RankmapBind, FirstBlockOfBackwardBlocksCounts) {
  const MapPtr inside = make_blocked(instance, 17, 92, -10, 8);
  const MapPtr outside = make_blocked(instance, 17, 93, -10, 8);
  EXPECT_EQ(avrm_rankmap_bind(inside.get()), AVRM_OK);
  EXPECT_EQ(avrm_rankmap_bind(outside.get()), AVRM_ERR_LPID);
}

TEST_F(RankmapBind, EverySmallRegularMapIsJudgedAsByBruteForce) {
  for (std::int32_t size = 1; size <= 9; ++size) {
    for (std::int32_t stride = -5; stride <= 5; ++stride) {
      for (std::int32_t block = 1; stride != 0 && block <= 6; ++block) {
        for (std::int32_t offset = 60; offset <= 101; ++offset) {
          const Ranks lpids = regular_values(size, offset, stride, block);
          const bool inside = *std::max_element(lpids.begin(), lpids.end()) < 100;
          const MapPtr map = make_blocked(instance, size, offset, stride, block);
          ASSERT_EQ(avrm_rankmap_bind(map.get()), inside ? AVRM_OK : AVRM_ERR_LPID) << shape_of(map.get());
        }
      }
    }
  }
}

TEST_F(RankmapBind, LutWithAnLpidOutsideIsRefused) {
  for (std::size_t place = 0; place < 4; ++place) {
    Ranks lpids = {99, 4, 7, 0};
    lpids[place] = 100;
    EXPECT_EQ(avrm_rankmap_bind(make_lpids(instance, lpids).get()), AVRM_ERR_LPID);
  }
}

TEST_F(RankmapBind, PartOfALutBindsThoughTheRestIsOutside) {
  const MapPtr whole = make_lpids(instance, {100, 4, 9, 0, 99, 1000});
  const MapPtr part = make_child_regular(whole, 4, 1, 1);
  EXPECT_EQ(info_of(part.get()).table_sharers, 2U);
  EXPECT_EQ(avrm_rankmap_bind(whole.get()), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_rankmap_bind(part.get()), AVRM_OK);
  EXPECT_TRUE(translates(part));
}

TEST_F(RankmapBind, PartOfALutWithAnLpidOutsideIsRefused) {
  const MapPtr whole = make_lpids(instance, {100, 4, 9, 0, 99, 1000});
  const MapPtr front = make_child_regular(whole, 4, 0, 1);
  const MapPtr back = make_child_regular(whole, 4, 2, 1);
  EXPECT_EQ(avrm_rankmap_bind(front.get()), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_rankmap_bind(back.get()), AVRM_ERR_LPID);
}

TEST_F(RankmapBind, MlutWithAnLpidOutsideOneOfItsAvsIsRefused) {
  const MapPtr first = make_gpids(instance, {{0, 100}, {1, 3}, {0, 4}});
  const MapPtr second = make_gpids(instance, {{0, 99}, {1, 50}, {0, 4}});
  EXPECT_EQ(avrm_rankmap_bind(first.get()), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_rankmap_bind(second.get()), AVRM_ERR_LPID);
}

TEST_F(RankmapBind, PartOfAnMlutBindsThoughTheRestIsOutside) {
  const MapPtr whole = make_gpids(instance, {{1, 50}, {0, 99}, {1, 49}, {0, 100}});
  const MapPtr part = make_child_regular(whole, 2, 1, 1);
  EXPECT_EQ(avrm_rankmap_bind(whole.get()), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_rankmap_bind(part.get()), AVRM_OK);
  EXPECT_TRUE(translates(part));
}

// ---- unknown and released groups ----

TEST_F(RankmapBind, UnknownPgidIsRefused) {
  const MapPtr map = make_direct(instance, 10, 2);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_UNKNOWN);
}

TEST_F(RankmapBind, LargestPgidIsUnknown) {
  const MapPtr map = make_direct(instance, 10, kIntMax);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_UNKNOWN);
}

TEST_F(RankmapBind, MlutWithAnUnknownPgidIsRefused) {
  const MapPtr map = make_gpids(instance, {{0, 1}, {7, 1}});
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_UNKNOWN);
}

TEST_F(RankmapBind, ReleasedPgidIsRefused) {
  const MapPtr map = make_direct(instance, 10, 1);
  av1.reset();
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_RELEASED);
}

TEST_F(RankmapBind, MlutWithAReleasedPgidIsRefused) {
  const MapPtr map = make_gpids(instance, {{0, 1}, {1, 1}});
  av1.reset();
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_RELEASED);
}

TEST_F(RankmapBind, ReleasedPgidThatAnotherMapHoldsIsRefused) {
  const MapPtr holder = make_direct(instance, 10, 1);
  const MapPtr late = make_dup(holder);
  require(avrm_rankmap_bind(holder.get()));
  av1.reset();
  EXPECT_EQ(avrm_rankmap_bind(late.get()), AVRM_ERR_PGID_RELEASED);
  EXPECT_TRUE(translates(holder));
}

TEST_F(RankmapBind, PartOfAnMlutWithoutTheReleasedGroupBinds) {
  AvPtr av2 = make_av(instance, 10);
  const MapPtr whole = make_gpids(instance, {{2, 9}, {0, 9}, {1, 4}, {0, 1}, {2, 1}});
  const MapPtr part = make_child_regular(whole, 3, 1, 1);
  EXPECT_EQ(info_of(part.get()).table_sharers, 2U);
  av2.reset();
  EXPECT_EQ(avrm_rankmap_bind(whole.get()), AVRM_ERR_PGID_RELEASED);
  EXPECT_EQ(avrm_rankmap_bind(part.get()), AVRM_OK);
  EXPECT_TRUE(translates(part));
}

TEST_F(RankmapBind, PartOfAnMlutWithoutTheUnknownGroupBinds) {
  const MapPtr whole = make_gpids(instance, {{9, 9}, {0, 9}, {1, 4}, {0, 1}});
  const MapPtr part = make_child_regular(whole, 3, 1, 1);
  EXPECT_EQ(avrm_rankmap_bind(whole.get()), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_EQ(avrm_rankmap_bind(part.get()), AVRM_OK);
}

TEST_F(RankmapBind, PartOfAnMlutDoesNotHoldTheGroupsItLeavesOut) {
  AvPtr av2 = make_av(instance, 10);
  const MapPtr whole = make_gpids(instance, {{2, 9}, {0, 9}, {1, 4}, {0, 1}, {2, 1}});
  const MapPtr part = make_child_regular(whole, 3, 1, 1);
  require(avrm_rankmap_bind(part.get()));
  av2.reset();
  EXPECT_EQ(av_blocks(), 2U);
}

TEST_F(RankmapBind, RefusedBindLeavesTheMapUnbound) {
  const MapPtr map = make_gpids(instance, {{0, 1}, {7, 1}});
  ASSERT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_FALSE(info_of(map.get()).bound);
  EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
}

TEST_F(RankmapBind, RefusedBindHoldsNoAv) {
  const MapPtr map = make_gpids(instance, {{0, 1}, {1, 1}, {7, 1}});
  ASSERT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_UNKNOWN);
  av0.reset();
  av1.reset();
  EXPECT_EQ(av_blocks(), 0U);
}

// ---- what binding holds ----

TEST_F(RankmapBind, BoundMapKeepsAReleasedAv) {
  const MapPtr map = make_offset(instance, 10, 40, 1);
  require(avrm_rankmap_bind(map.get()));
  av1.reset();
  EXPECT_EQ(av_blocks(), 2U);
  EXPECT_TRUE(translates(map));
}

TEST_F(RankmapBind, UnbindLetsAReleasedAvGo) {
  const MapPtr map = make_offset(instance, 10, 40, 1);
  require(avrm_rankmap_bind(map.get()));
  av1.reset();
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(av_blocks(), 1U);
}

TEST_F(RankmapBind, DestroyUnbinds) {
  MapPtr map = make_offset(instance, 10, 40, 1);
  require(avrm_rankmap_bind(map.get()));
  av1.reset();
  map.reset();
  EXPECT_EQ(av_blocks(), 1U);
}

TEST_F(RankmapBind, UnboundMapKeepsNoAv) {
  const MapPtr map = make_offset(instance, 10, 40, 1);
  av1.reset();
  EXPECT_EQ(av_blocks(), 1U);
}

TEST_F(RankmapBind, AvStaysUntilTheLastOfItsMapsIsUnbound) {
  std::vector<MapPtr> maps;
  maps.push_back(make_direct(instance, 10, 1));
  maps.push_back(make_dup(maps[0]));
  maps.push_back(make_lpids(instance, {4, 1, 2}, 1));
  maps.push_back(make_gpids(instance, {{0, 1}, {1, 1}, {1, 2}}));
  for (const MapPtr &map : maps) {
    require(avrm_rankmap_bind(map.get()));
  }
  av1.reset();
  for (const MapPtr &map : maps) {
    EXPECT_EQ(av_blocks(), 2U);
    EXPECT_TRUE(translates(map));
    require(avrm_rankmap_unbind(map.get()));
  }
  EXPECT_EQ(av_blocks(), 1U);
}

TEST_F(RankmapBind, BoundMlutKeepsAllItsAvs) {
  const MapPtr map = make_gpids(instance, {{0, 1}, {1, 1}, {1, 2}});
  require(avrm_rankmap_bind(map.get()));
  av0.reset();
  av1.reset();
  EXPECT_EQ(av_blocks(), 2U);
  EXPECT_TRUE(translates(map));
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(av_blocks(), 0U);
}

// ---- maps that outlive their process group ----

TEST_F(RankmapBind, UnboundMapDoesNotBindToALaterWorld) {
  const MapPtr map = make_lpids(instance, {4, 1, 2}, 1);
  require(avrm_rankmap_bind(map.get()));
  require(avrm_rankmap_unbind(map.get()));
  av1.reset();
  const AvPtr heir = make_av(instance, 30); // in the same place of the directory
  ASSERT_NE(heir->pgid, 1);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_RELEASED);
}

TEST_F(RankmapBind, MlutDoesNotBindToALaterWorld) {
  const MapPtr map = make_gpids(instance, {{0, 1}, {1, 5}, {1, 2}});
  require(avrm_rankmap_bind(map.get()));
  require(avrm_rankmap_unbind(map.get()));
  av1.reset();
  const AvPtr heir = make_av(instance, 3000);
  ASSERT_NE(heir->pgid, 1);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_RELEASED);
}

TEST_F(RankmapBind, PlaceInTheDirectoryIsKeptWhileABoundMapHoldsIt) {
  const MapPtr map = make_direct(instance, 10, 1);
  require(avrm_rankmap_bind(map.get()));
  av1.reset();
  const AvPtr other = make_av(instance, 10);
  EXPECT_EQ(other->pgid, 2);
  EXPECT_TRUE(translates(map));
}

// The part uses groups 0 and 1 of a shared table; group 2 goes.
TEST_F(RankmapBind, BoundPartStaysRightAfterTheRestOfItsTableIsGone) {
  AvPtr av2 = make_av(instance, 10);
  const MapPtr whole = make_gpids(instance, {{2, 9}, {0, 9}, {1, 4}, {0, 1}, {2, 1}});
  const MapPtr part = make_child_regular(whole, 3, 1, 1);
  require(avrm_rankmap_bind(whole.get()));
  require(avrm_rankmap_bind(part.get()));
  require(avrm_rankmap_unbind(whole.get()));
  av2.reset();
  EXPECT_EQ(avrm_rankmap_bind(whole.get()), AVRM_ERR_PGID_RELEASED);
  EXPECT_TRUE(translates(part));
}

TEST_F(RankmapBind, UnbindOfOneSharerLeavesTheOthersBound) {
  const MapPtr map = make_gpids(instance, {{0, 1}, {1, 5}, {1, 2}});
  const MapPtr copy = make_dup(map);
  require(avrm_rankmap_bind(map.get()));
  require(avrm_rankmap_bind(copy.get()));
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_TRUE(translates(copy));
}

TEST_F(RankmapBind, ChildOfABoundMapIsNotBound) {
  const MapPtr map = make_lpids(instance, {4, 1, 2, 9});
  require(avrm_rankmap_bind(map.get()));
  EXPECT_FALSE(info_of(make_dup(map).get()).bound);
  EXPECT_FALSE(info_of(make_child(map, {2, 1, 0}).get()).bound);
  EXPECT_FALSE(info_of(make_child_regular(map, 3, 0, 1).get()).bound);
  EXPECT_FALSE(info_of(make_concat({map.get()}).get()).bound);
}

} // namespace
} // namespace avrankmap::test
