// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Mode segments: which maps take it, in how many bytes, and special cases of lists.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "rankmap/forms/segments.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/component/rankmap/random_world.h"

namespace avrankmap::test {
namespace {

// Ranks 0 .. size - 1 of a parent without some.
Ranks without(std::int32_t size, Ranks failed) {
  std::sort(failed.begin(), failed.end());
  Ranks left;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (!std::binary_search(failed.begin(), failed.end(), rank)) {
      left.push_back(rank);
    }
  }
  return left;
}

Ranks random_ranks(std::mt19937_64 &engine, std::int32_t size, std::size_t count) {
  std::vector<bool> taken(static_cast<std::size_t>(size));
  Ranks ranks;
  while (ranks.size() < count) {
    const std::uint64_t rank = below(engine, static_cast<std::uint64_t>(size));
    if (!taken[rank]) {
      taken[rank] = true;
      ranks.push_back(static_cast<std::int32_t>(rank));
    }
  }
  return ranks;
}

// LSMS's first processes of nodes: 1, then 4, 8, 12, ...
Ranks node_roots(std::int32_t size) {
  Ranks lpids = regular_values(size, 0, 4);
  lpids[0] = 1;
  return lpids;
}

std::uint64_t bytes_of(const MapPtr &map) {
  const avrm_rankmap_info_t info = info_of(map.get());
  return info.own_bytes + info.table_bytes;
}

class RankmapSegments : public testing::Test {
protected:
  CountingAllocator hooks;
  Instance instance{&hooks, false, AVRM_COST_BYTES};
  std::mt19937_64 engine = seeded_engine();
  RandomInput input{engine};
};

TEST_F(RankmapSegments, NodeRootsTakeAtMost128Bytes) {
  const Ranks lpids = node_roots(25000);
  const MapPtr map = make_lpids(instance, lpids);
  EXPECT_EQ(shape_of(map.get()).mode, AVRM_MODE_SEGMENTS);
  EXPECT_LE(bytes_of(map), 128U);
  EXPECT_TRUE(agrees(map.get(), in_group(0, lpids)));
}

TEST_F(RankmapSegments, TwoMergedWorldsTakeAtMost128Bytes) {
  const MapPtr first = make_direct(instance, 100000, 0);
  const MapPtr second = make_direct(instance, 100000, 1);
  const MapPtr map = make_concat({first.get(), second.get()});
  EXPECT_EQ(shape_of(map.get()).mode, AVRM_MODE_SEGMENTS);
  EXPECT_LE(bytes_of(map), 128U);
  Table table = regular_table(0, 100000, 0, 1);
  const Table other = regular_table(1, 100000, 0, 1);
  table.insert(table.end(), other.begin(), other.end());
  EXPECT_TRUE(agrees(map.get(), table));
}

TEST_F(RankmapSegments, ParentWithoutAHundredRanksTakesAtMostTwoKibibytes) {
  const Ranks left = without(786432, random_ranks(engine, 786432, 100));
  const MapPtr map = make_child(make_direct(instance, 786432), left);
  EXPECT_EQ(shape_of(map.get()).mode, AVRM_MODE_SEGMENTS);
  EXPECT_LE(bytes_of(map), 2048U);
  for (std::size_t rank = 0; rank < left.size(); ++rank) {
    ASSERT_EQ(avrm_rankmap_gpid(map.get(), static_cast<std::int32_t>(rank)).lpid, left[rank]);
  }
}

TEST_F(RankmapSegments, ConcatenationOfRegularMapsMakesNoTable) {
  const MapPtr first = make_stride(instance, 1000000, 5000000, -3);
  const MapPtr second = make_offset(instance, 1000000, 7);
  const MapPtr map = make_concat({first.get(), second.get()});
  EXPECT_EQ(hooks.usage(AVRM_MEM_LUT).peak_bytes, 0U);
  EXPECT_LE(hooks.usage(AVRM_MEM_SCRATCH).peak_bytes, 1024U);
}

TEST_F(RankmapSegments, ReversalOfSegmentsMakesNoTable) {
  const MapPtr first = make_direct(instance, 1000000, 0);
  const MapPtr second = make_stride(instance, 1000000, 3000000, -2, 1);
  const MapPtr merged = make_concat({first.get(), second.get()});
  const MapPtr map = make_child_regular(merged, 2000000, 1999999, -1);
  EXPECT_EQ(info_of(map.get()).segments, 2);
  EXPECT_EQ(avrm_rankmap_gpid(map.get(), 0), (avrm_gpid_t{1, 3000000 - 2 * 999999}));
  EXPECT_EQ(avrm_rankmap_gpid(map.get(), 1999999), (avrm_gpid_t{0, 0}));
  EXPECT_EQ(hooks.usage(AVRM_MEM_MLUT).peak_bytes, 0U);
}

TEST_F(RankmapSegments, PartInsideOneSegmentIsRegular) {
  const MapPtr map = make_lpids(instance, node_roots(1000));
  EXPECT_EQ(shape_of(make_child_regular(map, 100, 1, 2).get()), (Shape{AVRM_MODE_STRIDE, 0, 4, 8, 1}));
}

TEST_F(RankmapSegments, ChildOfTheWholeSharesTheList) {
  const MapPtr map = make_lpids(instance, node_roots(1000));
  const MapPtr child = make_child_regular(map, 1000, 0, 1);
  EXPECT_EQ(info_of(child.get()).table_sharers, 2U);
  EXPECT_EQ(hooks.usage(AVRM_MEM_SEGMENTS).live_blocks, 1U);
}

TEST_F(RankmapSegments, DuplicateSharesTheListAndOutlivesTheOriginal) {
  MapPtr map = make_lpids(instance, node_roots(1000));
  const MapPtr copy = make_dup(map);
  map.reset();
  EXPECT_EQ(info_of(copy.get()).table_sharers, 1U);
  EXPECT_TRUE(agrees(copy.get(), in_group(0, node_roots(1000))));
}

TEST_F(RankmapSegments, AccountedBytesAreThoseDescribed) {
  const MapPtr map = make_gpids(instance, growing_runs(100, 3));
  EXPECT_EQ(hooks.usage(AVRM_MEM_SEGMENTS).live_bytes, info_of(map.get()).table_bytes);
}

TEST_F(RankmapSegments, SpeedInstanceKeepsAPlainTable) {
  const Instance fast;
  EXPECT_EQ(shape_of(make_lpids(fast, node_roots(1000)).get()).mode, AVRM_MODE_LUT);
}

TEST_F(RankmapSegments, StrictInstanceKeepsAPlainTable) {
  const Instance strict(true, AVRM_COST_BYTES);
  EXPECT_EQ(shape_of(make_lpids(strict, node_roots(1000)).get()).mode, AVRM_MODE_LUT);
}

TEST_F(RankmapSegments, LargestMapOfTwoHalvesIsTranslatedAtItsEnds) {
  const MapPtr low = make_stride(instance, 1 << 30, (1 << 30) - 1, -1, 0);
  const MapPtr high = make_offset(instance, (1 << 30) - 1, 1 << 30, 1);
  const MapPtr map = make_concat({low.get(), high.get()});
  ASSERT_EQ(avrm_rankmap_size(map.get()), kMaxSize);
  EXPECT_EQ(avrm_rankmap_gpid(map.get(), 0), (avrm_gpid_t{0, (1 << 30) - 1}));
  EXPECT_EQ(avrm_rankmap_gpid(map.get(), (1 << 30) - 1), (avrm_gpid_t{0, 0}));
  EXPECT_EQ(avrm_rankmap_gpid(map.get(), 1 << 30), (avrm_gpid_t{1, 1 << 30}));
  EXPECT_EQ(avrm_rankmap_gpid(map.get(), kMaxSize - 1), (avrm_gpid_t{1, kLastLpid}));
  EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
}

// Runs of equal length, each farther apart than the one before.
Table equal_runs(std::int32_t runs, std::int32_t length) {
  Table table;
  for (std::int32_t run = 0; run < runs; ++run) {
    const Table one = regular_table(0, length, run * run * run * length, 1);
    table.insert(table.end(), one.begin(), one.end());
  }
  return table;
}

TEST_F(RankmapSegments, ListsOfEqualRunsCompareOnce) {
  for (std::int32_t runs = 4; runs < 64; ++runs) {
    for (const std::int32_t length : {64, 65, 100, 127, 128}) {
      const Table table = equal_runs(runs, length);
      const MapPtr map = make_gpids(instance, table);
      ASSERT_TRUE(agrees(map.get(), table)) << runs << " runs of " << length;
      ASSERT_EQ(shape_of(map.get()).mode, AVRM_MODE_SEGMENTS);
      ASSERT_FALSE(map->as.segments.searched) << runs << " runs of " << length;
    }
  }
}

// Lists of every directory's length, and long ones.
TEST_F(RankmapSegments, ListsOfEveryLengthAgreeWithTheirTwins) {
  for (std::int32_t runs = 2; runs < 80; ++runs) {
    const Table table = growing_runs(runs, 1 + runs % 3);
    ASSERT_TRUE(agrees(make_gpids(instance, table).get(), table)) << runs;
  }
  const Table table = growing_runs(5000, 3);
  EXPECT_TRUE(agrees(make_gpids(instance, table).get(), table));
}

// All segments but one crowd into one stretch of the directory.
TEST_F(RankmapSegments, UnevenListAgreesWithItsTwin) {
  Table table = growing_runs(300, 2);
  const Table tail = regular_table(1, 500000, 100, 1);
  table.insert(table.end(), tail.begin(), tail.end());
  const MapPtr map = make_gpids(instance, table);
  EXPECT_EQ(shape_of(map.get()).mode, AVRM_MODE_SEGMENTS);
  EXPECT_TRUE(agrees(map.get(), table));
}

TEST_F(RankmapSegments, RunsThatOverlapAreDuplicates) {
  Ranks lpids = regular_values(50, 0, 2);
  const Ranks more = regular_values(50, 200, -3); // meets an even number below 100
  lpids.insert(lpids.end(), more.begin(), more.end());
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) {
                      return avrm_rankmap_create_lpids(instance, 0, 100, lpids.data(), AVRM_RANKMAP_UNIQUE, map_p);
                    }),
            AVRM_ERR_DUPLICATE);
}

TEST_F(RankmapSegments, RunsThatMeetInTheirLastLpidAreDuplicates) {
  Ranks lpids = regular_values(50, 0, 1);
  const Ranks more = regular_values(50, 98, -1);
  lpids.insert(lpids.end(), more.begin(), more.end());
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) {
                      return avrm_rankmap_create_lpids(instance, 0, 100, lpids.data(), AVRM_RANKMAP_UNIQUE, map_p);
                    }),
            AVRM_ERR_DUPLICATE);
}

TEST_F(RankmapSegments, RunsThatInterleaveAreNoDuplicates) {
  Ranks lpids = regular_values(50, 0, 2);
  const Ranks more = regular_values(50, 99, -2);
  lpids.insert(lpids.end(), more.begin(), more.end());
  EXPECT_EQ(shape_of(make_lpids(instance, lpids, 0, AVRM_RANKMAP_UNIQUE).get()).mode, AVRM_MODE_SEGMENTS);
}

TEST_F(RankmapSegments, SameLpidsOfTwoGroupsAreNoDuplicates) {
  const MapPtr first = make_offset(instance, 100, 5, 0);
  const MapPtr second = make_offset(instance, 100, 5, 1);
  EXPECT_NE(make_concat({first.get(), second.get()}, AVRM_RANKMAP_UNIQUE), nullptr);
}

// ---- binding ----

TEST_F(RankmapSegments, BindingHoldsEveryGroupAndLetsItGo) {
  AvPtr avs[] = {make_av(instance, 1000), make_av(instance, 1000), make_av(instance, 1000)};
  const MapPtr map = make_gpids(instance, growing_runs(12, 3));
  require(avrm_rankmap_bind(map.get()));
  const std::uint64_t live = hooks.usage(AVRM_MEM_AV).live_blocks;
  for (AvPtr &av : avs) {
    av.reset();
  }
  EXPECT_EQ(hooks.usage(AVRM_MEM_AV).live_blocks, live) << "held by the map";
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(hooks.usage(AVRM_MEM_AV).live_blocks, 0U);
}

TEST_F(RankmapSegments, BindingRefusesALastLpidOutsideItsAv) {
  const AvPtr av = make_av(instance, 3996); // the last of 1000 node roots is 3996
  const MapPtr map = make_lpids(instance, node_roots(1000));
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_LPID);
}

TEST_F(RankmapSegments, BindingAcceptsALastLpidAtTheEndOfItsAv) {
  const AvPtr av = make_av(instance, 3997);
  const MapPtr map = make_lpids(instance, node_roots(1000));
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
}

TEST_F(RankmapSegments, BindingRefusesAnUnknownGroup) {
  const AvPtr av = make_av(instance, 1000);
  const MapPtr map = make_gpids(instance, growing_runs(12, 3));
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_EQ(map->bound, 0);
}

// ---- memory ----

TEST_F(RankmapSegments, EveryRefusedAllocationIsAStatusAndLeaksNothing) {
  const MapPtr first = make_direct(instance, 1000, 0);
  const MapPtr second = make_direct(instance, 1000, 1);
  const avrm_rankmap_t *const parents[] = {first.get(), second.get()};
  const Table table = growing_runs(100, 3);
  const auto creations = {
      +[](avrm_instance_t *, const avrm_rankmap_t *const *maps, const Table &, avrm_rankmap_t *map_p) {
        return avrm_rankmap_create_concat(2, maps, AVRM_RANKMAP_UNIQUE, map_p);
      },
      +[](avrm_instance_t *owner, const avrm_rankmap_t *const *, const Table &gpids, avrm_rankmap_t *map_p) {
        return avrm_rankmap_create_gpids(owner, static_cast<std::int32_t>(gpids.size()), gpids.data(), 0, map_p);
      },
  };
  for (const auto create : creations) {
    bool refused = true;
    for (std::uint64_t succeed = 0; refused; ++succeed) {
      hooks.refuse_after(succeed);
      const std::uint64_t live = hooks.live_bytes();
      avrm_rankmap_t map{};
      const avrm_status_t status = create(instance, parents, table, &map);
      refused = hooks.refused();
      EXPECT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
      avrm_rankmap_destroy(&map);
      EXPECT_EQ(hooks.live_bytes(), live);
    }
    hooks.refuse_none();
  }
}

} // namespace
} // namespace avrankmap::test
