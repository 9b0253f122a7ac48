// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translation of ranks between maps. That between groups is the same
// (group/translate_ranks_test.cc).
#include <map>

#include "avrankmap/inverse.h"
#include "tests/component/rankmap/one_of_each.h"

namespace avrankmap::test {
namespace {

Ranks translated(const MapPtr &from, const Ranks &ranks, const MapPtr &to) {
  Ranks result(ranks.size());
  require(avrm_rankmap_translate_ranks(from.get(), ranks.size(), ranks.data(), to.get(), result.data()));
  return result;
}

// By search in the plain tables.
Ranks expected_of(const Table &from, const Ranks &ranks, const Table &to) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> first;
  for (const avrm_gpid_t &process : to) {
    first.emplace(std::pair(process.pgid, process.lpid), static_cast<std::int32_t>(&process - to.data()));
  }
  Ranks expected;
  for (const std::int32_t rank : ranks) {
    if (rank == AVRM_PROC_NULL) {
      expected.push_back(AVRM_PROC_NULL);
      continue;
    }
    const avrm_gpid_t process = from.at(static_cast<std::size_t>(rank));
    const auto found = first.find({process.pgid, process.lpid});
    expected.push_back(found == first.end() ? AVRM_UNDEFINED : found->second);
  }
  return expected;
}

class RankmapTranslateRanks : public testing::Test {
protected:
  ThreeWorlds worlds{AVRM_COST_BYTES};
  Instance &instance = worlds.instance;
  MapPtr a = make_gpids(instance, {{0, 10}, {1, 7}, {0, 12}, {0, 3}});
  MapPtr b = make_gpids(instance, {{0, 3}, {0, 10}, {1, 7}, {0, 3}});
};

TEST_F(RankmapTranslateRanks, BetweenMapsOfAllKindsIsAsTheirTablesSay) {
  std::vector<MapPtr> maps;
  for (const Kind &kind : kKinds) {
    maps.push_back(kind.make(instance));
    if (maps.size() % 2 == 0) {
      require(avrm_rankmap_bind(maps.back().get()));
    }
  }
  maps.push_back(make_direct(instance, 0));
  for (const MapPtr &from : maps) {
    const std::int32_t size = avrm_rankmap_size(from.get());
    Ranks ranks(300, AVRM_PROC_NULL);
    for (std::size_t i = 0; size != 0 && i < ranks.size(); ++i) {
      ranks[i] = i % 9 == 4 ? AVRM_PROC_NULL : static_cast<std::int32_t>(i * 7 % static_cast<std::size_t>(size));
    }
    const Table table = table_of(from.get());
    for (const MapPtr &to : maps) {
      const Ranks expected = expected_of(table, ranks, table_of(to.get()));
      ASSERT_EQ(translated(from, ranks, to), expected);
      ASSERT_EQ(translated(from, Ranks(ranks.begin(), ranks.begin() + 5), to),
                Ranks(expected.begin(), expected.begin() + 5));
    }
  }
}

TEST_F(RankmapTranslateRanks, ProcessThatOccursTwiceHasItsLowestRank) {
  EXPECT_EQ(translated(a, {3, 2, 1, 0}, b), (Ranks{0, AVRM_UNDEFINED, 2, 1}));
}

TEST_F(RankmapTranslateRanks, ProcNullStaysProcNull) {
  EXPECT_EQ(translated(a, {AVRM_PROC_NULL, 3}, b), (Ranks{AVRM_PROC_NULL, 0}));
}

TEST_F(RankmapTranslateRanks, MayBeDoneInPlace) {
  Ranks ranks = {3, AVRM_PROC_NULL, 0, 1};
  require(avrm_rankmap_translate_ranks(a.get(), ranks.size(), ranks.data(), b.get(), ranks.data()));
  EXPECT_EQ(ranks, (Ranks{0, AVRM_PROC_NULL, 1, 2}));
}

TEST_F(RankmapTranslateRanks, RankOutsideIsRefusedAndNothingIsWritten) {
  for (const std::int32_t rank : {4, -1, AVRM_UNDEFINED, kIntMax, kIntMin}) {
    const Ranks ranks = {0, rank};
    Ranks result = {77, 77};
    EXPECT_EQ(avrm_rankmap_translate_ranks(a.get(), 2, ranks.data(), b.get(), result.data()), AVRM_ERR_RANK);
    EXPECT_EQ(result, (Ranks{77, 77}));
  }
}

TEST_F(RankmapTranslateRanks, MapsOfTwoInstancesAreRefused) {
  const Instance elsewhere;
  const MapPtr other = make_direct(elsewhere, 5);
  std::int32_t rank = 0;
  EXPECT_EQ(avrm_rankmap_translate_ranks(a.get(), 1, &rank, other.get(), &rank), AVRM_ERR_INSTANCE);
}

TEST_F(RankmapTranslateRanks, NullIsRefused) {
  std::int32_t rank = 0;
  EXPECT_EQ(avrm_rankmap_translate_ranks(nullptr, 1, &rank, b.get(), &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_translate_ranks(a.get(), 1, nullptr, b.get(), &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_translate_ranks(a.get(), 1, &rank, nullptr, &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_translate_ranks(a.get(), 1, &rank, b.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_translate_ranks(a.get(), 0, nullptr, b.get(), nullptr), AVRM_OK);
}

TEST(RankmapTranslateRanksMemory, EachAllocationMayBeRefused) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const MapPtr from = make_direct(instance, 1000);
  const MapPtr to = make_lpids(instance, scattered_lpids(300));
  const Ranks ranks = regular_values(1000, 0, 1);
  for (std::uint64_t point = 0; point < 10; ++point) {
    Ranks result(1000, 77);
    memory.refuse_after(point);
    const avrm_status_t status = avrm_rankmap_translate_ranks(from.get(), 1000, ranks.data(), to.get(), result.data());
    const bool refused = memory.refused();
    memory.refuse_none();
    EXPECT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
    EXPECT_EQ(result[4], refused ? 77 : 2);
    if (!refused) {
      EXPECT_GT(point, 1U);
      break;
    }
  }
}

} // namespace
} // namespace avrankmap::test
