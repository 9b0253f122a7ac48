// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Modes packed lut and packed mlut: bytes, every width of a field, parts, and special cases.

#include <algorithm>
#include <cstdint>
#include <random>

#include "tests/rankmap/one_of_each.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

Ranks permutation(std::mt19937_64 &engine, std::int32_t size) {
  Ranks lpids = regular_values(size, 0, 1);
  std::shuffle(lpids.begin(), lpids.end(), engine);
  return lpids;
}

class RankmapPacked : public testing::Test {
protected:
  CountingAllocator hooks;
  Instance instance{&hooks, false, AVRM_COST_BYTES};
  std::mt19937_64 engine = seeded_engine();
};

TEST_F(RankmapPacked, RandomPermutationTakes20BitsPerRank) {
  const Ranks lpids = permutation(engine, 786432);
  const MapPtr map = make_lpids(instance, lpids);
  const avrm_rankmap_info_t info = info_of(map.get());
  EXPECT_EQ(info.mode, AVRM_MODE_PACKED_LUT);
  EXPECT_EQ(info.bits, 20);
  EXPECT_LE(info.table_bytes, 786432U * 20 / 8 + 16 + 8);
  for (std::size_t rank = 0; rank < lpids.size(); ++rank) {
    ASSERT_EQ(avrm_rankmap_gpid(map.get(), static_cast<std::int32_t>(rank)).lpid, lpids[rank]);
  }
}

TEST_F(RankmapPacked, EveryWidthAgreesWithItsTwin) {
  for (int bits = 1; bits <= 30; ++bits) {
    for (const std::int32_t min : {0, 1, (1 << 29) + 5}) {
      Ranks lpids;
      for (int rank = 0; rank < 200; ++rank) {
        lpids.push_back(min + static_cast<std::int32_t>(below(engine, std::uint64_t{1} << bits)));
      }
      lpids[0] = min;
      lpids[1] = min + static_cast<std::int32_t>((std::uint64_t{1} << bits) - 1);
      const MapPtr map = make_lpids(instance, lpids);
      ASSERT_TRUE(agrees(map.get(), in_group(0, lpids))) << bits;
      ASSERT_EQ(info_of(map.get()).bits, bits);
    }
  }
}

TEST_F(RankmapPacked, FullRangeTakes31Bits) {
  Ranks lpids;
  for (int rank = 0; rank < 100; ++rank) {
    lpids.push_back(static_cast<std::int32_t>(below(engine, std::uint64_t{kLastLpid})));
  }
  lpids[0] = 0;
  lpids[1] = kLastLpid;
  const MapPtr map = make_lpids(instance, lpids);
  EXPECT_TRUE(agrees(map.get(), in_group(0, lpids)));
  EXPECT_EQ(info_of(map.get()).bits, 31);
}

TEST_F(RankmapPacked, PairsOfEveryNumberOfGroupsAgreeWithTheirTwins) {
  for (std::int32_t groups = 2; groups <= 40; ++groups) {
    Table table;
    for (int rank = 0; rank < 300; ++rank) {
      table.push_back({static_cast<std::int32_t>(below(engine, static_cast<std::uint64_t>(groups))),
                       50 + static_cast<std::int32_t>(below(engine, 1000))});
    }
    ASSERT_TRUE(agrees(make_gpids(instance, table).get(), table)) << groups;
  }
}

TEST_F(RankmapPacked, PartSharesTheTable) {
  const Ranks lpids = permutation(engine, 1000);
  const MapPtr map = make_lpids(instance, lpids);
  for (const std::int32_t first : {0, 1, 7, 8, 501}) {
    const MapPtr part = make_child_regular(map, 499, first, 1);
    EXPECT_EQ(hooks.usage(AVRM_MEM_LUT).live_blocks, 1U);
    EXPECT_TRUE(agrees(part.get(), in_group(0, Ranks(lpids.begin() + first, lpids.begin() + first + 499))));
    EXPECT_EQ(info_of(part.get()).table_entries, 1000);
  }
}

TEST_F(RankmapPacked, PartOfAPartOutlivesBoth) {
  const Ranks lpids = permutation(engine, 1000);
  MapPtr map = make_lpids(instance, lpids);
  MapPtr part = make_child_regular(map, 900, 50, 1);
  const MapPtr part_of_part = make_child_regular(part, 800, 50, 1);
  map.reset();
  part.reset();
  EXPECT_TRUE(agrees(part_of_part.get(), in_group(0, Ranks(lpids.begin() + 100, lpids.begin() + 900))));
}

TEST_F(RankmapPacked, RegularPartIsRegular) {
  Ranks lpids = permutation(engine, 1000);
  const Ranks blocks = regular_values(100, 40, 20, 5);
  std::copy(blocks.begin(), blocks.end(), lpids.begin() + 300);
  const MapPtr map = make_lpids(instance, lpids);
  ASSERT_EQ(info_of(map.get()).mode, AVRM_MODE_PACKED_LUT);
  EXPECT_EQ(shape_of(make_child_regular(map, 100, 300, 1).get()), (Shape{AVRM_MODE_BLOCKED, 0, 40, 20, 5}));
  EXPECT_EQ(shape_of(make_child_regular(map, 5, 300, 1).get()), (Shape{AVRM_MODE_OFFSET, 0, 40, 1, 1}));
}

TEST_F(RankmapPacked, PartInOneGroupHasNoPairs) {
  const Ranks lpids = permutation(engine, 500);
  Table table = in_group(3, lpids);
  const Table other = in_group(1, permutation(engine, 500));
  table.insert(table.end(), other.begin(), other.end());
  const MapPtr map = make_gpids(instance, table);
  ASSERT_EQ(info_of(map.get()).mode, AVRM_MODE_PACKED_MLUT);
  const MapPtr part = make_child_regular(map, 500, 0, 1);
  EXPECT_EQ(info_of(part.get()).mode, AVRM_MODE_PACKED_LUT);
  EXPECT_TRUE(agrees(part.get(), in_group(3, lpids)));
}

TEST_F(RankmapPacked, DuplicatesAreFound) {
  Ranks lpids = permutation(engine, 1000);
  EXPECT_NE(make_lpids(instance, lpids, 0, AVRM_RANKMAP_UNIQUE), nullptr);
  lpids[17] = lpids[400];
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) {
                      return avrm_rankmap_create_lpids(instance, 0, 1000, lpids.data(), AVRM_RANKMAP_UNIQUE, map_p);
                    }),
            AVRM_ERR_DUPLICATE);
}

TEST_F(RankmapPacked, PartThatLeavesOutWhatIsOutsideItsAvIsBound) {
  const AvPtr av = make_av(instance, 900);
  Ranks lpids = permutation(engine, 800);
  lpids[799] = 950;
  const MapPtr map = make_lpids(instance, lpids);
  const MapPtr part = make_child_regular(map, 799, 0, 1);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_rankmap_bind(part.get()), AVRM_OK);
}

TEST_F(RankmapPacked, EveryRefusedAllocationIsAStatusAndLeaksNothing) {
  const Ranks lpids = permutation(engine, 1000);
  bool refused = true;
  for (std::uint64_t succeed = 0; refused; ++succeed) {
    hooks.refuse_after(succeed);
    const std::uint64_t live = hooks.live_bytes();
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_create_lpids(instance, 0, 1000, lpids.data(), AVRM_RANKMAP_UNIQUE, &map);
    refused = hooks.refused();
    EXPECT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
    avrm_rankmap_destroy(&map);
    EXPECT_EQ(hooks.live_bytes(), live);
  }
}

} // namespace
} // namespace avrankmap::test
