// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random numbers at which arithmetic fails: the ends of a type, powers of two, 0, and their
// neighbours, besides small and random ones.
#ifndef AVRANKMAP_TESTS_RANDOM_ARGUMENTS_DRAW_H
#define AVRANKMAP_TESTS_RANDOM_ARGUMENTS_DRAW_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

namespace avrankmap::test {

class Draw {
public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  // 0 .. bound - 1.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  // Any number of an integer type or an enumeration.
  template <typename T> T any() {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(any<std::underlying_type_t<T>>());
    } else {
      constexpr auto kBits = static_cast<std::uint64_t>(std::numeric_limits<T>::digits);
      const std::uint64_t small = below(3) - 1;
      switch (below(5)) {
      case 0: return static_cast<T>(below(20));
      case 1: return static_cast<T>((std::uint64_t{1} << below(kBits)) + small);
      case 2: return static_cast<T>(0 - (std::uint64_t{1} << below(kBits)) + small);
      case 3: return static_cast<T>(static_cast<std::uint64_t>(std::numeric_limits<T>::max()) + small);
      default: return static_cast<T>(engine_() >> below(64));
      }
    }
  }

  // A number from first to last, near an end or a power of two as often as elsewhere.
  std::int64_t inside(std::int64_t first, std::int64_t last) {
    const std::uint64_t count = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
    const std::uint64_t distance = std::min(any<std::uint32_t>() % count, count - 1);
    return one_in(3) ? last - static_cast<std::int64_t>(distance) : first + static_cast<std::int64_t>(distance);
  }
  // The same as an int32_t, but any number at times.
  std::int32_t near(std::int64_t first, std::int64_t last) {
    return first > last || one_in(20) ? any<std::int32_t>() : static_cast<std::int32_t>(inside(first, last));
  }

private:
  std::mt19937_64 engine_;
};

} // namespace avrankmap::test

#endif
