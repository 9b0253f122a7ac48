// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The two inner loops of pattern detection, one pair per instruction set. detect.cpp knows the
// patterns; these loops only compare numbers modulo 2^32.

#ifndef AVRANKMAP_SRC_RANKMAP_PATTERNS_DETECT_KERNELS_H
#define AVRANKMAP_SRC_RANKMAP_PATTERNS_DETECT_KERNELS_H

#include <cstddef>
#include <cstdint>

// The AVX kernels are built through target attributes and need no compiler flags.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define AVRM_DETECT_X86 1
#else
#define AVRM_DETECT_X86 0
#endif

namespace avrankmap::detail {

struct DetectKernels {
  // The smallest i with a[i] != first + i * step (mod 2^32), or n if there is none.
  std::size_t (*run_length)(const std::int32_t *a, std::size_t n, std::uint32_t first, std::uint32_t step) noexcept;

  // Whether a[i] - a[i - lag] == diff (mod 2^32) for every i in lag..n-1. 0 < lag <= n.
  bool (*repeats)(const std::int32_t *a, std::size_t n, std::size_t lag, std::uint32_t diff) noexcept;
};

extern const DetectKernels kDetectPortable;
#if AVRM_DETECT_X86
extern const DetectKernels kDetectAvx2;
#endif

// One element at a time: the ends of arrays, which every set of kernels shares.

inline std::size_t run_length_from(std::size_t i, const std::int32_t *a, std::size_t n, std::uint32_t first,
                                   std::uint32_t step) noexcept {
  while (i < n && static_cast<std::uint32_t>(a[i]) == first + static_cast<std::uint32_t>(i) * step) {
    ++i;
  }
  return i;
}

inline bool repeats_from(std::size_t i, const std::int32_t *a, std::size_t n, std::size_t lag,
                         std::uint32_t diff) noexcept {
  while (i < n && static_cast<std::uint32_t>(a[i]) - static_cast<std::uint32_t>(a[i - lag]) == diff) {
    ++i;
  }
  return i >= n;
}

// Number of elements from `p` to the next multiple of `lanes` elements in memory; 0 if `p` is at
// one. `lanes` is a power of two.
inline std::size_t lanes_to_boundary(const std::int32_t *p, std::size_t lanes) noexcept {
  return (lanes - reinterpret_cast<std::uintptr_t>(p) / sizeof *p % lanes) % lanes;
}

} // namespace avrankmap::detail

#endif
