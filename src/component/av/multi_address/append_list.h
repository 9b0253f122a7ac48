// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A list that grows while it is read. One writer at a time appends entries, then publishes or
// withdraws them; readers see the published entries and take no lock. A full list is copied to a
// block of twice the size. The old copy is kept until the list is released, since a thread may be
// reading it; all old copies together are smaller than the newest one.
#ifndef AVRANKMAP_SRC_AV_MULTI_ADDRESS_APPEND_LIST_H
#define AVRANKMAP_SRC_AV_MULTI_ADDRESS_APPEND_LIST_H

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/memory.h"

namespace avrankmap::detail {

// The entries are in ascending order of their field `first`, which is 0 in the first entry. The
// writer may change other fields of the last entry with atomic accesses if this does not change
// what readers find for the elements published so far.
template <typename Entry, std::int32_t kMost> class AppendList {
  static_assert(std::is_trivially_copyable_v<Entry>);

public:
  static constexpr std::int32_t kRoomAtFirst = 4;

  AppendList() noexcept : entries_(at_first_), newest_(at_first_) {}
  AppendList(const AppendList &) = delete;
  AppendList &operator=(const AppendList &) = delete;

  // For readers.

  [[nodiscard]] std::int32_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  // The last published entry that begins at or before `lpid`, which must exist.
  [[nodiscard]] const Entry &at(std::uint32_t lpid) const noexcept {
    // Loaded first, so that the entries are at least as new.
    std::int32_t count = count_.load(std::memory_order_acquire);
    const Entry *entry = entries_.load(std::memory_order_acquire);
    while (count > 1) {
      const std::int32_t half = count / 2;
      entry += entry[half].first <= lpid ? half : 0;
      count -= half;
    }
    return *entry;
  }

  // For the writer.

  // The end of an entry: where the next one begins, or `end` for the last one.
  [[nodiscard]] std::uint32_t end_of(const Entry &entry, std::uint32_t end) const noexcept {
    const Entry *const all = entries_.load(std::memory_order_relaxed);
    const std::int64_t i = &entry - all;
    return i + 1 < count_.load(std::memory_order_relaxed) ? all[i + 1].first : end;
  }
  // Published entry number `i`.
  [[nodiscard]] const Entry &entry(std::int32_t i) const noexcept {
    return entries_.load(std::memory_order_relaxed)[i];
  }
  // Number of appended entries, published or not.
  [[nodiscard]] std::int32_t appended() const noexcept { return appended_; }
  // The last appended entry; there must be one.
  [[nodiscard]] Entry &last() noexcept { return newest_[appended_ - 1]; }

  enum class Room { kThere, kNoMemory, kNoMore };
  // Makes room for one more entry. kNoMore: the list has its maximum length, or would take more
  // than `most_bytes`.
  [[nodiscard]] Room make_room(Memory &memory, std::uint64_t most_bytes) noexcept {
    if (appended_ < room_) {
      return Room::kThere;
    }
    if (room_ >= kMost || bytes_of(2 * room_) > most_bytes) {
      return Room::kNoMore;
    }
    auto *const entries = static_cast<Entry *>(memory.allocate(bytes_of(2 * room_), alignof(Entry), AVRM_MEM_AV));
    if (entries == nullptr) {
      return Room::kNoMemory;
    }
    std::memcpy(static_cast<void *>(entries), newest_, bytes_of(room_));
    blocks_[block_count_++] = entries;
    room_ *= 2;
    newest_ = entries;
    return Room::kThere;
  }
  // Must follow make_room.
  void append(const Entry &entry) noexcept { newest_[appended_++] = entry; }
  void publish() noexcept {
    entries_.store(newest_, std::memory_order_release);
    count_.store(appended_, std::memory_order_release);
  }
  // Drops the unpublished entries, and the room that was made for them.
  void withdraw(Memory &memory) noexcept {
    appended_ = count_.load(std::memory_order_relaxed);
    while (newest_ != entries_.load(std::memory_order_relaxed)) {
      memory.release(newest_, bytes_of(room_), alignof(Entry), AVRM_MEM_AV);
      room_ /= 2;
      --block_count_;
      newest_ = block_count_ == 0 ? at_first_ : blocks_[block_count_ - 1];
    }
  }

  // Bytes in addition to the list itself.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_of(room_) * 2 - bytes_of(2 * kRoomAtFirst); }
  // No other thread may still be reading.
  void release(Memory &memory) noexcept {
    for (std::int32_t i = 0; i < block_count_; ++i) {
      memory.release(blocks_[i], bytes_of(kRoomAtFirst << (i + 1)), alignof(Entry), AVRM_MEM_AV);
    }
  }

private:
  static constexpr std::uint64_t bytes_of(std::int32_t entries) noexcept {
    return static_cast<std::uint64_t>(entries) * sizeof(Entry);
  }
  static constexpr int kBlocks = 12;
  static_assert(kRoomAtFirst << kBlocks >= kMost);

  Entry at_first_[kRoomAtFirst] = {};
  std::atomic<Entry *> entries_;
  Entry *newest_; // for the writer; not published yet if it differs from entries_
  std::atomic<std::int32_t> count_{0};
  std::int32_t appended_ = 0;
  std::int32_t room_ = kRoomAtFirst;
  std::int32_t block_count_ = 0;
  Entry *blocks_[kBlocks] = {};
};

} // namespace avrankmap::detail

#endif
