// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Creation from plain tables: what becomes a lut or an mlut, what it costs, what is refused.

#include <cstdint>
#include <vector>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

const Ranks kIrregular = {4, 0, 9, 2, 7};
const Table kTwoGroups = {{0, 3}, {5, 0}, {5, 1}, {0, 9}, {5, 8}, {0, 0}};

// ---- lut ----

TEST(RankmapLut, IrregularLpidsAreALut) {
  const Instance instance;
  const MapPtr map = make_lpids(instance, kIrregular, 2);
  EXPECT_EQ(shape_of(map.get()), (Shape{AVRM_MODE_LUT, 2, 0, 0, 0}));
}

TEST(RankmapLut, AgreesWithTheTable) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_lpids(instance, kIrregular, 2).get(), in_group(2, kIrregular)));
}

TEST(RankmapLut, RunOfOneLpidIsALut) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_lpids(instance, {5, 5, 5}).get(), in_group(0, {5, 5, 5})));
}

TEST(RankmapLut, PatternWithOneFlawIsALut) {
  const Instance instance;
  for (std::size_t flaw = 0; flaw < 100; ++flaw) {
    Ranks lpids = regular_values(100, 10, 3);
    lpids[flaw] += 1;
    EXPECT_EQ(info_of(make_lpids(instance, lpids).get()).mode, AVRM_MODE_LUT) << "flaw at " << flaw;
  }
}

TEST(RankmapLut, LastLpidIsAllowed) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_lpids(instance, {3, kLastLpid, 0}).get(), in_group(0, {3, kLastLpid, 0})));
}

TEST(RankmapLut, KeepsACopyOfTheTable) {
  const Instance instance;
  Ranks lpids = kIrregular;
  const MapPtr map = make_lpids(instance, lpids);
  lpids.assign(lpids.size(), 1);
  EXPECT_TRUE(agrees(map.get(), in_group(0, kIrregular)));
}

TEST(RankmapLut, IsOneBlockOf16BytesAnd4PerRank) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const MapPtr map = make_lpids(instance, kIrregular);
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_bytes, 16 + 4 * kIrregular.size());
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_blocks, 1U);
}

TEST(RankmapLut, CreationAllocatesTheTableOnly) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_lpids(instance, kIrregular);
  EXPECT_EQ(memory.calls(), calls + 1);
}

TEST(RankmapLut, RegularTableAllocatesNothing) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_lpids(instance, regular_values(100, 7, 8, 4));
  EXPECT_EQ(memory.calls(), calls);
}

TEST(RankmapLut, DescribeTellsTheBytes) {
  const Instance instance;
  const MapPtr map = make_lpids(instance, kIrregular);
  EXPECT_EQ(info_of(map.get()).own_bytes, 56U);
  EXPECT_EQ(info_of(map.get()).table_bytes, 16 + 4 * kIrregular.size());
}

TEST(RankmapLut, NewTableHasOneSharer) {
  const Instance instance;
  EXPECT_EQ(info_of(make_lpids(instance, kIrregular).get()).table_sharers, 1U);
}

TEST(RankmapLut, DestroyGivesBackTheTable) {
  CountingAllocator memory;
  const Instance instance(&memory);
  make_lpids(instance, kIrregular).reset();
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_blocks, 0U);
}

// ---- what create_lpids refuses ----

class RankmapLpids : public testing::Test {
protected:
  Instance instance;

  avrm_status_t refused(const Ranks &lpids, unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return refused_raw(instance, 0, static_cast<std::int32_t>(lpids.size()), lpids.data(), flags);
  }
  avrm_status_t refused_raw(avrm_instance_t *of, std::int32_t pgid, std::int32_t size, const std::int32_t *lpids,
                            unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return refusal(instance, [&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_lpids(of, pgid, size, lpids, flags, map_p);
    });
  }
};

TEST_F(RankmapLpids, RefusesNullInstance) { EXPECT_EQ(refused_raw(nullptr, 0, 5, kIrregular.data()), AVRM_ERR_NULL); }

TEST_F(RankmapLpids, RefusesNullTable) { EXPECT_EQ(refused_raw(instance, 0, 5, nullptr), AVRM_ERR_NULL); }

TEST_F(RankmapLpids, RefusesNullOutput) {
  EXPECT_EQ(avrm_rankmap_create_lpids(instance, 0, 5, kIrregular.data(), 0, nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapLpids, RefusesNegativeSize) {
  EXPECT_EQ(refused_raw(instance, 0, -1, kIrregular.data()), AVRM_ERR_SIZE);
  EXPECT_EQ(refused_raw(instance, 0, kIntMin, kIrregular.data()), AVRM_ERR_SIZE);
}

TEST_F(RankmapLpids, RefusesNegativePgid) {
  EXPECT_EQ(refused_raw(instance, -1, 5, kIrregular.data()), AVRM_ERR_PGID_UNKNOWN);
}

TEST_F(RankmapLpids, RefusesUnknownFlags) {
  for (const unsigned flags : {2U, 3U, 0x80000000U, ~1U, ~0U}) {
    EXPECT_EQ(refused(kIrregular, flags), AVRM_ERR_OPTION) << flags;
  }
}

TEST_F(RankmapLpids, RefusesUnknownFlagsForARegularTableToo) { EXPECT_EQ(refused({0, 1, 2}, 2U), AVRM_ERR_OPTION); }

TEST_F(RankmapLpids, RefusesAnLpidOutOfRangeAtEveryPlaceOfALut) {
  for (std::size_t place = 0; place < kIrregular.size(); ++place) {
    for (const std::int32_t bad : {-1, kIntMin, kIntMax}) {
      Ranks lpids = kIrregular;
      lpids[place] = bad;
      EXPECT_EQ(refused(lpids), AVRM_ERR_OVERFLOW) << "lpid " << bad << " at " << place;
    }
  }
}

TEST_F(RankmapLpids, RefusesRegularLpidsOutOfRange) {
  EXPECT_EQ(refused({-1, 0, 1}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({1, 0, -1}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({kIntMax - 1, kIntMax}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({kIntMax, kIntMax - 1}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({0, 1, -4, -3}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({-1}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({kIntMax}), AVRM_ERR_OVERFLOW);
}

TEST_F(RankmapLpids, RefusesAStepOfMoreThan32Bits) { EXPECT_EQ(refused({kIntMin, kIntMax}), AVRM_ERR_OVERFLOW); }

// ---- mlut ----

TEST(RankmapMlut, ProcessesOfTwoGroupsAreAnMlut) {
  const Instance instance;
  EXPECT_EQ(shape_of(make_gpids(instance, kTwoGroups).get()), (Shape{AVRM_MODE_MLUT, -1, 0, 0, 0}));
}

TEST(RankmapMlut, AgreesWithTheTable) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_gpids(instance, kTwoGroups).get(), kTwoGroups));
}

TEST(RankmapMlut, RegularHalvesOfTwoGroupsAreAnMlut) {
  const Instance instance;
  const Table halves = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_TRUE(agrees(make_gpids(instance, halves).get(), halves));
}

TEST(RankmapMlut, IrregularProcessesOfOneGroupAreALut) {
  const Instance instance;
  const MapPtr map = make_gpids(instance, in_group(7, kIrregular));
  EXPECT_EQ(shape_of(map.get()), (Shape{AVRM_MODE_LUT, 7, 0, 0, 0}));
  EXPECT_TRUE(agrees(map.get(), in_group(7, kIrregular)));
}

TEST(RankmapMlut, RegularProcessesOfOneGroupAreRegular) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_gpids(instance, regular_table(7, 20, 3, 5, 2)).get(), regular_table(7, 20, 3, 5, 2)));
}

TEST(RankmapMlut, OneProcessIsRegular) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_gpids(instance, {{7, 3}}).get(), {{7, 3}}));
}

TEST(RankmapMlut, KeepsACopyOfTheTable) {
  const Instance instance;
  Table table = kTwoGroups;
  const MapPtr map = make_gpids(instance, table);
  table.assign(table.size(), {9, 9});
  EXPECT_TRUE(agrees(map.get(), kTwoGroups));
}

TEST(RankmapMlut, ThousandsOfGroupsAreToldApart) {
  const Instance instance;
  Table table;
  for (std::int32_t rank = 0; rank < 12000; ++rank) {
    table.push_back({rank * 7919 % 4001 * 500000, rank}); // 4001 pgids, spread over the whole range
  }
  const MapPtr map = make_gpids(instance, table);
  EXPECT_TRUE(agrees(map.get(), table));
  EXPECT_EQ(info_of(map.get()).process_groups, 4001);
}

TEST(RankmapMlut, AllPgidsAndLpidsAreAllowed) {
  const Instance instance;
  const Table table = {{0, kLastLpid}, {kIntMax, 0}, {kIntMax, kLastLpid}, {0, 0}};
  EXPECT_TRUE(agrees(make_gpids(instance, table).get(), table));
}

TEST(RankmapMlut, IsOneBlockOf16BytesAnd8PerRankAnd16PerGroup) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const MapPtr map = make_gpids(instance, kTwoGroups);
  EXPECT_EQ(memory.usage(AVRM_MEM_MLUT).live_bytes, 16 + 8 * kTwoGroups.size() + 16 * 2);
  EXPECT_EQ(memory.usage(AVRM_MEM_MLUT).live_blocks, 1U);
}

TEST(RankmapMlut, CreationLeavesNoScratchAndNoLut) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const MapPtr map = make_gpids(instance, kTwoGroups, AVRM_RANKMAP_UNIQUE);
  EXPECT_EQ(memory.usage(AVRM_MEM_SCRATCH).live_blocks, 0U);
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_blocks, 0U);
}

TEST(RankmapMlut, DescribeTellsGroupsAndBytes) {
  const Instance instance;
  const MapPtr map = make_gpids(instance, kTwoGroups);
  const avrm_rankmap_info_t info = info_of(map.get());
  EXPECT_EQ(info.process_groups, 2);
  EXPECT_EQ(info.own_bytes, 56U);
  EXPECT_EQ(info.table_bytes, 16 + 8 * kTwoGroups.size() + 16 * 2);
  EXPECT_EQ(info.table_sharers, 1U);
}

TEST(RankmapMlut, DestroyGivesBackTheTable) {
  CountingAllocator memory;
  const Instance instance(&memory);
  make_gpids(instance, kTwoGroups).reset();
  EXPECT_EQ(memory.usage(AVRM_MEM_MLUT).live_blocks, 0U);
}

// ---- what create_gpids refuses ----

class RankmapGpids : public testing::Test {
protected:
  Instance instance;

  avrm_status_t refused(const Table &table, unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return refused_raw(instance, static_cast<std::int32_t>(table.size()), table.data(), flags);
  }
  avrm_status_t refused_raw(avrm_instance_t *of, std::int32_t size, const avrm_gpid_t *gpids,
                            unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return refusal(instance,
                   [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_gpids(of, size, gpids, flags, map_p); });
  }
};

TEST_F(RankmapGpids, RefusesNullInstance) { EXPECT_EQ(refused_raw(nullptr, 6, kTwoGroups.data()), AVRM_ERR_NULL); }

TEST_F(RankmapGpids, RefusesNullTable) { EXPECT_EQ(refused_raw(instance, 6, nullptr), AVRM_ERR_NULL); }

TEST_F(RankmapGpids, RefusesNullOutput) {
  EXPECT_EQ(avrm_rankmap_create_gpids(instance, 6, kTwoGroups.data(), 0, nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapGpids, RefusesNegativeSize) {
  EXPECT_EQ(refused_raw(instance, -1, kTwoGroups.data()), AVRM_ERR_SIZE);
  EXPECT_EQ(refused_raw(instance, kIntMin, kTwoGroups.data()), AVRM_ERR_SIZE);
}

TEST_F(RankmapGpids, RefusesUnknownFlags) {
  for (const unsigned flags : {2U, 3U, ~1U}) {
    EXPECT_EQ(refused(kTwoGroups, flags), AVRM_ERR_OPTION) << flags;
  }
}

TEST_F(RankmapGpids, RefusesAnLpidOutOfRangeAtEveryPlace) {
  for (std::size_t place = 0; place < kTwoGroups.size(); ++place) {
    for (const std::int32_t bad : {-1, kIntMin, kIntMax}) {
      Table table = kTwoGroups;
      table[place].lpid = bad;
      EXPECT_EQ(refused(table), AVRM_ERR_OVERFLOW) << "lpid " << bad << " at " << place;
    }
  }
}

TEST_F(RankmapGpids, RefusesANegativePgidAtEveryPlace) {
  for (std::size_t place = 0; place < kTwoGroups.size(); ++place) {
    for (const std::int32_t bad : {-1, -2, kIntMin}) {
      Table table = kTwoGroups;
      table[place].pgid = bad;
      EXPECT_EQ(refused(table), AVRM_ERR_PGID_UNKNOWN) << "pgid " << bad << " at " << place;
    }
  }
}

TEST_F(RankmapGpids, RefusesRegularProcessesOutOfRange) {
  EXPECT_EQ(refused({{0, 1}, {0, 0}, {0, -1}}), AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refused({{-1, 0}, {-1, 1}}), AVRM_ERR_PGID_UNKNOWN);
}

} // namespace
} // namespace avrankmap::test
