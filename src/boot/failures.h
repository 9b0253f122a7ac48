// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The set of processes of a job that have died: a count and one bit per process, in memory that the
// owner provides and may share between processes. All zeros: nobody has died.
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
  [[nodiscard]] std::uint32_t count() const noexcept {
    return static_cast<std::uint32_t>(std::atomic_ref(words_[0]).load(std::memory_order_acquire));
  }
  [[nodiscard]] bool has(std::int32_t rank) const noexcept {
    return rank >= 0 && rank < size_ && (word(rank).load(std::memory_order_acquire) & bit(rank)) != 0;
  }

private:
  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::int32_t rank) const noexcept {
    return std::atomic_ref(words_[1 + rank / 64]);
  }
  static constexpr std::uint64_t bit(std::int32_t rank) noexcept { return std::uint64_t{1} << (rank % 64); }

  std::uint64_t *words_ = nullptr;
  std::int32_t size_ = 0;
};

} // namespace avrankmap::detail

#endif
