// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The set of processes of a job that have died: a head and one bit per process, in memory that the
// owner provides and may share between processes. In all-zero memory no process has died.
//
// The head is the number of dead processes. After mark_all_but its upper half is the rank of the
// only living process plus 1, and count and bits are ignored.
//
// The bits are followed by summary levels: each has one bit per word of the level below, set if
// that word is not zero, and the last level is a single word. The dead are therefore found without
// scanning the living.
#ifndef AVRANKMAP_SRC_LAUNCH_FAILED_PROCESSES_H
#define AVRANKMAP_SRC_LAUNCH_FAILED_PROCESSES_H

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace avrankmap::detail {

class FailedProcesses {
public:
  static constexpr std::size_t bytes(std::int32_t size) noexcept {
    std::size_t words = 1;
    for (std::size_t bits = static_cast<std::size_t>(size); bits != 0;) {
      const std::size_t level = words_for(bits);
      words += level;
      bits = level == 1 ? 0 : level;
    }
    return sizeof(std::uint64_t) * words;
  }

  // The set of a job without processes.
  FailedProcesses() noexcept = default;
  // `memory` must be aligned to 8 bytes and have bytes(size) bytes.
  FailedProcesses(std::byte *memory, std::int32_t size) noexcept
      : words_(reinterpret_cast<std::uint64_t *>(memory)), size_(size) {}

  // Sets the bits before the count, so that a reader that sees the new count also sees the bits.
  void mark(std::int32_t rank) const noexcept {
    std::uint64_t *level = words_ + 1;
    auto at = static_cast<std::size_t>(rank);
    if ((word(level, at).fetch_or(bit(at), std::memory_order_release) & bit(at)) != 0) {
      return;
    }
    for (std::size_t words = words_for(static_cast<std::size_t>(size_)); words > 1; words = words_for(words)) {
      level += words;
      at /= kBits;
      word(level, at).fetch_or(bit(at), std::memory_order_release);
    }
    std::atomic_ref(words_[0]).fetch_add(1, std::memory_order_release);
  }
  // All processes but `rank` count as dead from now on.
  void mark_all_but(std::int32_t rank) const noexcept {
    std::atomic_ref(words_[0]).fetch_or((std::uint64_t{1} + static_cast<std::uint32_t>(rank)) << 32,
                                        std::memory_order_release);
  }
  [[nodiscard]] std::uint32_t count() const noexcept {
    const std::uint64_t seen = head();
    return only_one_lives(seen) ? static_cast<std::uint32_t>(size_ - 1) : static_cast<std::uint32_t>(seen);
  }
  [[nodiscard]] bool has(std::int32_t rank) const noexcept {
    if (rank < 0 || rank >= size_) {
      return false;
    }
    const std::uint64_t seen = head();
    const auto at = static_cast<std::size_t>(rank);
    return only_one_lives(seen) ? seen >> 32 != std::uint64_t{1} + at
                                : (word(words_ + 1, at).load(std::memory_order_acquire) & bit(at)) != 0;
  }
  // Returns the lowest dead rank that is at least `from`; size() if there is none. Reads at most
  // two words of each level.
  [[nodiscard]] std::int32_t next(std::int32_t from) const noexcept {
    if (has_all_others()) {
      return from < size_ && !has(from) ? from + 1 : from;
    }
    const std::uint64_t *levels[kMostLevels] = {};
    const std::uint64_t *level = words_ + 1;
    auto at = static_cast<std::size_t>(from);
    std::size_t bits = static_cast<std::size_t>(size_);
    for (int up = 0; at < bits; ++up) {
      levels[up] = level;
      const std::uint64_t rest = word(level, at).load(std::memory_order_acquire) >> (at % kBits);
      if (rest != 0) {
        at += static_cast<std::size_t>(std::countr_zero(rest));
        while (up-- != 0) {
          at = at * kBits +
               static_cast<std::size_t>(std::countr_zero(word(levels[up], at * kBits).load(std::memory_order_acquire)));
        }
        return static_cast<std::int32_t>(at);
      }
      at = at / kBits + 1;
      bits = words_for(bits);
      level += bits;
      if (bits == 1) {
        break; // that was the top level
      }
    }
    return size_;
  }
  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  // True after mark_all_but.
  [[nodiscard]] bool has_all_others() const noexcept { return only_one_lives(head()); }

private:
  static constexpr std::size_t kBits = 64;
  static constexpr int kMostLevels = 6; // for 2^31 processes

  [[nodiscard]] std::uint64_t head() const noexcept {
    return std::atomic_ref(words_[0]).load(std::memory_order_acquire);
  }
  static constexpr bool only_one_lives(std::uint64_t head) noexcept { return head >> 32 != 0; }
  static constexpr std::size_t words_for(std::size_t bits) noexcept { return (bits + kBits - 1) / kBits; }
  // The word of a level that contains bit `at`.
  [[nodiscard]] static std::atomic_ref<std::uint64_t> word(const std::uint64_t *level, std::size_t at) noexcept {
    return std::atomic_ref(const_cast<std::uint64_t *>(level)[at / kBits]);
  }
  static constexpr std::uint64_t bit(std::size_t at) noexcept { return std::uint64_t{1} << (at % kBits); }

  std::uint64_t *words_ = nullptr;
  std::int32_t size_ = 0;
};

} // namespace avrankmap::detail

#endif
