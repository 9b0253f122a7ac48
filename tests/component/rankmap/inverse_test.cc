// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a rankmap against a search through its plain table.
#include "avrankmap/inverse.h"

#include <atomic>
#include <thread>

#include "tests/component/rankmap/one_of_each.h"
#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

std::int32_t rank_of(const MapPtr &map, avrm_gpid_t process) {
  std::int32_t rank = -7;
  require(avrm_rankmap_rank(map.get(), process, &rank));
  return rank;
}

// The map gives the lowest rank for each lpid of -2 .. most in each of its process groups and one
// more.
testing::AssertionResult inverts(const MapPtr &map, std::int32_t most) {
  for (std::int32_t pgid = 0; pgid < 4; ++pgid) {
    std::vector<std::int32_t> expected(static_cast<std::size_t>(most) + 3, AVRM_UNDEFINED);
    for (std::int32_t rank = avrm_rankmap_size(map.get()) - 1; rank >= 0; --rank) {
      const avrm_gpid_t gpid = avrm_rankmap_gpid(map.get(), rank);
      if (gpid.pgid == pgid) {
        expected.at(static_cast<std::size_t>(gpid.lpid) + 2) = rank;
      }
    }
    for (std::int32_t lpid = -2; lpid <= most; ++lpid) {
      const std::int32_t rank = rank_of(map, {pgid, lpid});
      if (rank != expected[static_cast<std::size_t>(lpid) + 2]) {
        return testing::AssertionFailure() << pgid << ':' << lpid << " is rank " << rank << ", expected "
                                           << expected[static_cast<std::size_t>(lpid) + 2];
      }
    }
  }
  return testing::AssertionSuccess();
}

class InverseOfEachKind : public RankmapOfEachKind {};
TEST_P(InverseOfEachKind, GivesTheLowestRank) { EXPECT_TRUE(inverts(map, 1000)); }
TEST_P(InverseOfEachKind, IsDescribedByTheBytesThatTheInstanceCounts) {
  const auto counted = [this] { return worlds.instance.usage(AVRM_MEM_CACHE).live_bytes; };
  EXPECT_EQ(info_of(map.get()).inverse_bytes, 0U);
  EXPECT_EQ(counted(), 0U) << "describing built an inverse";
  rank_of(map, table.front());
  EXPECT_EQ(info_of(map.get()).inverse_bytes, counted());
  const bool by_arithmetic = info_of(map.get()).table_entries == 0 && info_of(map.get()).segments == 0;
  EXPECT_EQ(counted() == 0, by_arithmetic);
  require(avrm_instance_drop_caches(worlds.instance));
  EXPECT_EQ(info_of(map.get()).inverse_bytes, 0U);
}
INSTANTIATE_TEST_SUITE_P(Kinds, InverseOfEachKind, testing::ValuesIn(kKinds), kind_name);

class Inverse : public testing::Test {
protected:
  Instance instance;
  std::uint64_t cache() const { return instance.usage(AVRM_MEM_CACHE).live_bytes; }
  MapPtr permutation(std::int32_t size) {
    Ranks lpids = regular_values(size, 0, 1);
    std::mt19937_64 engine = seeded_engine();
    std::shuffle(lpids.begin(), lpids.end(), engine);
    return make_lpids(instance, lpids);
  }
};

TEST_F(Inverse, OfEverySmallBlockedMapIsRight) {
  for (const std::int32_t stride : {-9, -5, -4, -3, -2, -1, 1, 2, 3, 5, 9}) {
    for (std::int32_t block = 1; block <= 6; ++block) {
      for (std::int32_t size = 1; size <= 20; ++size) {
        const MapPtr map = make_blocked(instance, size, 200, stride, block);
        ASSERT_TRUE(inverts(map, 400)) << "size " << size << " stride " << stride << " block " << block;
      }
    }
  }
}

TEST_F(Inverse, OfTheGreatestMapsIsRight) {
  EXPECT_EQ(rank_of(make_direct(instance, kMaxSize), {0, kLastLpid}), kMaxSize - 1);
  EXPECT_EQ(rank_of(make_stride(instance, kMaxSize, kLastLpid, -1), {0, 0}), kMaxSize - 1);
  EXPECT_EQ(rank_of(make_blocked(instance, kMaxSize / 2, 0, 4, 2), {0, kLastLpid - 1}), AVRM_UNDEFINED);
  EXPECT_EQ(rank_of(make_blocked(instance, kMaxSize / 2, 0, 4, 2), {0, 2000000001}), 1000000001);
}

TEST_F(Inverse, OfARegularMapTakesNoMemory) {
  EXPECT_EQ(rank_of(make_blocked(instance, 100, 0, 20, 10), {0, 25}), 15);
  EXPECT_EQ(instance.usage(AVRM_MEM_CACHE).peak_bytes, 0U);
}

TEST_F(Inverse, OfADenseTableTakesAsManyBitsAsARankNeeds) {
  const MapPtr map = permutation(100000);
  EXPECT_TRUE(inverts(map, 100010));
  EXPECT_LE(cache(), 100000 * 17 / 8 + 100U);
}

TEST_F(Inverse, OfAThinTableTakesFourBytesPerRank) {
  const Ranks lpids = {2000000000, 5, 1000000000, 7, 1999999999, kLastLpid};
  const MapPtr map = make_lpids(instance, lpids);
  for (std::size_t rank = 0; rank < lpids.size(); ++rank) {
    EXPECT_EQ(rank_of(map, {0, lpids[rank]}), static_cast<std::int32_t>(rank));
    EXPECT_EQ(rank_of(map, {0, lpids[rank] - 1}), lpids[rank] == 2000000000 ? 4 : AVRM_UNDEFINED);
  }
  EXPECT_LE(cache(), 4 * lpids.size() + 100U);
}

TEST_F(Inverse, OfATableWithProcessesTwiceGivesTheLowestRank) {
  EXPECT_TRUE(inverts(make_lpids(instance, {5, 9, 5, 2, 9, 9, 3}), 12));
}

TEST_F(Inverse, OfAPartOfATableWithProcessesTwiceLooksAtThePartOnly) {
  const MapPtr map = make_lpids(instance, {5, 9, 3, 5, 2, 9, 9, 3, 5, 1});
  const MapPtr part = make_child_regular(map, 5, 3, 1);
  ASSERT_EQ(info_of(part.get()).table_sharers, 2U);
  EXPECT_TRUE(inverts(part, 12));
  EXPECT_TRUE(inverts(map, 12));
}

TEST_F(Inverse, OfManyProcessGroupsIsRight) {
  Table table;
  for (std::int32_t i = 0; i < 3000; ++i) {
    table.push_back({i * 7 % 101 + 5, i * 13 % 1009});
  }
  const MapPtr map = make_gpids(instance, table);
  for (std::int32_t rank = 0; rank < 3000; ++rank) {
    const auto first = std::find(table.begin(), table.end(), table[static_cast<std::size_t>(rank)]) - table.begin();
    ASSERT_EQ(rank_of(map, table[static_cast<std::size_t>(rank)]), static_cast<std::int32_t>(first));
  }
  EXPECT_EQ(rank_of(map, {4, 0}), AVRM_UNDEFINED);
  EXPECT_EQ(rank_of(map, {106, 0}), AVRM_UNDEFINED);
}

TEST_F(Inverse, IsBuiltOnFirstUseOnly) {
  const MapPtr map = permutation(1000);
  EXPECT_EQ(cache(), 0U);
  rank_of(map, {0, 5});
  EXPECT_EQ(instance.usage(AVRM_MEM_CACHE).live_blocks, 1U);
  rank_of(map, {0, 6});
  EXPECT_EQ(instance.usage(AVRM_MEM_CACHE).live_blocks, 1U);
}

TEST_F(Inverse, IsSharedByThoseWhoShareTheTable) {
  const MapPtr map = permutation(1000);
  const MapPtr part = make_child_regular(map, 500, 300, 1);
  rank_of(map, {0, 5});
  rank_of(part, {0, 5});
  EXPECT_EQ(instance.usage(AVRM_MEM_CACHE).live_blocks, 1U);
}

TEST_F(Inverse, GoesWithTheTable) {
  MapPtr map = permutation(1000);
  MapPtr copy = make_dup(map);
  rank_of(map, {0, 5});
  map.reset();
  EXPECT_NE(cache(), 0U);
  copy.reset();
  EXPECT_EQ(cache(), 0U);
}

TEST_F(Inverse, IsDroppedOnRequestAndBuiltAgain) {
  const MapPtr map = permutation(1000);
  const std::int32_t rank = rank_of(map, {0, 5});
  EXPECT_EQ(avrm_instance_drop_caches(instance), AVRM_OK);
  EXPECT_EQ(cache(), 0U);
  EXPECT_EQ(rank_of(map, {0, 5}), rank);
  EXPECT_NE(cache(), 0U);
}

TEST_F(Inverse, OfManyTablesAtOnceIsRight) {
  std::vector<MapPtr> maps;
  for (std::int32_t i = 0; i < 200; ++i) {
    maps.push_back(make_lpids(instance, {3, i + 10, 1, 2 * i + 400}));
    ASSERT_EQ(rank_of(maps.back(), {0, i + 10}), 1);
  }
  for (std::int32_t i = 0; i < 200; i += 2) {
    maps[static_cast<std::size_t>(i)].reset();
  }
  EXPECT_EQ(instance.usage(AVRM_MEM_CACHE).live_blocks, 100U);
  for (std::int32_t i = 1; i < 200; i += 2) {
    ASSERT_EQ(rank_of(maps[static_cast<std::size_t>(i)], {0, 2 * i + 400}), 3);
  }
  maps.clear();
  EXPECT_EQ(cache(), 0U);
}

TEST_F(Inverse, InBulkIsTheSame) {
  const MapPtr map = permutation(1000);
  Table processes;
  for (std::int32_t lpid = -5; lpid < 1005; ++lpid) {
    processes.push_back({lpid % 3 == 0 ? 1 : 0, lpid});
  }
  Ranks ranks(processes.size());
  require(avrm_rankmap_ranks(map.get(), processes.size(), processes.data(), ranks.data()));
  for (std::size_t i = 0; i < processes.size(); ++i) {
    EXPECT_EQ(ranks[i], rank_of(map, processes[i]));
  }
}

TEST_F(Inverse, NullIsRefused) {
  const MapPtr map = permutation(10);
  const avrm_gpid_t process{0, 1};
  std::int32_t rank = 0;
  EXPECT_EQ(avrm_rankmap_rank(nullptr, process, &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_rank(map.get(), process, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_ranks(map.get(), 1, nullptr, &rank), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_ranks(map.get(), 0, nullptr, nullptr), AVRM_OK);
  EXPECT_EQ(avrm_instance_drop_caches(nullptr), AVRM_ERR_NULL);
}

TEST(InverseMemory, EachAllocationMayBeRefused) {
  CountingAllocator memory;
  const Instance instance(&memory);
  Table table;
  for (std::int32_t i = 0; i < 100; ++i) {
    table.push_back({i % 20, i * 50000});
  }
  for (const MapPtr &map :
       {make_lpids(instance, {5, 3, 9, 0, 4}), make_lpids(instance, {5, 3, 5, 0, 4}), make_gpids(instance, table)}) {
    for (std::uint64_t point = 0;; ++point) {
      require(avrm_instance_drop_caches(instance));
      const std::uint64_t live_bytes = memory.live_bytes();
      std::int32_t rank = -7;
      memory.refuse_after(point);
      const avrm_status_t status = avrm_rankmap_rank(map.get(), {0, 0}, &rank);
      const bool refused = memory.refused();
      memory.refuse_none();
      if (!refused) {
        EXPECT_EQ(status, AVRM_OK);
        EXPECT_GE(point, 3U);
        break;
      }
      ASSERT_EQ(status, AVRM_ERR_NO_MEMORY);
      EXPECT_EQ(rank, -7);
      EXPECT_EQ(memory.live_bytes(), live_bytes);
    }
  }
}

// All lpids at once against one by one, which another algorithm does.
testing::AssertionResult finds_all_at_once(const MapPtr &map, const std::vector<avrm_gpid_t> &processes) {
  Ranks ranks(processes.size(), -7);
  require(avrm_rankmap_ranks(map.get(), processes.size(), processes.data(), ranks.data()));
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (ranks[i] != rank_of(map, processes[i])) {
      return testing::AssertionFailure() << processes[i].pgid << ':' << processes[i].lpid << " is rank " << ranks[i];
    }
  }
  return testing::AssertionSuccess();
}

TEST_F(Inverse, RegularMapsFindManyAtOnceAsOneByOne) {
  std::mt19937_64 engine = seeded_engine();
  std::vector<avrm_gpid_t> processes;
  for (std::int64_t lpid = -40; lpid < 2000; ++lpid) {
    processes.push_back({lpid % 7 == 0 ? 1 : 0, static_cast<std::int32_t>(lpid)});
    processes.push_back({0, static_cast<std::int32_t>(kIntMax - lpid % 1000 - 40)});
    processes.push_back({0, static_cast<std::int32_t>(engine())});
  }
  processes.push_back({0, kIntMin});
  for (const std::int32_t stride : {1, -1, 2, -2, 3, 8, -12, 77, 1024, 4096, 65535, 1 << 20, (1 << 30) - 1, 1 << 30}) {
    const std::int32_t size = std::min((kIntMax - 1) / std::abs(stride), 700);
    const std::int32_t reach = (size - 1) * std::abs(stride);
    for (const std::int32_t offset : {0, 5, 1000, kIntMax - 1 - reach}) {
      const std::int32_t least = std::min(offset, kIntMax - 1 - reach);
      const MapPtr map = make_stride(instance, size, stride < 0 ? least + reach : least, stride);
      EXPECT_TRUE(finds_all_at_once(map, processes)) << stride << " from " << offset;
    }
  }
}

TEST_F(Inverse, BlockedMapsFindManyAtOnceAsOneByOne) {
  std::vector<avrm_gpid_t> processes;
  for (std::int64_t lpid = -40; lpid < 6000; ++lpid) {
    processes.push_back({0, static_cast<std::int32_t>(lpid)});
    processes.push_back({0, static_cast<std::int32_t>(kIntMax - lpid)});
  }
  processes.push_back({0, kIntMin});
  // With some of these strides processes occur twice.
  for (const std::int32_t stride : {1, 2, 10, -10, 11, -100, 1024}) {
    for (const std::int32_t block : {2, 3, 7, 64}) {
      const std::int32_t last = (99 / block) * std::abs(stride);
      EXPECT_TRUE(finds_all_at_once(make_blocked(instance, 100, stride < 0 ? last : 0, stride, block), processes))
          << stride << ' ' << block;
    }
  }
  EXPECT_TRUE(finds_all_at_once(make_blocked(instance, 4, 0, kIntMax - 3, 2), processes));
}

TEST_F(Inverse, IsSafeToAskDescribeDropAndForgetFromManyThreads) {
  const MapPtr map = permutation(2000);
  rank_of(map, {0, 0});
  const std::uint64_t bytes = cache();
  std::atomic<bool> wrong{false};
  std::vector<std::thread> threads;
  for (std::int32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int32_t i = 0; i < 300; ++i) {
        const std::int32_t rank = (i * 7 + thread) % 2000;
        std::int32_t found = -7;
        if (avrm_rankmap_rank(map.get(), avrm_rankmap_gpid(map.get(), rank), &found) != AVRM_OK || found != rank) {
          wrong = true;
        }
        if (i % 50 == thread) {
          avrm_instance_drop_caches(instance);
        }
        avrm_rankmap_info_t info{};
        if (avrm_rankmap_describe(map.get(), &info) != AVRM_OK ||
            (info.inverse_bytes != 0 && info.inverse_bytes != bytes)) {
          wrong = true;
        }
        avrm_rankmap_t own{}; // a table that comes and goes, with an inverse
        const std::int32_t lpids[] = {9, i, 1000 + thread, 3000};
        if (avrm_rankmap_create_lpids(instance, 0, 4, lpids, 0, &own) != AVRM_OK ||
            avrm_rankmap_rank(&own, {0, 1000 + thread}, &found) != AVRM_OK || found != 2) {
          wrong = true;
        }
        avrm_rankmap_destroy(&own);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(wrong);
}

} // namespace
} // namespace avrankmap::test
