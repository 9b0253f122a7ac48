// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps of every kind bound to implicit address vectors, against what a plain table holds.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/component/av/layouts.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

// Process groups 0, 1 and 2 of 1000 connected processes each, all implicit but for those in
// `tables`.
class ImplicitWorlds {
public:
  explicit ImplicitWorlds(avrm_cost_t cost, unsigned tables = 0, bool connected = true) : instance(false, cost) {
    for (unsigned pgid = 0; pgid < 3; ++pgid) {
      avs[pgid] = (tables >> pgid & 1) != 0 ? make_av(instance, 1000) : make_implicit_av(instance, 1000);
      if (connected) {
        fill(avs[pgid].get());
      }
    }
  }

  Instance instance;
  AvPtr avs[3];
};

// An element that differs from what `fill` puts there, and is in no pattern.
avrm_ave_t odd_one() { return at_address(0x123456789abc, 0xfedc); }

class RankmapImplicit : public testing::TestWithParam<Kind> {
protected:
  void use(unsigned tables = 0) {
    worlds = std::make_unique<ImplicitWorlds>(GetParam().cost, tables);
    map = GetParam().make(worlds->instance);
    for (std::int32_t rank = 0; rank < avrm_rankmap_size(map.get()); ++rank) {
      table.push_back(avrm_rankmap_gpid(map.get(), rank));
    }
  }
  void TearDown() override { map.reset(); }

  // The last rank's element is the odd one.
  void break_pattern() {
    const avrm_ave_t odd = odd_one();
    require(avrm_av_set(worlds->avs[table.back().pgid].get(), table.back().lpid, &odd));
    broken = table.back();
  }

  [[nodiscard]] avrm_ave_t expected(std::size_t rank) const {
    return table[rank] == broken ? odd_one() : ave_of(table[rank]);
  }

  void expect_right() const {
    Ranks ranks;
    std::vector<std::uint64_t> words(table.size());
    Table gpids(table.size());
    for (std::size_t r = 0; r < table.size(); ++r) {
      const auto rank = static_cast<std::int32_t>(r);
      const avrm_ave_t ave = expected(r);
      ranks.push_back(rank);
      ASSERT_EQ(avrm_rankmap_word(map.get(), rank), avrm_ave_word(&ave)) << "rank " << rank;
      ASSERT_EQ(avrm_rankmap_node(map.get(), rank), ave.w[2]) << "rank " << rank;
      ASSERT_EQ(avrm_rankmap_gpid(map.get(), rank), table[r]) << "rank " << rank;
      std::uint64_t word = 0;
      ASSERT_EQ(avrm_rankmap_word_checked(map.get(), rank, &word), AVRM_OK);
      ASSERT_EQ(word, avrm_ave_word(&ave)) << "rank " << rank;
      const avrm_ave_t *const place = avrm_rankmap_ave(map.get(), rank);
      const avrm_ave_t *checked = nullptr;
      ASSERT_EQ(avrm_rankmap_ave_checked(map.get(), rank, &checked), place != nullptr ? AVRM_OK : AVRM_ERR_UNSUPPORTED);
      ASSERT_EQ(checked, place);
      if (place != nullptr) {
        ASSERT_EQ(place, worlds->avs[table[r].pgid]->elements + table[r].lpid) << "rank " << rank;
      }
    }
    ASSERT_EQ(avrm_rankmap_words(map.get(), ranks.size(), ranks.data(), words.data()), AVRM_OK);
    ASSERT_EQ(avrm_rankmap_gpids(map.get(), ranks.size(), ranks.data(), gpids.data()), AVRM_OK);
    for (std::size_t r = 0; r < table.size(); ++r) {
      const avrm_ave_t ave = expected(r);
      ASSERT_EQ(words[r], avrm_ave_word(&ave)) << "rank " << r;
    }
    EXPECT_EQ(gpids, table);
    const char *reason = nullptr;
    EXPECT_TRUE(avrm_rankmap_validate(map.get(), &reason)) << reason;
  }

  std::unique_ptr<ImplicitWorlds> worlds;
  MapPtr map;
  Table table;
  avrm_gpid_t broken{-1, -1};
};

INSTANTIATE_TEST_SUITE_P(All, RankmapImplicit, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapImplicit, TranslatesAsWithATable) {
  use();
  require(avrm_rankmap_bind(map.get()));
  EXPECT_EQ(map->klass == AVRM_CLASS_IMPLICIT, map->mode <= AVRM_MODE_STRIDE);
  EXPECT_EQ(info_of(map.get()).folded, map->mode != AVRM_MODE_LESS);
  expect_right();
  EXPECT_EQ(avrm_rankmap_ave(map.get(), 0), nullptr);
}

TEST_P(RankmapImplicit, TranslatesAfterThePatternBroke) {
  use();
  require(avrm_rankmap_bind(map.get()));
  break_pattern();
  expect_right();
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
  require(avrm_rankmap_bind(map.get()));
  expect_right();
}

TEST_P(RankmapImplicit, GetsTheTableWhenBoundAgain) {
  use();
  require(avrm_rankmap_bind(map.get()));
  for (const AvPtr &av : worlds->avs) {
    require(avrm_av_make_table(av.get()));
  }
  expect_right();
  require(avrm_rankmap_unbind(map.get()));
  require(avrm_rankmap_bind(map.get()));
  const MapPtr fresh = GetParam().make(worlds->instance);
  EXPECT_EQ(map->klass, fresh->klass);
  EXPECT_EQ(avrm_rankmap_ave(map.get(), 0), worlds->avs[table[0].pgid]->elements + table[0].lpid);
  expect_right();
}

TEST_P(RankmapImplicit, TranslatesWhereOneOfSeveralGroupsIsImplicit) {
  for (const unsigned tables : {1U, 2U, 4U, 5U, 6U}) {
    map.reset();
    table.clear();
    broken = {-1, -1};
    use(tables);
    require(avrm_rankmap_bind(map.get()));
    expect_right();
    break_pattern();
    expect_right();
  }
}

TEST_P(RankmapImplicit, ReadsAsNotConnectedBeforeItIsSet) {
  const ImplicitWorlds fresh(GetParam().cost, 0, false);
  const MapPtr unset = GetParam().make(fresh.instance);
  require(avrm_rankmap_bind(unset.get()));
  for (std::int32_t rank = 0; rank < avrm_rankmap_size(unset.get()); ++rank) {
    ASSERT_EQ(avrm_rankmap_word(unset.get(), rank), 0U);
    ASSERT_EQ(avrm_rankmap_node(unset.get(), rank), 0U);
  }
  for (const AvPtr &av : fresh.avs) {
    fill(av.get());
  }
  for (std::int32_t rank = 0; rank < avrm_rankmap_size(unset.get()); ++rank) {
    ASSERT_EQ(avrm_rankmap_word(unset.get(), rank), word_of(avrm_rankmap_gpid(unset.get(), rank)));
  }
}

TEST_P(RankmapImplicit, HasSoundCopiesAndChildren) {
  use();
  require(avrm_rankmap_bind(map.get()));
  for (const bool after : {false, true}) {
    MapPtr copy = make_dup(map);
    MapPtr child = make_child_regular(map, avrm_rankmap_size(map.get()), 0, 1);
    for (const MapPtr *other : {&copy, &child}) {
      const char *reason = nullptr;
      EXPECT_TRUE(avrm_rankmap_validate(other->get(), &reason)) << reason;
      require(avrm_rankmap_bind(other->get()));
      for (std::size_t r = 0; r < table.size(); ++r) {
        const avrm_ave_t ave = expected(r);
        ASSERT_EQ(avrm_rankmap_word(other->get(), static_cast<std::int32_t>(r)), avrm_ave_word(&ave));
      }
    }
    if (!after) {
      break_pattern();
    }
  }
}

TEST(RankmapImplicitLayouts, TranslateAsWithATable) {
  std::mt19937_64 engine = seeded_engine();
  for (const Layout &layout : kLayouts) {
    for (const Addressing &addressing : kAddressings) {
      const Instance instance;
      const Elements elements = elements_of(layout, addressing);
      const AvPtr plain = make_av(instance, 1000);
      const AvPtr av = make_implicit_av(instance, 1000);
      set_in_order(plain, elements, 1000);
      set_in_order(av, elements, 61);
      for (int round = 0; round < 40; ++round) {
        const auto stride = static_cast<std::int32_t>(1 + below(engine, 20));
        const auto offset = static_cast<std::int32_t>(below(engine, 1000));
        const auto size =
            static_cast<std::int32_t>(1 + below(engine, static_cast<std::uint64_t>((999 - offset) / stride + 1)));
        const MapPtr maps[2] = {make_stride(instance, size, offset, stride, 0),
                                make_stride(instance, size, offset, stride, 1)};
        require(avrm_rankmap_bind(maps[0].get()));
        require(avrm_rankmap_bind(maps[1].get()));
        for (std::int32_t rank = 0; rank < size; ++rank) {
          ASSERT_EQ(avrm_rankmap_word(maps[1].get(), rank), avrm_rankmap_word(maps[0].get(), rank))
              << layout.name << addressing.name << " rank " << rank;
          ASSERT_EQ(avrm_rankmap_node(maps[1].get(), rank), avrm_rankmap_node(maps[0].get(), rank))
              << layout.name << addressing.name << " rank " << rank;
        }
      }
    }
  }
}

// All that a translation needs is in the map and the line: no instance could be found.
TEST(RankmapImplicitFolded, NeedsNothingButTheMapAndTheLine) {
  std::vector<avrm_rankmap_t> room(4); // for what follows a cart, which the compiler thinks of
  avrm_rankmap_t &copy = room[0];
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 1000);
  {
    fill(av.get());
    const MapPtr map = make_stride(instance, 100, 990, -9);
    require(avrm_rankmap_bind(map.get()));
    copy = *map;
  }
  copy.instance = nullptr;
  for (std::int32_t rank = 0; rank < 100; ++rank) {
    ASSERT_EQ(avrm_rankmap_word(&copy, rank), word_of({0, 990 - 9 * rank}));
  }
}

// The same of a lut, but for its table, which another map keeps.
TEST(RankmapImplicitFolded, LutNeedsNothingButTheMapItsTableAndTheLine) {
  std::vector<avrm_rankmap_t> room(4);
  avrm_rankmap_t &copy = room[0];
  const Instance instance;
  const std::vector<std::int32_t> lpids = scattered_lpids(500);
  const MapPtr keeper = make_lpids(instance, lpids, 0);
  const AvPtr av = make_implicit_av(instance, 1000);
  {
    fill(av.get());
    const MapPtr map = make_dup(keeper);
    require(avrm_rankmap_bind(map.get()));
    ASSERT_EQ(map->as.lut.lpids, keeper->as.lut.lpids);
    copy = *map;
  }
  copy.instance = nullptr;
  for (std::int32_t rank = 0; rank < 500; ++rank) {
    ASSERT_EQ(avrm_rankmap_word(&copy, rank), word_of({0, lpids[static_cast<std::size_t>(rank)]}));
  }
}

// Lpids 0 to 599 are one run of addresses, 600 to 999 others, which are the exceptions.
TEST(RankmapImplicitFolded, LutInSeveralRunsIsRight) {
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 1000);
  Elements elements;
  for (std::int32_t lpid = 0; lpid < 1000; ++lpid) {
    elements.push_back(at_address(lpid < 600 ? 7 + 3 * number(lpid) : 90000 - number(lpid), 1));
  }
  set_in_order(av, elements, 100);
  const Ranks cases[] = {{3, 599, 17, 0, 1}, {3, 600, 17, 0, 1}, {603, 601, 777, 999, 998}, {0, 0, 0}};
  for (const Ranks &lpids : cases) {
    const MapPtr map = make_lpids(instance, lpids, 0);
    ASSERT_EQ(map->mode, AVRM_MODE_LUT);
    require(avrm_rankmap_bind(map.get()));
    EXPECT_EQ(map->klass, AVRM_CLASS_IMPLICIT_LUT);
    for (std::size_t r = 0; r < lpids.size(); ++r) {
      const avrm_ave_t &ave = elements[static_cast<std::size_t>(lpids[r])];
      ASSERT_EQ(avrm_rankmap_word(map.get(), static_cast<std::int32_t>(r)), avrm_ave_word(&ave));
    }
  }
}

TEST(RankmapImplicitMany, AreRightWhenTheTableIsMade) {
  std::mt19937_64 engine = seeded_engine();
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 1000);
  fill(av.get());
  std::vector<MapPtr> maps;
  for (int round = 0; round < 400; ++round) {
    if (maps.size() < 5 || below(engine, 5) < 3) {
      const auto first = static_cast<std::int32_t>(below(engine, 900));
      maps.push_back(below(engine, 2) == 0
                         ? make_offset(instance, 10, first, 0)
                         : make_lpids(instance, {first, first + 7, first + 3, first + 9, first + 4}, 0));
      require(avrm_rankmap_bind(maps.back().get()));
    } else {
      std::swap(maps[below(engine, maps.size())], maps.back());
      maps.pop_back();
    }
    ASSERT_TRUE(avrm_rankmap_validate(maps.back().get(), nullptr));
  }
  for (const MapPtr &map : maps) {
    ASSERT_EQ(map->klass, map->mode == AVRM_MODE_LUT ? AVRM_CLASS_IMPLICIT_LUT : AVRM_CLASS_IMPLICIT);
    ASSERT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
  }
  require(avrm_av_make_table(av.get()));
  for (const MapPtr &map : maps) {
    ASSERT_EQ(avrm_rankmap_word(map.get(), 4), word_of(avrm_rankmap_gpid(map.get(), 4)));
  }
}

// Addresses that fall from lpid to lpid; a part of a table of which another part is not in the run.
TEST(RankmapImplicitFolded, LutsOfFallingAddressesAndOfPartsAreRight) {
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 1000);
  Elements elements;
  for (std::int32_t lpid = 0; lpid < 1000; ++lpid) {
    elements.push_back(at_address(lpid < 900 ? 90000 - 5 * number(lpid) : number(lpid), 1));
  }
  set_in_order(av, elements, 100);
  const MapPtr inside = make_lpids(instance, {3, 899, 17, 0, 1}, 0);
  const MapPtr outside = make_lpids(instance, {3, 899, 17, 0, 1, 950, 4, 951}, 0);
  const MapPtr part = make_child_regular(outside, 5, 0, 1);
  for (const MapPtr *map : {&inside, &outside, &part}) {
    require(avrm_rankmap_bind(map->get()));
    EXPECT_EQ((*map)->klass, AVRM_CLASS_IMPLICIT_LUT);
    for (std::int32_t rank = 0; rank < avrm_rankmap_size(map->get()); ++rank) {
      const avrm_ave_t &ave = elements[static_cast<std::size_t>(avrm_rankmap_gpid(map->get(), rank).lpid)];
      ASSERT_EQ(avrm_rankmap_word(map->get(), rank), avrm_ave_word(&ave));
    }
  }
}

TEST(RankmapImplicitMany, AreBoundWithoutMemory) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const AvPtr av = make_implicit_av(instance, 1000);
  fill(av.get());
  const MapPtr maps[] = {make_direct(instance, 1000, 0), make_lpids(instance, {5, 3, 9, 0, 999}, 0)};
  memory.refuse_after(0);
  for (const MapPtr &map : maps) {
    ASSERT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
    EXPECT_TRUE(info_of(map.get()).folded);
  }
  EXPECT_FALSE(memory.refused());
}

// A world of 786,432 processes and 100 communicators, each with its node and node-roots
// communicators, takes at most 64 KiB per process.
TEST(RankmapImplicitBudget, IsKeptInAMachineOfTheLargestSize) {
  constexpr std::int32_t kProcesses = 786432;
  constexpr std::int32_t kPerNode = 16;
  for (const char *layout : {"block", "cyclic"}) {
    CountingAllocator memory;
    const Instance instance(&memory, false, AVRM_COST_BYTES);
    const AvPtr av = make_implicit_av(instance, kProcesses);
    const bool block = layout == std::string("block");
    constexpr std::int32_t kNodes = kProcesses / kPerNode;
    Elements part;
    for (std::int32_t lpid = 0; lpid < kProcesses; ++lpid) {
      part.push_back(at_address(number(lpid), static_cast<std::uint32_t>(block ? lpid / kPerNode : lpid % kNodes)));
      if (part.size() == 8192) {
        require(avrm_av_set_range(av.get(), lpid + 1 - 8192, 8192, part.data()));
        part.clear();
      }
    }
    std::vector<MapPtr> maps;
    const auto keep = [&](MapPtr map) {
      require(avrm_rankmap_bind(map.get()));
      EXPECT_EQ(map->klass, AVRM_CLASS_IMPLICIT);
      maps.push_back(std::move(map));
    };
    for (int comm = 0; comm < 100; ++comm) {
      // Odd and even ranks; their nodes are those of the world with half the processes.
      const std::int32_t odd = comm % 2;
      keep(make_stride(instance, kProcesses / 2, odd, 2, 0));
      keep(block ? make_stride(instance, kPerNode / 2, odd, 2, 0) : make_stride(instance, kPerNode, odd, kNodes, 0));
      keep(block ? make_stride(instance, kNodes, odd, kPerNode, 0) : make_stride(instance, kNodes / 2, odd, 2, 0));
    }
    const std::uint64_t bytes = instance.usage(AVRM_MEM_TOTAL).live_bytes;
    EXPECT_EQ(bytes, memory.live_bytes());
    EXPECT_LE(bytes, 65536U) << layout;
    RecordProperty(std::string("bytes_") + layout, static_cast<int>(bytes));
    EXPECT_EQ(avrm_rankmap_node(maps[0].get(), 100), static_cast<std::uint32_t>(block ? 200 / kPerNode : 200));
    EXPECT_EQ(avrm_ofi_address(avrm_rankmap_word(maps[3].get(), kProcesses / 2 - 1)), number(kProcesses - 1));
  }
}

// Readers of maps of each sort while elements are set in order, then out of order, then anew: they
// find all elements that were set before they began, and never read a value that was not set.
TEST(RankmapImplicitThreads, FindEveryElementWhileThePatternBreaks) {
  constexpr std::int32_t kSize = 600;
  constexpr std::int32_t kReady = 400; // set before the readers begin
  for (int round = 0; round < 25; ++round) {
    const Instance instance;
    const AvPtr av = make_implicit_av(instance, kSize);
    const auto element = [](std::int32_t lpid) {
      return at_address(number(lpid) + 5, static_cast<std::uint32_t>(lpid) / 3);
    };
    Elements elements;
    for (std::int32_t lpid = 0; lpid < kSize; ++lpid) {
      elements.push_back(element(lpid));
    }
    set_in_order(av, Elements(elements.begin(), elements.begin() + kReady), 100);
    const MapPtr folded = make_direct(instance, kReady, 0);
    const MapPtr asking = make_blocked(instance, kReady, 0, 7, 6, 0); // up to lpid 465
    const MapPtr whole = make_direct(instance, kSize, 0);
    const MapPtr lut = make_lpids(instance, {17, 3, 399, 17, 200, 16}, 0);
    for (const MapPtr *map : {&folded, &asking, &whole, &lut}) {
      require(avrm_rankmap_bind(map->get()));
    }
    ASSERT_EQ(folded->klass, AVRM_CLASS_IMPLICIT);
    ASSERT_EQ(lut->klass, AVRM_CLASS_IMPLICIT_LUT);
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> readers;
    for (const MapPtr *map : {&folded, &asking, &whole, &lut}) {
      readers.emplace_back([&stop, &wrong, map = map->get()] {
        const std::int32_t size = avrm_rankmap_size(map);
        for (std::int32_t rank = 0; !stop.load(std::memory_order_relaxed); rank = (rank + 1) % size) {
          const std::int32_t lpid = avrm_rankmap_gpid(map, rank).lpid;
          const std::uint64_t right = number(lpid) + 6;
          const std::uint64_t word = avrm_rankmap_word(map, rank);
          std::int32_t back = -1;
          wrong +=
              avrm_rankmap_rank(map, {0, lpid}, &back) == AVRM_OK && avrm_rankmap_gpid(map, back).lpid == lpid ? 0 : 1;
          const std::uint32_t node = avrm_rankmap_node(map, rank);
          const bool unset = lpid >= kReady && word == 0;
          const bool moved = lpid == 17 && word == 1000018;
          const bool node_right = node == static_cast<std::uint32_t>(lpid) / 3 || (lpid >= kReady && node == 0);
          wrong += (word == right || unset || moved) && node_right ? 0 : 1;
        }
      });
    }
    set_in_order(av, Elements(elements.begin(), elements.begin() + 500), 7);
    const avrm_ave_t moved = at_address(1000017, 17 / 3);
    require(avrm_av_set(av.get(), 17, &moved)); // breaks it
    EXPECT_EQ(avrm_rankmap_word(folded.get(), 17), 1000018U);
    EXPECT_EQ(avrm_rankmap_word(lut.get(), 0), 1000018U);
    for (std::int32_t lpid = kSize - 1; lpid >= 500; --lpid) {
      require(avrm_av_set(av.get(), lpid, &elements[static_cast<std::size_t>(lpid)]));
    }
    stop.store(true);
    for (std::thread &reader : readers) {
      reader.join();
    }
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(info_of(av).kind, AVRM_AV_TABLE);
  }
}

} // namespace
} // namespace avrankmap::test
