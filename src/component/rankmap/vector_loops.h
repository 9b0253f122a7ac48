// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over ranks that compilers vectorise at -O2, which they do only for loops with a constant
// number of iterations.
#ifndef AVRANKMAP_SRC_RANKMAP_VECTOR_LOOPS_H
#define AVRANKMAP_SRC_RANKMAP_VECTOR_LOOPS_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "avrankmap/rankmap.h"

namespace avrankmap::detail {

// Calls step(first, n) for elements first .. first + n - 1, until all `count` are done. `n` is a
// constant.
template <typename Step> [[gnu::always_inline]] inline void in_vector_loops(std::size_t count, Step step) noexcept {
  constexpr std::size_t kBlock = 16;
  std::size_t first = 0;
  for (; count - first >= kBlock; first += kBlock) {
    step(first, std::integral_constant<std::size_t, kBlock>());
  }
  for (; first < count; ++first) {
    step(first, std::integral_constant<std::size_t, 1>());
  }
}

// Returns true if all `ranks` are ranks of a map of this size or, with `nobody`, AVRM_PROC_NULL.
template <bool nobody>
[[nodiscard]] bool are_ranks(std::int32_t size, std::size_t count, const std::int32_t *ranks) noexcept {
  const std::uint32_t last = static_cast<std::uint32_t>(size) - 1;
  std::uint32_t seen = 0;
  in_vector_loops(count, [&](std::size_t first, auto n) {
    std::uint32_t block = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t rank = ranks[first + i];
      // For a valid rank, neither the rank nor its distance to the last rank has the sign bit set.
      const std::uint32_t bits = static_cast<std::uint32_t>(rank) | (last - static_cast<std::uint32_t>(rank));
      block |= nobody && rank == AVRM_PROC_NULL ? 0 : bits;
    }
    seen |= block;
  });
  return seen >> 31 == 0;
}

} // namespace avrankmap::detail

#endif
