// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Equal tables of one instance are one table.
#include <thread>
#include <unordered_map>

#include "avrankmap/inverse.h"
#include "rankmap/create/intern.h"
#include "rankmap/create/without.h"
#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

const Ranks kLpids = {4, 0, 9, 2, 7, 7, 1};
const Table kGpids = {{0, 3}, {5, 0}, {5, 1}, {0, 9}, {5, 8}, {0, 0}};

std::uint32_t sharers_of(const MapPtr &map) { return info_of(map.get()).table_sharers; }

class Intern : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory};
  std::uint64_t blocks(avrm_mem_kind_t kind) const { return memory.usage(kind).live_blocks; }
};

TEST_F(Intern, EqualLutsAreOneTable) {
  const MapPtr a = make_lpids(instance, kLpids);
  const MapPtr b = make_lpids(instance, kLpids);
  EXPECT_EQ(sharers_of(a), 2U);
  EXPECT_EQ(blocks(AVRM_MEM_LUT), 1U);
  EXPECT_TRUE(agrees(b.get(), in_group(0, kLpids)));
}

TEST_F(Intern, EqualMlutsAreOneTable) {
  const MapPtr a = make_gpids(instance, kGpids);
  const MapPtr b = make_gpids(instance, kGpids);
  EXPECT_EQ(sharers_of(a), 2U);
  EXPECT_EQ(blocks(AVRM_MEM_MLUT), 1U);
  EXPECT_TRUE(agrees(b.get(), kGpids));
}

TEST_F(Intern, LutsOfTwoProcessGroupsAreOneTable) {
  const MapPtr a = make_lpids(instance, kLpids, 1);
  const MapPtr b = make_lpids(instance, kLpids, 2);
  EXPECT_EQ(blocks(AVRM_MEM_LUT), 1U);
  EXPECT_TRUE(agrees(a.get(), in_group(1, kLpids)));
  EXPECT_TRUE(agrees(b.get(), in_group(2, kLpids)));
}

TEST_F(Intern, MlutsOfOtherProcessGroupsAreNot) {
  Table other = kGpids;
  for (avrm_gpid_t &gpid : other) {
    gpid.pgid += 1;
  }
  const MapPtr a = make_gpids(instance, kGpids);
  const MapPtr b = make_gpids(instance, other);
  EXPECT_EQ(blocks(AVRM_MEM_MLUT), 2U);
  EXPECT_TRUE(agrees(b.get(), other));
}

TEST_F(Intern, TablesThatDifferInOneEntryAreTwo) {
  for (std::size_t i = 0; i < 100; ++i) {
    Ranks lpids;
    for (std::int32_t rank = 0; rank < 100; ++rank) {
      lpids.push_back(rank * rank % 101);
    }
    const MapPtr a = make_lpids(instance, lpids);
    lpids[i] += 1;
    const MapPtr b = make_lpids(instance, lpids);
    ASSERT_EQ(blocks(AVRM_MEM_LUT), 2U) << i;
  }
}

TEST_F(Intern, BeginningOfATableIsAnotherTable) {
  const MapPtr a = make_lpids(instance, kLpids);
  const MapPtr b = make_lpids(instance, {4, 0, 9, 2, 7, 7});
  EXPECT_EQ(blocks(AVRM_MEM_LUT), 2U);
}

TEST_F(Intern, ChildrenThatComposeToTheSameMapAreOneTable) {
  const MapPtr world = make_direct(instance, 100);
  const MapPtr even = make_stride(instance, 50, 0, 2);
  const MapPtr a = make_child(world, {4, 0, 18, 2, 6});
  const MapPtr b = make_child(even, {2, 0, 9, 1, 3});
  EXPECT_EQ(blocks(AVRM_MEM_LUT), 1U);
}

TEST_F(Intern, PartsOfEqualTablesAreParts) {
  const MapPtr a = make_lpids(instance, kLpids);
  const MapPtr b = make_lpids(instance, kLpids);
  const MapPtr part_of_a = make_child_regular(a, 4, 1, 1);
  const MapPtr part_of_b = make_child_regular(b, 4, 1, 1);
  EXPECT_EQ(blocks(AVRM_MEM_LUT), 1U);
  EXPECT_EQ(sharers_of(part_of_b), 4U);
}

// A table that others share already is not exchanged: maps of the library's own need not be known.
TEST_F(Intern, PartOfATableThatIsNotKnownIsAPart) {
  const MapPtr parent = make_lpids(instance, kLpids);
  const MapPtr known = make_lpids(instance, {4, 0, 2, 7, 7, 1});
  const MapPtr unknown = make_map([&parent](avrm_rankmap_t *map_p) {
    detail::MapOwner map;
    const std::int32_t removed = 2;
    const avrm_status_t status = detail::map_without(parent.get(), &removed, 1, &map);
    *map_p = map.release();
    return status;
  });
  const MapPtr part = make_child_regular(unknown, 4, 1, 1);
  EXPECT_TRUE(agrees(part.get(), in_group(0, {0, 2, 7, 7})));
  EXPECT_EQ(sharers_of(unknown), 2U);
}

TEST_F(Intern, TableGoesWithTheLastOfThem) {
  MapPtr a = make_lpids(instance, kLpids);
  MapPtr b = make_lpids(instance, kLpids);
  MapPtr c = make_dup(b);
  a.reset();
  b.reset();
  EXPECT_EQ(blocks(AVRM_MEM_LUT), 1U);
  EXPECT_TRUE(agrees(c.get(), in_group(0, kLpids)));
  c.reset();
  EXPECT_EQ(blocks(AVRM_MEM_LUT), 0U);
}

TEST_F(Intern, TableThatIsGoneIsNotFoundAgain) {
  make_lpids(instance, kLpids).reset();
  const MapPtr again = make_lpids(instance, kLpids);
  EXPECT_EQ(sharers_of(again), 1U);
  EXPECT_TRUE(agrees(again.get(), in_group(0, kLpids)));
}

TEST_F(Intern, InverseIsShared) {
  const MapPtr a = make_lpids(instance, kLpids);
  const MapPtr b = make_lpids(instance, kLpids);
  std::int32_t rank = -7;
  require(avrm_rankmap_rank(a.get(), {0, 7}, &rank));
  require(avrm_rankmap_rank(b.get(), {0, 7}, &rank));
  EXPECT_EQ(rank, 4);
  EXPECT_EQ(blocks(AVRM_MEM_CACHE), 1U);
}

TEST_F(Intern, InverseIsRightForEachProcessGroupThatSharesATable) {
  const MapPtr maps[] = {make_lpids(instance, kLpids, 3), make_lpids(instance, kLpids, 5)};
  for (const MapPtr &map : maps) {
    for (const std::int32_t pgid : {0, 3, 5}) {
      std::int32_t rank = -7;
      require(avrm_rankmap_rank(map.get(), {pgid, 7}, &rank));
      EXPECT_EQ(rank, pgid == map->pgid ? 4 : AVRM_UNDEFINED) << pgid << " of " << map->pgid;
    }
  }
  EXPECT_EQ(blocks(AVRM_MEM_CACHE), 1U);
}

class InternSegments : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory, false, AVRM_COST_BYTES};
  // Two stretches, the second one of `size` - 100 ranks.
  static Table stretches(std::int32_t size) {
    Table table = regular_table(0, 100, 7, 1);
    const Table second = regular_table(3, size - 100, 1000, 2);
    table.insert(table.end(), second.begin(), second.end());
    return table;
  }
  std::uint64_t blocks() const { return memory.usage(AVRM_MEM_SEGMENTS).live_blocks; }
};

TEST_F(InternSegments, EqualListsAreOneList) {
  MapPtr a = make_gpids(instance, stretches(150));
  MapPtr b = make_gpids(instance, stretches(150));
  EXPECT_EQ(blocks(), 1U);
  EXPECT_EQ(sharers_of(b), 2U);
  a.reset();
  for (std::int32_t rank = 0; rank < 150; ++rank) {
    EXPECT_EQ(avrm_rankmap_gpid(b.get(), rank), stretches(150)[static_cast<std::size_t>(rank)]);
  }
  b.reset();
  EXPECT_EQ(blocks(), 0U);
}

TEST_F(InternSegments, ListsThatDifferInLengthOnlyAreTwo) {
  const MapPtr a = make_gpids(instance, stretches(150));
  const MapPtr b = make_gpids(instance, stretches(151));
  EXPECT_EQ(blocks(), 2U);
  EXPECT_EQ(avrm_rankmap_size(b.get()), 151);
}

TEST_F(InternSegments, ListsOfOtherProcessGroupsAreTwo) {
  Table other = stretches(150);
  for (avrm_gpid_t &gpid : other) {
    gpid.pgid += gpid.pgid == 3 ? 1 : 0;
  }
  const MapPtr a = make_gpids(instance, stretches(150));
  const MapPtr b = make_gpids(instance, other);
  EXPECT_EQ(blocks(), 2U);
}

TEST_F(InternSegments, InverseOfAListGoesWithIt) {
  MapPtr map = make_gpids(instance, stretches(150));
  std::int32_t rank = -7;
  require(avrm_rankmap_rank(map.get(), {3, 1010}, &rank));
  EXPECT_EQ(rank, 105);
  EXPECT_EQ(memory.usage(AVRM_MEM_CACHE).live_blocks, 1U);
  map.reset();
  EXPECT_EQ(memory.usage(AVRM_MEM_CACHE).live_blocks, 0U);
}

TEST_F(Intern, ManyTablesAreFoundAmongOthers) {
  constexpr std::int32_t kTables = 3000;
  const auto lpids = [](std::int32_t i) { return Ranks{7, i, 3, 2 * i + 10000, 1}; };
  std::vector<MapPtr> maps;
  for (std::int32_t i = 0; i < kTables; ++i) {
    maps.push_back(make_lpids(instance, lpids(i)));
  }
  EXPECT_EQ(blocks(AVRM_MEM_LUT), static_cast<std::uint64_t>(kTables));
  std::shuffle(maps.begin(), maps.end(), seeded_engine());
  maps.resize(kTables / 2);
  EXPECT_EQ(blocks(AVRM_MEM_LUT), static_cast<std::uint64_t>(kTables / 2));
  for (std::int32_t i = 0; i < kTables; ++i) {
    maps.push_back(make_lpids(instance, lpids(i)));
  }
  EXPECT_EQ(blocks(AVRM_MEM_LUT), static_cast<std::uint64_t>(kTables));
  maps.clear();
  EXPECT_EQ(blocks(AVRM_MEM_LUT), 0U);
  EXPECT_EQ(blocks(AVRM_MEM_INSTANCE), 1U);
}

TEST(InternHash, TablesThatHappenToHaveOneHashAreTwo) {
  // Hashes have 31 bits, so among so many tables several pairs are bound to have the same.
  constexpr std::int32_t kTables = 200000;
  const Instance instance;
  std::vector<MapPtr> maps;
  for (std::int32_t i = 0; i < kTables; ++i) {
    maps.push_back(make_lpids(instance, {i, 0, 1}));
  }
  for (std::int32_t i = 2; i < kTables; ++i) {
    ASSERT_EQ(avrm_rankmap_gpid(maps[static_cast<std::size_t>(i)].get(), 0).lpid, i);
    ASSERT_EQ(sharers_of(maps[static_cast<std::size_t>(i)]), 1U);
  }
}

TEST_F(Intern, EqualTablesAreOneAlsoIfAnotherHasTheSameHash) {
  std::mt19937_64 engine = seeded_engine();
  std::unordered_map<std::uint32_t, Ranks> known; // by hash of 31 bits: two of 50000 are alike
  Ranks lpids;
  for (bool is_new = true; is_new;) {
    lpids.clear();
    for (const std::int32_t first : {500, 0, 700, 200}) { // irregular
      lpids.push_back(first + static_cast<std::int32_t>(below(engine, 100)));
    }
    const std::uint64_t hash = detail::hash_bytes(lpids.data(), lpids.size() * sizeof(std::int32_t), 0);
    const auto [place, was_new] = known.emplace(static_cast<std::uint32_t>(hash) | 1, lpids);
    is_new = was_new || place->second == lpids;
    if (!is_new) {
      const MapPtr other = make_lpids(instance, place->second);
      const MapPtr a = make_lpids(instance, lpids);
      const MapPtr b = make_lpids(instance, lpids);
      EXPECT_EQ(sharers_of(other), 1U);
      EXPECT_EQ(sharers_of(b), 2U);
      EXPECT_EQ(blocks(AVRM_MEM_LUT), 2U);
      EXPECT_TRUE(agrees(other.get(), in_group(0, place->second)));
      EXPECT_TRUE(agrees(b.get(), in_group(0, lpids)));
    }
  }
}

TEST_F(Intern, GrowthOfTheListMayBeRefused) {
  std::vector<MapPtr> maps;
  bool refused = false;
  for (std::int32_t i = 0; i < 100; ++i) {
    const Ranks lpids = {7, i, 3, 2 * i + 10000, 1};
    avrm_rankmap_t map{};
    refused |= refuse_each_allocation(&memory, &map, [&](avrm_rankmap_t *map_p) {
                 return avrm_rankmap_create_lpids(instance, 0, 5, lpids.data(), 0, map_p);
               }) == 2;
    maps.emplace_back(new avrm_rankmap_t(map));
  }
  EXPECT_TRUE(refused);
}

TEST(InternOption, TurnedOffEachMapHasATableOfItsOwn) {
  avrm_instance_options_t options{};
  options.no_interning = true;
  avrm_instance_t *instance = nullptr;
  require(avrm_instance_create(&options, &instance));
  {
    const MapPtr a = make_lpids(instance, kLpids);
    const MapPtr b = make_lpids(instance, kLpids);
    EXPECT_EQ(sharers_of(a), 1U);
    EXPECT_EQ(sharers_of(b), 1U);
  }
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
}

TEST(InternOption, StrictInstanceDoesNotIntern) {
  const Instance instance(true);
  const MapPtr a = make_lpids(instance, kLpids);
  const MapPtr b = make_lpids(instance, kLpids);
  EXPECT_EQ(sharers_of(b), 1U);
}

TEST_F(Intern, MapsMayComeAndGoInManyThreads) {
  constexpr std::int32_t kTables = 5;
  constexpr std::int32_t kThreads = 4;
  std::vector<MapPtr> kept(kThreads * kTables);
  std::vector<std::thread> threads;
  for (std::int32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int32_t i = 0; i < 2000; ++i) {
        const std::int32_t table = i % kTables;
        const std::int32_t lpids[] = {7, table, 3, 2 * table + 100, 1};
        avrm_rankmap_t map{};
        if (avrm_rankmap_create_lpids(instance, 0, 5, lpids, 0, &map) == AVRM_OK &&
            avrm_rankmap_gpid(&map, 3).lpid == 2 * table + 100) {
          kept[static_cast<std::size_t>(thread * kTables + table)].reset(new avrm_rankmap_t(map));
        }
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(blocks(AVRM_MEM_LUT), static_cast<std::uint64_t>(kTables));
  for (const MapPtr &map : kept) {
    ASSERT_NE(map, nullptr);
    EXPECT_EQ(sharers_of(map), static_cast<std::uint32_t>(kThreads));
  }
}

} // namespace
} // namespace avrankmap::test
