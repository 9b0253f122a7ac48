// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A queue of items that are matched by 64 match bits in order: posted receives, or unexpected
// messages. The first matching item is found in constant time, whether or not source and tag are
// wildcards.
//
// A few items are searched linearly, which is fastest. With more, each item is in chains of hash
// tables. There is one table per set of wildcards; its keys are the remaining match bits.
//
//   posted receive   in the table of its wildcards; a message searches all tables and takes the
//                    item that was appended first
//   message          in all four tables; a receive searches the table of its wildcards
//
// Chains are in order, so the first matching item is the oldest. The search is linear if there is
// no memory for the tables, and for other sets of ignored bits. Not thread-safe.
//
// Memory: the tables of a queue with more than kFew items take 32 to 128 bytes per item.
#ifndef AVRANKMAP_SRC_DEVICE_BASE_MATCH_QUEUE_H
#define AVRANKMAP_SRC_DEVICE_BASE_MATCH_QUEUE_H

#include <algorithm>

#include "base/memory.h"

namespace avrankmap::detail {

[[nodiscard]] inline bool matches(std::uint64_t message, std::uint64_t match, std::uint64_t ignore) noexcept {
  return ((message ^ match) & ~ignore) == 0;
}

// A receive compares source and tag, only one of them, or neither.
inline constexpr int kWildcardSets = 4;

// Links of an item in a chain.
template <typename Item> struct MatchLink {
  Item *next;
  Item *previous;
  std::uint64_t number; // ordinal number of the item, in the order of appending
};

// Item has `next`, `previous` and `match`, which belong to the queue and must not be changed while
// the item is queued. Traits has:
//   kSource, kTag       masks of the bits that a wildcard ignores
//   ignore_of(item)     bits that the item does not compare: 0 for messages
//   link_of(item, set)  its MatchLink in a table
//   kInAllTables        true for messages, false for receives
template <typename Item, typename Traits> class MatchQueue {
public:
  explicit MatchQueue(Memory &memory) noexcept : memory_(memory) {}
  ~MatchQueue() { release(); }
  MatchQueue(const MatchQueue &) = delete;
  MatchQueue &operator=(const MatchQueue &) = delete;

  static constexpr std::size_t kFew = 32;

  [[nodiscard]] Item *first() const noexcept { return first_; }

  void append(Item *item) noexcept {
    item->next = nullptr;
    item->previous = last_;
    (last_ == nullptr ? first_ : last_->next) = item;
    last_ = item;
    if (AVRM_UNLIKELY(++count_ > kFew || chains_ != nullptr)) {
      append_to_tables(item);
    }
  }

  void remove(Item *item) noexcept {
    (item->previous == nullptr ? first_ : item->previous->next) = item->next;
    (item->next == nullptr ? last_ : item->next->previous) = item->previous;
    --count_;
    if (AVRM_UNLIKELY(chains_ != nullptr)) {
      remove_from_tables(item);
    }
  }

  // Returns the first item that matches these bits, of which `ignore` are not compared, or null.
  [[nodiscard]] Item *find(std::uint64_t match, std::uint64_t ignore) const noexcept {
    const int set = wildcards_of(ignore);
    if (AVRM_UNLIKELY(chains_ != nullptr) && set != kWildcardSets && in_set_[kWildcardSets] == 0) {
      return find_in_tables(match, ignore, set);
    }
    Item *item = first_;
    while (item != nullptr && !fits(item, match, ignore)) {
      item = item->next;
    }
    return item;
  }

private:
  static constexpr std::uint64_t kIgnoredBits[kWildcardSets] = {0, Traits::kSource, Traits::kTag,
                                                                Traits::kSource | Traits::kTag};
  // Returns the set of wildcards, or kWildcardSets if `ignore` is not such a set.
  [[nodiscard]] static int wildcards_of(std::uint64_t ignore) noexcept {
    const int set = ((ignore & Traits::kSource) != 0 ? 1 : 0) + ((ignore & Traits::kTag) != 0 ? 2 : 0);
    return kIgnoredBits[set] == ignore ? set : kWildcardSets;
  }

  struct Chain {
    Item *first;
    Item *last;
  };

  [[nodiscard]] static bool fits(const Item *item, std::uint64_t match, std::uint64_t ignore) noexcept {
    return matches(match, item->match, ignore | Traits::ignore_of(*item));
  }

  [[nodiscard]] Chain &chain_of(int set, std::uint64_t match) const noexcept {
    const std::uint64_t hash = (match & ~kIgnoredBits[set]) * 0x9e3779b97f4a7c15U >> 32;
    return chains_[static_cast<std::size_t>(set) * capacity_ + (hash & (capacity_ - 1))];
  }

  [[nodiscard]] Item *find_in_tables(std::uint64_t match, std::uint64_t ignore, int of_receive) const noexcept {
    const int first = Traits::kInAllTables ? of_receive : 0;
    const int last = Traits::kInAllTables ? of_receive : kWildcardSets - 1;
    Item *best = nullptr;
    int found_in = 0;
    for (int set = first; set <= last; ++set) {
      if (in_set_[set] == 0) {
        continue;
      }
      Item *item = chain_of(set, match).first;
      while (item != nullptr && !fits(item, match, ignore)) {
        item = Traits::link_of(*item, set).next;
      }
      if (item != nullptr &&
          (best == nullptr || Traits::link_of(*item, set).number < Traits::link_of(*best, found_in).number)) {
        best = item;
        found_in = set;
      }
    }
    return best;
  }

  // Calls visit(set) for each table that contains an item.
  template <typename Visit> void for_each_table(const Item &item, Visit visit) noexcept {
    if (Traits::kInAllTables) {
      for (int set = 0; set < kWildcardSets; ++set) {
        visit(set);
      }
    } else {
      visit(wildcards_of(Traits::ignore_of(item)));
    }
  }

  void add(Item *item) noexcept {
    const std::uint64_t number = next_number_++;
    for_each_table(*item, [this, item, number](int set) {
      ++in_set_[set];
      if (set == kWildcardSets) {
        return;
      }
      Chain &chain = chain_of(set, item->match);
      Traits::link_of(*item, set) = {nullptr, chain.last, number};
      (chain.last == nullptr ? chain.first : Traits::link_of(*chain.last, set).next) = item;
      chain.last = item;
    });
  }

  [[gnu::noinline]] void append_to_tables(Item *item) noexcept {
    if (chains_ != nullptr && count_ <= 2 * capacity_) {
      add(item);
      return;
    }
    // If there is no memory now, tries again later; until then items are searched linearly.
    const std::size_t capacity = chains_ == nullptr ? kFew : 4 * capacity_;
    const std::size_t bytes = kWildcardSets * capacity * sizeof(Chain);
    auto *const chains = static_cast<Chain *>(memory_.allocate(bytes, alignof(Chain), AVRM_MEM_MESSAGE));
    if (chains == nullptr && chains_ != nullptr) {
      add(item); // appends to the longer chains
      return;
    }
    release();
    if (chains == nullptr) {
      return;
    }
    chains_ = chains;
    capacity_ = capacity;
    for (Item *each = first_; each != nullptr; each = each->next) {
      add(each);
    }
  }

  [[gnu::noinline]] void remove_from_tables(Item *item) noexcept {
    for_each_table(*item, [this, item](int set) {
      --in_set_[set];
      if (set == kWildcardSets) {
        return;
      }
      const MatchLink<Item> &link = Traits::link_of(*item, set);
      Chain &chain = chain_of(set, item->match);
      (link.previous == nullptr ? chain.first : Traits::link_of(*link.previous, set).next) = link.next;
      (link.next == nullptr ? chain.last : Traits::link_of(*link.next, set).previous) = link.previous;
    });
    if (count_ == 0) {
      release();
    }
  }

  void release() noexcept {
    memory_.release(chains_, kWildcardSets * capacity_ * sizeof(Chain), alignof(Chain), AVRM_MEM_MESSAGE);
    chains_ = nullptr;
    capacity_ = 0;
    std::fill_n(in_set_, kWildcardSets + 1, std::size_t{0});
  }

  Memory &memory_;
  Item *first_ = nullptr;
  Item *last_ = nullptr;
  std::size_t count_ = 0;
  Chain *chains_ = nullptr;  // one table of chains per set; null if there are no tables
  std::size_t capacity_ = 0; // chains per table, a power of two
  std::uint64_t next_number_ = 0;
  std::size_t in_set_[kWildcardSets + 1] = {}; // number of items in each table, and in none
};

} // namespace avrankmap::detail

#endif
