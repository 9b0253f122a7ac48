// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// A hundred generations: each rankmap maps to processes, not to its parent, so neither its bytes
// nor the case of the hot path that it takes depend on its ancestry, and its ancestors may be gone.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

constexpr int kGenerations = 100;

class RankmapDepth : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory};
  std::mt19937_64 engine = seeded_engine();

  Ranks shuffled_ranks(std::int32_t size) {
    Ranks ranks = regular_values(size, 0, 1);
    std::shuffle(ranks.begin(), ranks.end(), engine);
    return ranks;
  }
  [[nodiscard]] std::uint64_t tables() const {
    return memory.usage(AVRM_MEM_LUT).live_blocks + memory.usage(AVRM_MEM_MLUT).live_blocks;
  }
  // That descendants of an irregular map take the bytes and the case that it takes.
  void expect_same_descendant(Table table) {
    MapPtr map = make_gpids(instance, table);
    const std::uint64_t live_bytes = memory.live_bytes();
    const std::uint8_t klass = map->klass;
    for (int generation = 0; generation < kGenerations; ++generation) {
      const Ranks ranks = shuffled_ranks(static_cast<std::int32_t>(table.size()));
      map = make_child(map, ranks);
      table = child_table(table, ranks);
    }
    EXPECT_TRUE(agrees(map.get(), table));
    EXPECT_EQ(memory.live_bytes(), live_bytes);
    EXPECT_EQ(map->klass, klass);
  }
};

TEST_F(RankmapDepth, IrregularDescendantIsAsItsFirstAncestor) {
  expect_same_descendant(in_group(0, shuffled_ranks(200)));
}

TEST_F(RankmapDepth, DescendantInSeveralGroupsIsAsItsFirstAncestor) {
  Table table;
  for (std::int32_t rank = 0; rank < 200; ++rank) {
    table.push_back({rank % 3, rank * rank % 1009});
  }
  expect_same_descendant(std::move(table));
}

TEST_F(RankmapDepth, RegularDescendantIsOneRankmap) {
  Table table = regular_table(0, 1000, 5, 3);
  MapPtr map = make_stride(instance, 1000, 5, 3);
  for (int generation = 0; generation < kGenerations; ++generation) {
    const std::int32_t size = avrm_rankmap_size(map.get());
    const Ranks ranks = generation % 2 == 0 ? regular_values(size, size - 1, -1) : regular_values(size - 5, 3, 1);
    map = make_child(map, ranks);
    table = child_table(table, ranks);
  }
  EXPECT_TRUE(agrees(map.get(), table));
  EXPECT_EQ(map->klass, AVRM_CLASS_AFFINE);
  EXPECT_EQ(tables(), 0U);
}

TEST_F(RankmapDepth, GenerationsThatAllLiveHaveOneTableEach) {
  std::vector<MapPtr> maps;
  maps.push_back(make_lpids(instance, shuffled_ranks(200)));
  for (int generation = 1; generation < kGenerations; ++generation) {
    maps.push_back(make_child(maps.back(), shuffled_ranks(200)));
    EXPECT_EQ(info_of(maps.back().get()).table_bytes, 16 + 4 * 200U);
  }
  EXPECT_EQ(tables(), static_cast<std::uint64_t>(kGenerations));
}

TEST_F(RankmapDepth, GenerationsOfDuplicatesHaveOneTableTogether) {
  std::vector<MapPtr> maps;
  maps.push_back(make_lpids(instance, shuffled_ranks(200)));
  for (int generation = 1; generation < kGenerations; ++generation) {
    maps.push_back(make_dup(maps.back()));
  }
  EXPECT_EQ(tables(), 1U);
  EXPECT_EQ(info_of(maps.back().get()).table_sharers, static_cast<std::uint32_t>(kGenerations));
}

TEST_F(RankmapDepth, StrictDescendantIsTheSame) {
  const Instance strict(&memory, true);
  Table table = regular_table(0, 1000, 5, 3);
  MapPtr map = make_stride(strict, 1000, 5, 3);
  for (int generation = 0; generation < kGenerations; ++generation) {
    const std::int32_t size = avrm_rankmap_size(map.get());
    const Ranks ranks = generation % 2 == 0 ? regular_values(size, size - 1, -1) : regular_values(size - 5, 3, 1);
    map = make_child(map, ranks);
    table = child_table(table, ranks);
  }
  EXPECT_TRUE(agrees(map.get(), table));
  EXPECT_EQ(map->klass, AVRM_CLASS_AFFINE);
  EXPECT_EQ(tables(), 0U);
}

} // namespace
} // namespace avrankmap::test
