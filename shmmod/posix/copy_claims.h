// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Decides which side copies which part of a large message. The receiver reads from the sender's
// memory; a sender that makes progress meanwhile writes to the receiver's. Each side claims the
// next part, until none is left, in a word that both processes have mapped:
//
//   bits 63..40  turn: number of the current copy; a late sender has another one and does nothing
//   bit  39      the sender has claimed a part, and will report when it has finished
//   bit  38      the sender is writing
//   bits 37..0   pages claimed
//
// Each claim takes half of what is left, so that the faster side does not wait long for the slower
// one. Minimum and maximum sizes limit the number and the duration of system calls.
#ifndef AVRANKMAP_SHMMOD_POSIX_COPY_CLAIMS_H
#define AVRANKMAP_SHMMOD_POSIX_COPY_CLAIMS_H

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace avrankmap::detail::posix {

// A range of bytes of a message.
struct ByteRange {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  [[nodiscard]] bool empty() const noexcept { return from >= to; }
};

class CopyClaims {
public:
  // Messages shorter than kLeast are not shared. In a burst, messages of up to kLongestOfBurst are
  // not shared either, because a busy receiver is faster alone. A burst ends after kSingles
  // consecutive messages that no other record followed.
  static constexpr std::uint64_t kLeast = std::uint64_t{32} << 10;
  static constexpr std::uint64_t kLongestOfBurst = std::uint64_t{512} << 10;
  static constexpr std::uint8_t kSingles = 3;
  // Maximum size of a part.
  static constexpr std::uint64_t kLongestPart = std::uint64_t{1} << 20;

  CopyClaims() noexcept = default;
  explicit CopyClaims(std::uint64_t *word) noexcept : word_(word) {}
  [[nodiscard]] bool has_word() const noexcept { return word_ != nullptr; }

  // The receiver's side. A word belongs to one copy at a time. If the sender has claimed a part,
  // the next copy begins after the sender has reported or died.

  // Returns false if the sender is still writing a part of a copy that was given up.
  [[nodiscard]] bool begin(std::uint32_t turn) const noexcept {
    if (writing()) {
      return false;
    }
    std::atomic_ref(*word_).store(std::uint64_t{turn} << kTurnShift, std::memory_order_release);
    return true;
  }
  [[nodiscard]] ByteRange claim(std::uint32_t turn, std::uint64_t wanted) const noexcept {
    return claim(turn, wanted, 0);
  }
  // Prevents further claims.
  void close() const noexcept { std::atomic_ref(*word_).fetch_or(kPages, std::memory_order_acq_rel); }
  // True if the sender has claimed a part. The answer is final after an empty claim or close().
  [[nodiscard]] bool helped() const noexcept { return (word() & kHelps) != 0; }
  [[nodiscard]] bool writing() const noexcept { return (word() & kWrites) != 0; }

  // The sender's side.

  [[nodiscard]] ByteRange claim_to_write(std::uint32_t turn, std::uint64_t wanted) const noexcept {
    return claim(turn, wanted, kHelps | kWrites);
  }
  void written() const noexcept { std::atomic_ref(*word_).fetch_and(~kWrites, std::memory_order_release); }

private:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kShortestPart = std::uint64_t{32} << 10;
  static constexpr unsigned kTurnShift = 40;
  static constexpr std::uint64_t kHelps = std::uint64_t{1} << 39;
  static constexpr std::uint64_t kWrites = std::uint64_t{1} << 38;
  static constexpr std::uint64_t kPages = kWrites - 1;

  [[nodiscard]] static std::uint64_t length_of_claim(std::uint64_t left, std::uint64_t wanted) noexcept {
    const std::uint64_t least = std::min(kShortestPart, (wanted + 1) / 2);
    const std::uint64_t pages = (std::max(left / 2, least) + kPage - 1) / kPage;
    return std::min(pages, kLongestPart / kPage) * kPage;
  }
  [[nodiscard]] std::uint64_t word() const noexcept { return std::atomic_ref(*word_).load(std::memory_order_acquire); }
  [[nodiscard]] ByteRange claim(std::uint32_t turn, std::uint64_t wanted, std::uint64_t flags) const noexcept {
    std::uint64_t seen = word();
    while (seen >> kTurnShift == turn) {
      const std::uint64_t from = (seen & kPages) * kPage;
      if (from >= wanted) {
        break;
      }
      const std::uint64_t length = length_of_claim(wanted - from, wanted);
      const std::uint64_t claimed = (seen | flags) + length / kPage;
      if (std::atomic_ref(*word_).compare_exchange_weak(seen, claimed, std::memory_order_acq_rel)) {
        return {from, std::min(from + length, wanted)};
      }
    }
    return {};
  }

  std::uint64_t *word_ = nullptr;
};

// Returns the next turn, which has as many bits as the word's field.
[[nodiscard]] inline std::uint32_t next_turn(std::uint32_t turn) noexcept { return (turn + 1) & 0xffffff; }

} // namespace avrankmap::detail::posix

#endif
