// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hash table from 64-bit keys to pointers; a key may have several values. The first few entries are
// stored in the object, so that small tables take no memory. Not thread-safe.
#ifndef AVRANKMAP_SRC_BASE_HASH_TABLE_H
#define AVRANKMAP_SRC_BASE_HASH_TABLE_H

#include "base/memory.h"

namespace avrankmap::detail {

class HashTable {
public:
  explicit HashTable(Memory &memory) noexcept : memory_(memory) {}
  ~HashTable() { release(); }
  HashTable(const HashTable &) = delete;
  HashTable &operator=(const HashTable &) = delete;

  // Returns false if out of memory. `value` must not be null.
  [[nodiscard]] bool insert(std::uint64_t key, void *value) noexcept {
    if (2 * (count_ + 1) > capacity_ && !grow()) {
      return false;
    }
    place({key, value});
    ++count_;
    return true;
  }

  // Returns the first value of a key for which matches(value) is true, or null.
  template <typename Matches> [[nodiscard]] void *find(std::uint64_t key, Matches matches) const noexcept {
    for (std::size_t i = home(key); entries_[i].value != nullptr; i = next(i)) {
      if (entries_[i].key == key && matches(entries_[i].value)) {
        return entries_[i].value;
      }
    }
    return nullptr;
  }
  // Returns any value of a key, or null.
  [[nodiscard]] void *find(std::uint64_t key) const noexcept {
    return find(key, [](const void * /*value*/) { return true; });
  }

  // Removes a value, which must be in the table. Frees the memory if the table becomes empty.
  void erase(std::uint64_t key, const void *value) noexcept {
    std::size_t hole = home(key);
    while (entries_[hole].key != key || entries_[hole].value != value) {
      hole = next(hole);
    }
    // Move back the entries that a search would no longer reach because of the hole.
    for (std::size_t i = next(hole); entries_[i].value != nullptr; i = next(i)) {
      const std::size_t from_home = (i - home(entries_[i].key)) & (capacity_ - 1);
      const std::size_t from_hole = (i - hole) & (capacity_ - 1);
      if (from_home >= from_hole) {
        entries_[hole] = entries_[i];
        hole = i;
      }
    }
    entries_[hole] = {};
    if (--count_ == 0) {
      release();
    }
  }

  // Calls visit(value) for each value. `visit` must not change the table.
  template <typename Visit> void for_each(Visit visit) const noexcept {
    for (std::size_t i = 0; i < capacity_; ++i) {
      if (entries_[i].value != nullptr) {
        visit(entries_[i].value);
      }
    }
  }

  // Calls visit(value) for each value, and empties the table.
  template <typename Visit> void clear(Visit visit) noexcept {
    for (std::size_t i = 0; i < capacity_; ++i) {
      if (entries_[i].value != nullptr) {
        visit(entries_[i].value);
        entries_[i] = {};
      }
    }
    count_ = 0;
    release();
  }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
  struct Entry {
    std::uint64_t key;
    void *value; // null if the entry is empty
  };
  static constexpr std::size_t kFew = 16;

  [[nodiscard]] std::size_t home(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >> 32) & (capacity_ - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t i) const noexcept { return (i + 1) & (capacity_ - 1); }

  void place(const Entry &entry) noexcept {
    std::size_t i = home(entry.key);
    while (entries_[i].value != nullptr) {
      i = next(i);
    }
    entries_[i] = entry;
  }

  [[nodiscard]] bool grow() noexcept {
    const std::size_t old_capacity = capacity_;
    Entry *const old = entries_;
    void *const block = memory_.allocate(2 * old_capacity * sizeof(Entry), alignof(Entry), AVRM_MEM_INSTANCE);
    if (block == nullptr) {
      return false;
    }
    entries_ = static_cast<Entry *>(block);
    capacity_ = 2 * old_capacity;
    for (std::size_t i = 0; i < old_capacity; ++i) {
      if (old[i].value != nullptr) {
        place(old[i]);
      }
    }
    if (old != few_) {
      memory_.release(old, old_capacity * sizeof(Entry), alignof(Entry), AVRM_MEM_INSTANCE);
    }
    return true;
  }

  // Returns to the entries in the object, which are all empty.
  void release() noexcept {
    if (entries_ != few_) {
      memory_.release(entries_, capacity_ * sizeof(Entry), alignof(Entry), AVRM_MEM_INSTANCE);
      entries_ = few_;
      capacity_ = kFew;
      for (Entry &entry : few_) {
        entry = {};
      }
    }
  }

  Memory &memory_;
  Entry few_[kFew] = {};
  Entry *entries_ = few_; // open addressing, at most half full
  std::size_t capacity_ = kFew;
  std::size_t count_ = 0;
};

} // namespace avrankmap::detail

#endif
