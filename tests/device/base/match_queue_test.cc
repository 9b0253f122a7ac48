// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Queues of receives and messages against a plain list that is searched one by one.
#include "base/match_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace avrankmap::detail {
namespace {

struct Item {
  Item *next = nullptr;
  Item *previous = nullptr;
  std::uint64_t match = 0;
  std::uint64_t ignore = 0;
  MatchLink<Item> links[kWildcardSets] = {};
};

struct Wildcards {
  static constexpr std::uint64_t kSource = 0xff00;
  static constexpr std::uint64_t kTag = 0xff;
};
constexpr std::uint64_t kIgnored[] = {0, 0xff00, 0xff, 0xffff};

struct AsReceive : Wildcards {
  static constexpr bool kInAllTables = false;
  static std::uint64_t ignore_of(const Item &item) noexcept { return item.ignore; }
  static MatchLink<Item> &link_of(Item &item, int /*set*/) noexcept { return item.links[0]; }
};

struct AsMessage : Wildcards {
  static constexpr bool kInAllTables = true;
  static std::uint64_t ignore_of(const Item & /*item*/) noexcept { return 0; }
  static MatchLink<Item> &link_of(Item &item, int set) noexcept { return item.links[set]; }
};

// A queue beside its twin, which owns the items.
template <typename Traits> class Pair {
public:
  explicit Pair(Memory &memory) : queue_(memory) {}

  void append(std::uint64_t match, std::uint64_t ignore) {
    items_.push_back(std::make_unique<Item>());
    items_.back()->match = match;
    items_.back()->ignore = ignore;
    queue_.append(items_.back().get());
  }
  // Finds and, if asked to, removes. Returns whether both agree.
  [[nodiscard]] bool find(std::uint64_t match, std::uint64_t ignore, bool removes) {
    const auto expected = std::find_if(items_.begin(), items_.end(), [&](const auto &item) {
      return ((match ^ item->match) & ~(ignore | Traits::ignore_of(*item))) == 0;
    });
    Item *const found = queue_.find(match, ignore);
    if (found != (expected == items_.end() ? nullptr : expected->get())) {
      return false;
    }
    if (found != nullptr && removes) {
      remove(expected);
    }
    return true;
  }
  void remove_one(std::size_t index) { remove(items_.begin() + static_cast<std::ptrdiff_t>(index)); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }

private:
  void remove(typename std::vector<std::unique_ptr<Item>>::iterator item) {
    queue_.remove(item->get());
    items_.erase(item);
  }

  MatchQueue<Item, Traits> queue_;
  std::vector<std::unique_ptr<Item>> items_;
};

template <typename Traits> class MatchQueueTwin : public testing::Test {};
using Kinds = testing::Types<AsReceive, AsMessage>;
TYPED_TEST_SUITE(MatchQueueTwin, Kinds);

// Few different values, so that many items fit.
std::uint64_t some_match(std::mt19937_64 &random) { return (random() % 3) << 16 | (random() % 4) << 8 | random() % 8; }

// `odd`: ignored bits that are no set of wildcards come up, too.
template <typename Traits> void compare(Memory &memory, std::uint64_t seed, bool odd, int steps) {
  std::mt19937_64 random(seed);
  const auto some_ignore = [&] {
    return odd && random() % 16 == 0 ? std::uint64_t{1} : kIgnored[random() % kWildcardSets];
  };
  Pair<Traits> pair(memory);
  std::size_t room = 0; // up to which the queue grows
  for (int step = 0; step < steps; ++step) {
    if (step % 512 == 0) {
      room = random() % 300;
    }
    if (pair.size() < room) {
      pair.append(some_match(random), Traits::kInAllTables ? 0 : some_ignore());
    } else if (pair.size() != 0 && random() % 4 == 0) {
      pair.remove_one(random() % pair.size());
    }
    ASSERT_TRUE(pair.find(some_match(random), Traits::kInAllTables ? some_ignore() : 0, random() % 3 == 0))
        << "seed " << seed << ", step " << step;
  }
}

TYPED_TEST(MatchQueueTwin, FindsTheItemThatAPlainSearchFinds) {
  Memory memory(default_allocator());
  compare<TypeParam>(memory, test::seed(), false, 20000);
  EXPECT_EQ(memory.usage(AVRM_MEM_MESSAGE).live_bytes, 0U);
}

TYPED_TEST(MatchQueueTwin, AgreesForBitsThatAreNoWildcards) {
  Memory memory(default_allocator());
  compare<TypeParam>(memory, test::seed(), true, 20000);
}

TYPED_TEST(MatchQueueTwin, AgreesWithoutMemoryForTables) {
  const avrm_allocator_t none{[](void *, std::size_t, std::size_t, avrm_mem_kind_t) -> void * { return nullptr; },
                              [](void *, void *, std::size_t, std::size_t, avrm_mem_kind_t) {}, nullptr};
  Memory memory(none);
  compare<TypeParam>(memory, test::seed(), false, 5000);
}

TEST(MatchQueue, KeepsNoTablesForAFewItems) {
  Memory memory(default_allocator());
  Item items[MatchQueue<Item, AsMessage>::kFew];
  MatchQueue<Item, AsMessage> queue(memory);
  for (Item &item : items) {
    queue.append(&item);
  }
  EXPECT_EQ(memory.usage(AVRM_MEM_MESSAGE).live_bytes, 0U);
}

TEST(MatchQueue, TakesAtMost128BytesPerMessage) {
  Memory memory(default_allocator());
  std::vector<Item> items(40000);
  MatchQueue<Item, AsMessage> queue(memory);
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    queue.append(&items[i]);
    most = std::max(most, memory.usage(AVRM_MEM_MESSAGE).live_bytes / (i + 1));
  }
  EXPECT_LE(most, 128U);
  EXPECT_GT(memory.usage(AVRM_MEM_MESSAGE).live_bytes, 0U);
}

} // namespace
} // namespace avrankmap::detail
