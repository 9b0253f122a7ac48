// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The set of processes of a job that have died: a head and one bit per process, in memory that the
// owner provides and may share between processes. All zeros: nobody has died.
//
// The head is a count. If all processes but one count as dead, its upper half is the rank of that
// one plus 1, and no bit needs to be set.
#ifndef AVRANKMAP_SRC_BOOT_FAILURES_H
#define AVRANKMAP_SRC_BOOT_FAILURES_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace avrankmap::detail {

class Failures {
public:
  static constexpr std::size_t bytes(std::int32_t size) noexcept {
    return sizeof(std::uint64_t) * (1 + (static_cast<std::size_t>(size) + 63) / 64);
  }

  // No processes.
  Failures() noexcept = default;
  // `memory` is aligned to 8 bytes and has bytes(size) bytes.
  Failures(std::byte *memory, std::int32_t size) noexcept
      : words_(reinterpret_cast<std::uint64_t *>(memory)), size_(size) {}

  // Sets the bit before the count, so that a reader who sees the count rise finds the bit.
  void mark(std::int32_t rank) const noexcept {
    if ((word(rank).fetch_or(bit(rank), std::memory_order_release) & bit(rank)) == 0) {
      std::atomic_ref(words_[0]).fetch_add(1, std::memory_order_release);
    }
  }
  // All processes but this one count as dead from now on.
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
    return only_one_lives(seen) ? seen >> 32 != std::uint64_t{1} + static_cast<std::uint32_t>(rank)
                                : (word(rank).load(std::memory_order_acquire) & bit(rank)) != 0;
  }
  // True after mark_all_but.
  [[nodiscard]] bool has_all_others() const noexcept { return only_one_lives(head()); }

private:
  [[nodiscard]] std::uint64_t head() const noexcept {
    return std::atomic_ref(words_[0]).load(std::memory_order_acquire);
  }
  static constexpr bool only_one_lives(std::uint64_t head) noexcept { return head >> 32 != 0; }
  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::int32_t rank) const noexcept {
    return std::atomic_ref(words_[1 + rank / 64]);
  }
  static constexpr std::uint64_t bit(std::int32_t rank) noexcept { return std::uint64_t{1} << (rank % 64); }

  std::uint64_t *words_ = nullptr;
  std::int32_t size_ = 0;
};

} // namespace avrankmap::detail

#endif
