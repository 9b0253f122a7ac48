// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Uses of one rankmap by several threads at once: they translate, create others from it, and bind
// others that share its table. The thread sanitizer finds most here.

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/component/rankmap/one_of_each.h"

namespace avrankmap::test {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 200;

// Runs work(thread) in each thread and waits for all. Threads begin together.
template <typename Work> void in_threads(Work work) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&ready, &work, thread] {
      ++ready;
      while (ready.load() < kThreads) {
        std::this_thread::yield();
      }
      work(thread);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

// At some hundred ranks of a large map: each kind is tested at every rank elsewhere.
bool translates(const avrm_rankmap_t *map) {
  const std::int32_t step = avrm_rankmap_size(map) / 300 + 1;
  for (std::int32_t rank = 0; rank < avrm_rankmap_size(map); rank += step) {
    if (avrm_rankmap_word(map, rank) != word_of(avrm_rankmap_gpid(map, rank))) {
      return false;
    }
  }
  return true;
}

using RankmapThreads = RankmapOfEachKind;

INSTANTIATE_TEST_SUITE_P(All, RankmapThreads, testing::ValuesIn(kKinds), kind_name);

// Each thread duplicates the map, binds its copy, translates by both, and gives the copy up again.
TEST_P(RankmapThreads, DuplicatesAreMadeBoundAndDestroyedWhileTheOriginalTranslates) {
  std::atomic<int> wrong{0};
  in_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      const MapPtr copy = make_dup(map);
      require(avrm_rankmap_bind(copy.get()));
      wrong += translates(copy.get()) && avrm_rankmap_word(map.get(), 0) == word_of(table[0]) ? 0 : 1;
      require(avrm_rankmap_unbind(copy.get()));
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(RankmapThreads, TableIsCountedRightAfterwards) {
  const std::uint32_t sharers = info_of(map.get()).table_sharers;
  in_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      const MapPtr copy = make_dup(map);
      const MapPtr part = make_child_regular(copy, size() / 2 + 1, 0, 1);
    }
  });
  EXPECT_EQ(info_of(map.get()).table_sharers, sharers);
}

TEST_P(RankmapThreads, ChildrenAreMadeAtTheSameTime) {
  std::atomic<int> wrong{0};
  const std::int32_t half = size() / 2 + 1;
  in_threads([&](int thread) {
    const std::int32_t offset = thread % 2 == 0 ? size() - 1 : 0;
    const std::int32_t stride = thread % 2 == 0 ? -1 : 1;
    for (int round = 0; round < kRounds / 10; ++round) {
      const MapPtr part = make_child_regular(map, half, offset, stride);
      require(avrm_rankmap_bind(part.get()));
      wrong += translates(part.get()) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

// Maps of one shared table, none of them bound at first: the first thread writes the AV tables into
// it.
TEST(RankmapThreadsOnAnMlut, BindAndUnbindOfSharersAtTheSameTime) {
  const ThreeWorlds worlds;
  const MapPtr whole = make_gpids(worlds.instance, scattered_gpids(500));
  std::atomic<int> wrong{0};
  in_threads([&](int thread) {
    const MapPtr part = make_child_regular(whole, 300, thread * 50, 1);
    for (int round = 0; round < kRounds; ++round) {
      require(avrm_rankmap_bind(part.get()));
      wrong += translates(part.get()) ? 0 : 1;
      require(avrm_rankmap_unbind(part.get()));
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

// One group of a shared table is bound for the first time, so that its slot is written, while a
// part that leaves this group out is bound and translates.
TEST(RankmapThreadsOnAnMlut, GroupIsBoundWhileAPartWithoutItTranslates) {
  const ThreeWorlds worlds;
  std::atomic<int> wrong{0};
  for (int round = 0; round < kRounds / 10; ++round) {
    const AvPtr other = make_av(worlds.instance, 10);
    Table table = {{other->pgid, 5}, {other->pgid, 1}};
    for (const avrm_gpid_t gpid : scattered_gpids(200)) {
      table.push_back(gpid);
    }
    const MapPtr whole = make_gpids(worlds.instance, table);
    const MapPtr part = make_child_regular(whole, 200, 2, 1);
    require(avrm_rankmap_bind(part.get()));
    std::atomic<int> rounds_read{0};
    std::atomic<bool> stop{false};
    std::thread reader([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        wrong += translates(part.get()) ? 0 : 1;
        rounds_read.fetch_add(1, std::memory_order_relaxed);
      }
    });
    while (rounds_read.load(std::memory_order_relaxed) == 0) {
      std::this_thread::yield();
    }
    EXPECT_EQ(avrm_rankmap_bind(whole.get()), AVRM_OK);
    EXPECT_EQ(avrm_rankmap_ave(whole.get(), 0), other->elements + 5);
    EXPECT_EQ(avrm_rankmap_unbind(whole.get()), AVRM_OK);
    stop.store(true, std::memory_order_relaxed);
    reader.join();
  }
  EXPECT_EQ(wrong.load(), 0);
}

} // namespace
} // namespace avrankmap::test
