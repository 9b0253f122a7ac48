// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An array that grows while it is read. It consists of pieces, each as long as all earlier ones
// together, so that nothing moves. One writer at a time allocates pieces; readers take no lock.
// Elements of new pieces are zero.
#ifndef AVRANKMAP_SRC_AV_MULTI_ADDRESS_GROWING_ARRAY_H
#define AVRANKMAP_SRC_AV_MULTI_ADDRESS_GROWING_ARRAY_H

#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/memory.h"

namespace avrankmap::detail {

// The first piece has 2^kFirstBits elements.
template <typename T, int kFirstBits> class GrowingArray {
  static_assert(std::is_trivially_destructible_v<T>);

public:
  GrowingArray() noexcept = default;
  GrowingArray(const GrowingArray &) = delete;
  GrowingArray &operator=(const GrowingArray &) = delete;

  // An element, or null if its piece was not allocated.
  [[nodiscard]] T *at(std::uint32_t i) const noexcept {
    const Place place = place_of(i);
    T *const piece = pieces_[place.piece].load(std::memory_order_acquire);
    return piece == nullptr ? nullptr : piece + place.index;
  }
  // For the writer: allocates the piece of an element. Returns false if out of memory.
  [[nodiscard]] bool make(Memory &memory, std::uint32_t i) noexcept {
    const int number = place_of(i).piece;
    if (pieces_[number].load(std::memory_order_relaxed) == nullptr) {
      auto *const piece = static_cast<T *>(memory.allocate(length(number) * sizeof(T), alignof(T), AVRM_MEM_AV));
      if (piece == nullptr) {
        return false;
      }
      pieces_[number].store(piece, std::memory_order_release);
      bytes_.store(bytes_.load(std::memory_order_relaxed) + length(number) * sizeof(T), std::memory_order_relaxed);
    }
    return true;
  }
  // Bit mask of the allocated pieces.
  [[nodiscard]] std::uint64_t pieces() const noexcept {
    std::uint64_t bits = 0;
    for (int number = 0; number < kPieces; ++number) {
      const bool is_there = pieces_[number].load(std::memory_order_relaxed) != nullptr;
      bits |= std::uint64_t{is_there ? 1U : 0U} << number;
    }
    return bits;
  }
  // For the writer: releases all pieces except `pieces`. No reader may have a pointer into a
  // released piece.
  void keep_only(Memory &memory, std::uint64_t pieces) noexcept {
    for (int number = 0; number < kPieces; ++number) {
      if ((pieces >> number & 1) == 0 && pieces_[number].load(std::memory_order_relaxed) != nullptr) {
        const std::size_t bytes = length(number) * sizeof(T);
        memory.release(pieces_[number].exchange(nullptr, std::memory_order_relaxed), bytes, alignof(T), AVRM_MEM_AV);
        bytes_.store(bytes_.load(std::memory_order_relaxed) - bytes, std::memory_order_relaxed);
      }
    }
  }
  // Number of elements from `i` to the end of its piece, including `i`.
  [[nodiscard]] static std::uint64_t rest_of_piece(std::uint32_t i) noexcept {
    const Place place = place_of(i);
    return length(place.piece) - place.index;
  }
  // Bytes in addition to the object itself. Lock-free.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  // No other thread may still be reading.
  void release(Memory &memory) noexcept {
    for (int number = 0; number < kPieces; ++number) {
      memory.release(pieces_[number].load(std::memory_order_relaxed), length(number) * sizeof(T), alignof(T),
                     AVRM_MEM_AV);
    }
  }

private:
  static constexpr int kPieces = 32 - kFirstBits + 1;

  struct Place {
    int piece;
    std::uint32_t index;
  };
  [[nodiscard]] static Place place_of(std::uint32_t i) noexcept {
    if (i < (std::uint32_t{1} << kFirstBits)) {
      return {0, i};
    }
    const int top = static_cast<int>(std::bit_width(i)) - 1;
    return {top - kFirstBits + 1, i ^ (std::uint32_t{1} << top)};
  }
  [[nodiscard]] static std::size_t length(int piece) noexcept {
    return std::size_t{1} << (piece == 0 ? kFirstBits : kFirstBits + piece - 1);
  }

  std::atomic<T *> pieces_[kPieces]{};
  std::atomic<std::uint64_t> bytes_{0};
};

} // namespace avrankmap::detail

#endif
