// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A scratch bitmap in which arithmetic sequences of bits are marked and ranges of equal bits are
// found. Words are located by shifts and masks, because with -Os quotients of signed numbers
// compile to divisions.
#ifndef AVRANKMAP_SRC_BASE_BITS_H
#define AVRANKMAP_SRC_BASE_BITS_H

#include <algorithm>
#include <bit>

#include "base/memory.h"

namespace avrankmap::detail {

class Bits {
public:
  // Bits 0 .. count - 1, all clear.
  Bits(Memory &memory, std::int64_t count) noexcept : words_(memory, words_of(count)) {}

  explicit operator bool() const noexcept { return static_cast<bool>(words_); }
  [[nodiscard]] static constexpr std::size_t words_of(std::int64_t count) noexcept {
    return static_cast<std::size_t>(count) / 64 + 1;
  }

  [[nodiscard]] bool test(std::int64_t bit) const noexcept { return (word(bit) >> (bit & 63) & 1) != 0; }

  // Marks first .. last. Returns true if any of them was marked before.
  bool mark_stretch(std::int64_t first, std::int64_t last) noexcept {
    std::uint64_t before = 0;
    for (std::int64_t bit = first; bit <= last; bit = (bit | 63) + 1) {
      const std::int64_t end = std::min(last, bit | 63);
      const std::uint64_t mask = (~std::uint64_t{0} >> (63 - (end - bit))) << (bit & 63);
      before |= word(bit) & mask;
      word(bit) |= mask;
    }
    return before != 0;
  }
  // Marks `count` bits from `first`, `step` apart (of either sign). Returns true if any of them was
  // marked before.
  bool mark(std::int64_t first, std::int64_t step, std::int64_t count) noexcept {
    if (step == 1 || count == 1) {
      return mark_stretch(first, first + count - 1);
    }
    if (step == -1) {
      return mark_stretch(first - count + 1, first);
    }
    std::uint64_t before = 0;
    for (std::int64_t i = 0, bit = first; i < count; ++i, bit += step) {
      const std::uint64_t mask = std::uint64_t{1} << (bit & 63);
      before |= word(bit) & mask;
      word(bit) |= mask;
    }
    return before != 0;
  }

  // Returns the first bit in from .. end - 1 that equals `value`, or `end` if there is none.
  [[nodiscard]] std::int64_t find(bool value, std::int64_t from, std::int64_t end) const noexcept {
    const std::uint64_t flip = value ? 0 : ~std::uint64_t{0};
    for (std::int64_t bit = from; bit < end; bit = (bit | 63) + 1) {
      const std::uint64_t rest = (word(bit) ^ flip) >> (bit & 63);
      if (rest != 0) {
        return std::min(end, bit + std::countr_zero(rest));
      }
    }
    return end;
  }
  // Searches downwards: returns the last bit in end + 1 .. from that equals `value`, or `end` if
  // there is none. end >= -1.
  [[nodiscard]] std::int64_t find_down(bool value, std::int64_t from, std::int64_t end) const noexcept {
    const std::uint64_t flip = value ? 0 : ~std::uint64_t{0};
    for (std::int64_t bit = from; bit > end; bit = (bit & ~std::int64_t{63}) - 1) {
      const std::uint64_t rest = (word(bit) ^ flip) << (63 - (bit & 63));
      if (rest != 0) {
        return std::max(end, bit - std::countl_zero(rest));
      }
    }
    return end;
  }

private:
  [[nodiscard]] std::uint64_t &word(std::int64_t bit) const noexcept { return words_.data()[bit >> 6]; }

  Scratch<std::uint64_t> words_;
};

} // namespace avrankmap::detail

#endif
