// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The inner loops of pattern detection, one set per instruction set. They compare numbers modulo
// 2^32; detect.cpp implements the patterns, and create/lpids.cpp the runs.

#ifndef AVRANKMAP_SRC_RANKMAP_PATTERNS_DETECT_KERNELS_H
#define AVRANKMAP_SRC_RANKMAP_PATTERNS_DETECT_KERNELS_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

// The AVX2 kernels are compiled with target attributes and need no compiler flags.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define AVRM_DETECT_X86 1
#else
#define AVRM_DETECT_X86 0
#endif

namespace avrankmap::detail {

struct DetectKernels {
  // The smallest i with a[i] != first + i * step (mod 2^32), or n if there is none.
  std::size_t (*run_length)(const std::int32_t *a, std::size_t n, std::uint32_t first, std::uint32_t step) noexcept;

  // The smallest i >= lag with a[i] - a[i - lag] != diff (mod 2^32), or n if there is none. 0 < lag
  // <= n.
  std::size_t (*repeat_length)(const std::int32_t *a, std::size_t n, std::size_t lag, std::uint32_t diff) noexcept;

  // Bit i, for i in 0..63: whether a[i] - a[i - 1] != a[i - 1] - a[i - 2] (mod 2^32). Reads a[-2]
  // to a[63].
  std::uint64_t (*changes)(const std::int32_t *a) noexcept;

  // The greatest element of a[0..n-1], read as unsigned, so that a negative one is large; 0 if n is
  // 0.
  std::uint32_t (*greatest)(const std::int32_t *a, std::size_t n) noexcept;
  // Like `greatest`, but also copies the elements.
  std::uint32_t (*copy)(const std::int32_t *a, std::size_t n, std::uint32_t *to) noexcept;

  // The number of different elements of a[0..n-1], all of which are in 0 .. 32 * words - 1. `bits`
  // has `words` words, all 0, which are modified.
  std::size_t (*different)(const std::int32_t *a, std::size_t n, std::uint32_t *bits, std::size_t words) noexcept;
};

// The kernels of detect_isa().
[[nodiscard]] const DetectKernels &detect_kernels() noexcept;

extern const DetectKernels kDetectPortable;
#if AVRM_DETECT_X86
extern const DetectKernels kDetectAvx2;
#endif

// Element-by-element versions for the ends of arrays, used by every set of kernels.

inline std::size_t run_length_from(std::size_t i, const std::int32_t *a, std::size_t n, std::uint32_t first,
                                   std::uint32_t step) noexcept {
  while (i < n && static_cast<std::uint32_t>(a[i]) == first + static_cast<std::uint32_t>(i) * step) {
    ++i;
  }
  return i;
}

inline std::size_t repeat_length_from(std::size_t i, const std::int32_t *a, std::size_t n, std::size_t lag,
                                      std::uint32_t diff) noexcept {
  while (i < n && static_cast<std::uint32_t>(a[i]) - static_cast<std::uint32_t>(a[i - lag]) == diff) {
    ++i;
  }
  return i;
}

inline std::uint32_t greatest_from(std::size_t i, const std::int32_t *a, std::size_t n,
                                   std::uint32_t greatest) noexcept {
  for (; i < n; ++i) {
    greatest = std::max(greatest, static_cast<std::uint32_t>(a[i]));
  }
  return greatest;
}

inline std::uint32_t copy_from(std::size_t i, const std::int32_t *a, std::size_t n, std::uint32_t *to,
                               std::uint32_t greatest) noexcept {
  for (; i < n; ++i) {
    to[i] = static_cast<std::uint32_t>(a[i]);
    greatest = std::max(greatest, to[i]);
  }
  return greatest;
}

// Uses 32-bit words: with longer words, successive updates for nearby numbers would depend on each
// other more often.
inline void mark(std::int32_t element, std::uint32_t *bits) noexcept {
  const auto number = static_cast<std::uint32_t>(element);
  bits[number / 32] |= std::uint32_t{1} << number % 32;
}

// Marks a bit per element, then counts all bits. No branch depends on the elements. Reads four
// parts of the array in turn: neighbours in the array are often in one word, and an update of a
// word waits for the previous update of this word.
[[gnu::always_inline]] inline std::size_t count_different(const std::int32_t *a, std::size_t n, std::uint32_t *bits,
                                                          std::size_t words) noexcept {
  const std::size_t part = n / 4;
  for (std::size_t i = 0; i < part; ++i) {
    mark(a[i], bits);
    mark(a[part + i], bits);
    mark(a[2 * part + i], bits);
    mark(a[3 * part + i], bits);
  }
  for (std::size_t i = 4 * part; i < n; ++i) {
    mark(a[i], bits);
  }
  std::size_t marked = 0;
  for (std::size_t word = 0; word < words; ++word) {
    marked += static_cast<std::size_t>(std::popcount(bits[word]));
  }
  return marked;
}

// True if the difference to the previous element changes at `a`.
inline bool is_change(const std::int32_t *a) noexcept {
  return static_cast<std::uint32_t>(a[0]) + static_cast<std::uint32_t>(a[-2]) != 2 * static_cast<std::uint32_t>(a[-1]);
}

// Number of elements from `p` to the next multiple of `lanes` elements in memory; 0 if `p` is at
// such a multiple. `lanes` is a power of two.
inline std::size_t lanes_to_boundary(const std::int32_t *p, std::size_t lanes) noexcept {
  return (lanes - reinterpret_cast<std::uintptr_t>(p) / sizeof *p % lanes) % lanes;
}

} // namespace avrankmap::detail

#endif
