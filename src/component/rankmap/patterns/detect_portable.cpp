// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Detection kernels in plain C++. Chunks have a constant length and no early exit, so that gcc -O2
// and clang -O2 vectorise them for the architecture's baseline.

#include "rankmap/patterns/detect_kernels.h"

namespace avrankmap::detail {
namespace {

constexpr std::size_t kChunk = 64;

std::size_t run_length(const std::int32_t *a, std::size_t n, std::uint32_t first, std::uint32_t step) noexcept {
  std::size_t i = 0;
  if (n >= kChunk) {
    // Multiples of the step, computed once: baseline x86-64 has no vector multiply for 32 bits.
    std::uint32_t ramp[kChunk];
    for (std::size_t j = 0; j < kChunk; ++j) {
      ramp[j] = static_cast<std::uint32_t>(j) * step;
    }
    for (; n - i >= kChunk; i += kChunk) {
      const std::uint32_t base = first + static_cast<std::uint32_t>(i) * step;
      std::uint32_t wrong = 0;
      for (std::size_t j = 0; j < kChunk; ++j) {
        wrong |= static_cast<std::uint32_t>(a[i + j]) ^ (base + ramp[j]);
      }
      if (wrong != 0) {
        return run_length_from(i, a, i + kChunk, first, step);
      }
    }
  }
  return run_length_from(i, a, n, first, step);
}

std::size_t repeat_length(const std::int32_t *a, std::size_t n, std::size_t lag, std::uint32_t diff) noexcept {
  std::size_t i = lag;
  for (; n - i >= kChunk; i += kChunk) {
    const std::int32_t *p = a + i;
    const std::int32_t *earlier = p - lag;
    std::uint32_t wrong = 0;
    for (std::size_t j = 0; j < kChunk; ++j) {
      wrong |= (static_cast<std::uint32_t>(p[j]) - static_cast<std::uint32_t>(earlier[j])) ^ diff;
    }
    if (wrong != 0) {
      break;
    }
  }
  return repeat_length_from(i, a, n, lag, diff);
}

std::uint64_t changes(const std::int32_t *a) noexcept {
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) {
    bits |= std::uint64_t{is_change(a + i) ? 1U : 0U} << i;
  }
  return bits;
}

std::uint32_t greatest(const std::int32_t *a, std::size_t n) noexcept { return greatest_from(0, a, n, 0); }

std::uint32_t copy(const std::int32_t *a, std::size_t n, std::uint32_t *to) noexcept {
  return copy_from(0, a, n, to, 0);
}

std::size_t different(const std::int32_t *a, std::size_t n, std::uint32_t *bits, std::size_t words) noexcept {
  return count_different(a, n, bits, words);
}

} // namespace

const DetectKernels kDetectPortable = {run_length, repeat_length, changes, greatest, copy, different};

} // namespace avrankmap::detail
