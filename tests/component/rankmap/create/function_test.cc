// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps from a function, and from 64-bit lpids: each is the map that an array of the same processes
// makes.
#include <numeric>

#include "avrankmap/convert.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/component/rankmap/random_world.h"

namespace avrankmap::test {
namespace {

// A table that is asked as a function.
struct Asked {
  const Table *table;
  std::int32_t calls = 0;
};

avrm_gpid_t process_of(void *context, std::int32_t rank) {
  auto *const asked = static_cast<Asked *>(context);
  EXPECT_EQ(rank, asked->calls) << "called out of order, or twice";
  ++asked->calls;
  return asked->table->at(static_cast<std::size_t>(rank));
}

avrm_status_t create(avrm_instance_t *instance, const Table &table, unsigned flags, avrm_rankmap_t *map) {
  Asked asked{&table};
  const auto size = static_cast<std::int32_t>(table.size());
  const avrm_status_t status = avrm_rankmap_create_function(instance, size, process_of, &asked, flags, map);
  EXPECT_TRUE(status != AVRM_OK || asked.calls == size);
  return status;
}

MapPtr make_function(avrm_instance_t *instance, const Table &table) {
  return make_map([&](avrm_rankmap_t *map) { return create(instance, table, AVRM_RANKMAP_DEFAULT, map); });
}

// Both maps have the same form and, if it has a table and the instance interns, the same table.
void expect_same(const MapPtr &map, const MapPtr &other) {
  const avrm_rankmap_info_t one = info_of(map.get());
  const avrm_rankmap_info_t two = info_of(other.get());
  EXPECT_EQ(shape_of(map.get()), shape_of(other.get()));
  EXPECT_EQ(one.segments, two.segments);
  EXPECT_EQ(one.dimensions, two.dimensions);
  EXPECT_TRUE(std::equal(one.extents, one.extents + 8, two.extents));
  EXPECT_TRUE(std::equal(one.strides, one.strides + 8, two.strides));
  EXPECT_EQ(one.table_bytes, two.table_bytes);
  const bool shares = one.mode != AVRM_MODE_CART && !avrm_instance_is_strict(map->instance);
  EXPECT_EQ(one.table_sharers, one.table_bytes == 0 ? 0U : shares ? 2U : 1U);
}

void expect_twin(avrm_instance_t *instance, const Table &table) {
  const MapPtr map = make_function(instance, table);
  EXPECT_TRUE(agrees(map.get(), table));
  expect_same(map, make_gpids(instance, table));
}

using RankmapFunction = RankmapOfEachKind;

INSTANTIATE_TEST_SUITE_P(All, RankmapFunction, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapFunction, OfAMapMakesTheSameMapAgain) {
  const Instance instance(false, GetParam().cost);
  expect_twin(instance, table_of(map.get()));
}

struct Setting {
  const char *name;
  bool strict;
  avrm_cost_t cost;
};

void PrintTo(const Setting &setting, std::ostream *out) { *out << setting.name; }

class RankmapFunctionTwin : public testing::TestWithParam<Setting> {
protected:
  Instance instance{GetParam().strict, GetParam().cost};
};

INSTANTIATE_TEST_SUITE_P(All, RankmapFunctionTwin,
                         testing::Values(Setting{"Strict", true, AVRM_COST_BALANCED},
                                         Setting{"Balanced", false, AVRM_COST_BALANCED},
                                         Setting{"Bytes", false, AVRM_COST_BYTES},
                                         Setting{"Speed", false, AVRM_COST_SPEED}),
                         [](const auto &param) { return std::string(param.param.name); });

TEST_P(RankmapFunctionTwin, RandomProcessesMakeTheMapOfTheirArray) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  for (int round = 0; round < 300; ++round) {
    Table table = in_group(input.below(3), input.ranks(5000, 3000));
    for (std::int32_t more = input.below(4); more > 0; --more) {
      const Table next = in_group(input.below(3), input.ranks(5000, 3000));
      table.insert(table.end(), next.begin(), next.end());
    }
    expect_twin(instance, table);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

// Up to nine dimensions, whole or cut off anywhere, with a fault at any rank.
TEST_P(RankmapFunctionTwin, GridsWithAFaultMakeTheMapOfTheirArray) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 600; ++round) {
    Ranks lpids = {static_cast<std::int32_t>(below(engine, 1000))};
    for (std::uint64_t dimensions = below(engine, 10); dimensions > 0; --dimensions) {
      const std::uint64_t extent = 2 + below(engine, dimensions > 6 ? 2 : 4);
      const auto stride = static_cast<std::int32_t>(below(engine, 60));
      const Ranks slice = lpids;
      for (std::uint64_t i = 1; i < extent && lpids.size() < 20000; ++i) {
        std::transform(slice.begin(), slice.end(), std::back_inserter(lpids),
                       [&](std::int32_t lpid) { return lpid + static_cast<std::int32_t>(i) * stride; });
      }
    }
    lpids.resize(1 + below(engine, lpids.size()));
    Table table = in_group(1, lpids);
    switch (below(engine, 3)) {
    case 0: table[below(engine, table.size())].lpid += 1; break;
    case 1: table[below(engine, table.size())].pgid = 2; break;
    default: break;
    }
    const MapPtr map = make_function(instance, table);
    for (std::size_t rank = 0; rank < table.size(); ++rank) {
      ASSERT_EQ(avrm_rankmap_gpid(map.get(), static_cast<std::int32_t>(rank)), table[rank]) << "round " << round;
    }
    expect_same(map, make_gpids(instance, table));
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

// Runs of about the length below which they are not listed.
TEST_P(RankmapFunctionTwin, RunsOfAnyLengthMakeTheMapOfTheirArray) {
  std::mt19937_64 engine = seeded_engine();
  for (std::int32_t length = 1; length < 80; length += 3) {
    Table table;
    for (int run = 0; run < 120; ++run) {
      const auto pgid = static_cast<std::int32_t>(length % 2 == 0 ? 0 : below(engine, 2));
      const auto first = static_cast<std::int32_t>(below(engine, 100000));
      const Table next = regular_table(pgid, 1 + static_cast<std::int32_t>(below(engine, 2 * length)), first, 1);
      table.insert(table.end(), next.begin(), next.end());
    }
    expect_twin(instance, table);
    ASSERT_FALSE(HasFailure()) << "length " << length;
  }
}

TEST_P(RankmapFunctionTwin, FewRanksMakeTheMapOfTheirArray) {
  for (std::int32_t size = 1; size <= 3; ++size) {
    for (std::int32_t code = 0; code < 4 * 4 * 4; ++code) {
      const Table all = {{0, code % 4}, {code / 32, code / 4 % 4}, {0, code / 16}};
      expect_twin(instance, Table(all.begin(), all.begin() + size));
    }
  }
  ASSERT_FALSE(HasFailure());
}

TEST_P(RankmapFunctionTwin, GreatestLpidsMakeTheMapOfTheirArray) {
  expect_twin(instance, {{0, kLastLpid}});
  expect_twin(instance, {{0, 0}, {0, kLastLpid}});
  expect_twin(instance, {{0, kLastLpid}, {0, 0}, {0, kLastLpid}, {0, 0}});
  expect_twin(instance, {{kIntMax, kLastLpid}, {0, kLastLpid}});
}

class RankmapFromFunction : public testing::Test {
protected:
  avrm_status_t refused(const Table &table, unsigned flags = 0) {
    return refusal(instance, [&](avrm_rankmap_t *map) { return create(instance, table, flags, map); });
  }
  CountingAllocator memory;
  Instance instance{&memory, false, AVRM_COST_BYTES};
};

TEST_F(RankmapFromFunction, OfNoRanksIsNeverCalled) {
  const MapPtr map = make_function(instance, {});
  EXPECT_EQ(avrm_rankmap_size(map.get()), 0);
}

// Affine, then a grid, then runs, then no pattern: the function fails in each phase.
TEST_F(RankmapFromFunction, FailsAtEveryRankAndIsNotCalledAgain) {
  Table table = regular_table(0, 100, 0, 1);
  for (const Table &more : {regular_table(0, 100, 500, 1), regular_table(1, 100, 7, 3), regular_table(0, 64, 9, 0)}) {
    table.insert(table.end(), more.begin(), more.end());
  }
  for (std::int64_t rank = 0; rank < 100; ++rank) {
    table.push_back({0, static_cast<std::int32_t>(rank * rank % 101)});
  }
  ASSERT_EQ(make_function(instance, table)->size, 464);
  for (std::size_t rank = 0; rank < table.size(); ++rank) {
    for (const avrm_gpid_t bad : {avrm_gpid_t{-1, 0}, {0, -1}, {0, kIntMax}, {kIntMin, kIntMin}}) {
      Table with = table;
      with[rank] = bad;
      Asked asked{&with};
      const avrm_status_t status = refusal(instance, [&](avrm_rankmap_t *map) {
        return avrm_rankmap_create_function(instance, static_cast<std::int32_t>(with.size()), process_of, &asked, 0,
                                            map);
      });
      ASSERT_EQ(status, bad.pgid < 0 ? AVRM_ERR_PGID_UNKNOWN : AVRM_ERR_OVERFLOW) << "rank " << rank;
      ASSERT_EQ(asked.calls, static_cast<std::int32_t>(rank) + 1);
    }
  }
}

TEST_F(RankmapFromFunction, UniqueRefusesAProcessThatOccursTwice) {
  EXPECT_EQ(refused({{0, 3}, {0, 3}}, AVRM_RANKMAP_UNIQUE), AVRM_ERR_DUPLICATE);
  EXPECT_EQ(refused(regular_table(0, 1000, 0, 3, 5), AVRM_RANKMAP_UNIQUE), AVRM_ERR_DUPLICATE);
  Table table = in_group(0, scattered_lpids(600));
  EXPECT_EQ(refused(table, AVRM_RANKMAP_UNIQUE), AVRM_ERR_DUPLICATE);
  table.resize(20);
  const MapPtr map = make_map([&](avrm_rankmap_t *made) { return create(instance, table, AVRM_RANKMAP_UNIQUE, made); });
  EXPECT_TRUE(agrees(map.get(), table));
}

TEST_F(RankmapFromFunction, BadArgumentsAreRefused) {
  const Table table = {{0, 0}};
  Asked asked{&table};
  avrm_rankmap_t map{};
  EXPECT_EQ(avrm_rankmap_create_function(nullptr, 1, process_of, &asked, 0, &map), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_function(instance, 1, nullptr, &asked, 0, &map), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_function(instance, 1, process_of, &asked, 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_function(instance, -1, process_of, &asked, 0, &map), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_rankmap_create_function(instance, 1, process_of, &asked, 2, &map), AVRM_ERR_OPTION);
  EXPECT_EQ(asked.calls, 0);
}

TEST_F(RankmapFromFunction, RegularMapsTakeNoMemory) {
  const std::uint64_t calls = memory.calls();
  EXPECT_EQ(make_function(instance, regular_table(0, 100000, 5, 3))->mode, AVRM_MODE_STRIDE);
  EXPECT_EQ(make_function(instance, regular_table(0, 100001, 5, 7, 3))->mode, AVRM_MODE_BLOCKED);
  EXPECT_EQ(memory.calls(), calls);
}

TEST_F(RankmapFromFunction, GridsTakeOneBlock) {
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_function(instance, in_group(0, cart_lpids(0, {20, 30, 40})));
  EXPECT_EQ(map->mode, AVRM_MODE_CART);
  EXPECT_EQ(memory.calls(), calls + 1);
}

TEST_F(RankmapFromFunction, SegmentsTakeScratchMemoryPerSegment) {
  Table table = regular_table(0, 100000, 5, 3);
  const Table more = regular_table(1, 100000, 0, 1);
  table.insert(table.end(), more.begin(), more.end());
  EXPECT_EQ(make_function(instance, table)->mode, AVRM_MODE_SEGMENTS);
  EXPECT_LT(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 1000U);
}

TEST_F(RankmapFromFunction, ScratchMemoryIsAtMostTenBytesPerRank) {
  EXPECT_EQ(make_function(instance, in_group(0, scattered_lpids(100000)))->mode, AVRM_MODE_LUT);
  EXPECT_LE(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, 1000000U);
}

TEST_F(RankmapFromFunction, EveryRefusedAllocationIsAStatusAndLeaksNothing) {
  Table runs = regular_table(0, 500, 0, 1);
  const Table more = regular_table(1, 500, 7, 3);
  runs.insert(runs.end(), more.begin(), more.end());
  for (const Table &table :
       {in_group(0, scattered_lpids(300)), scattered_gpids(300), runs, in_group(0, cart_lpids(0, {9, 8, 7}))}) {
    avrm_rankmap_t map{};
    EXPECT_GE(refuse_each_allocation(&memory, &map,
                                     [&](avrm_rankmap_t *made) {
                                       Asked asked{&table};
                                       return avrm_rankmap_create_function(instance,
                                                                           static_cast<std::int32_t>(table.size()),
                                                                           process_of, &asked, 0, made);
                                     }),
              1);
    avrm_rankmap_destroy(&map);
  }
}

class RankmapFromLpids64 : public testing::Test {
protected:
  static avrm_status_t create(avrm_instance_t *instance, const std::vector<std::uint64_t> &lpids, unsigned flags,
                              avrm_rankmap_t *map) {
    return avrm_rankmap_create_lpids64(instance, 3, static_cast<std::int32_t>(lpids.size()), lpids.data(), flags, map);
  }
  avrm_status_t refused(const std::vector<std::uint64_t> &lpids, unsigned flags = 0) {
    return refusal(instance, [&](avrm_rankmap_t *map) { return create(instance, lpids, flags, map); });
  }
  Instance instance{false, AVRM_COST_BYTES};
};

TEST_F(RankmapFromLpids64, IsTheMapOfTheSameLpids) {
  for (const Ranks &lpids : {regular_values(1000, 5, 3), regular_values(1000, 5, 7, 3), cart_lpids(0, {4, 5, 6}),
                             scattered_lpids(300), Ranks{kLastLpid}, Ranks{kLastLpid, 0, 0}, Ranks{}}) {
    const MapPtr map = make_map([&](avrm_rankmap_t *made) {
      return create(instance, std::vector<std::uint64_t>(lpids.begin(), lpids.end()), 0, made);
    });
    EXPECT_EQ(table_of(map.get()), in_group(3, lpids));
    expect_same(map, make_lpids(instance, lpids, 3));
  }
}

TEST_F(RankmapFromLpids64, LpidsAbove31BitsAreRefused) {
  for (const std::uint64_t bad : {std::uint64_t{0x7fffffff}, std::uint64_t{0x80000000}, std::uint64_t{1} << 32,
                                  std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_EQ(refused({bad}), AVRM_ERR_OVERFLOW) << bad;
    EXPECT_EQ(refused({0, 1, bad}), AVRM_ERR_OVERFLOW) << bad;
  }
}

TEST_F(RankmapFromLpids64, UniqueRefusesAProcessThatOccursTwice) {
  EXPECT_EQ(refused({5, 6, 5}, AVRM_RANKMAP_UNIQUE), AVRM_ERR_DUPLICATE);
}

TEST_F(RankmapFromLpids64, BadArgumentsAreRefused) {
  const std::uint64_t lpid = 0;
  avrm_rankmap_t map{};
  EXPECT_EQ(avrm_rankmap_create_lpids64(nullptr, 0, 1, &lpid, 0, &map), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_lpids64(instance, 0, 1, nullptr, 0, &map), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_lpids64(instance, 0, 1, &lpid, 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_create_lpids64(instance, 0, -1, &lpid, 0, &map), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_rankmap_create_lpids64(instance, 0, 1, &lpid, 2, &map), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_rankmap_create_lpids64(instance, -1, 1, &lpid, 0, &map), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_EQ(avrm_rankmap_create_lpids64(instance, -1, 0, &lpid, 0, &map), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_TRUE(is_no_map(map));
}

} // namespace
} // namespace avrankmap::test
