// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/creation/summing_pass.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace avrankmap::bench {
namespace {

std::int64_t sum_portable(const std::int32_t *values, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[i];
  }
  return sum;
}

#if defined(__x86_64__)

// Written out, so that the yardstick does not depend on what a compiler makes of a loop at -O2.

__attribute__((target("avx2"))) std::int64_t sum_avx2(const std::int32_t *values, std::size_t count) {
  __m256i sums[4] = {};
  std::size_t i = 0;
  for (; count - i >= 16; i += 16) {
    for (std::size_t j = 0; j < 4; ++j) {
      const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i *>(values + i + 4 * j));
      sums[j] = _mm256_add_epi64(sums[j], _mm256_cvtepi32_epi64(four));
    }
  }
  alignas(32) std::int64_t lanes[16];
  std::int64_t sum = sum_portable(values + i, count - i);
  for (std::size_t j = 0; j < 4; ++j) {
    _mm256_store_si256(reinterpret_cast<__m256i *>(lanes + 4 * j), sums[j]);
  }
  for (const std::int64_t lane : lanes) {
    sum += lane;
  }
  return sum;
}

__attribute__((target("avx512f"))) std::int64_t sum_avx512(const std::int32_t *values, std::size_t count) {
  __m512i sums[4] = {};
  std::size_t i = 0;
  for (; count - i >= 32; i += 32) {
    for (std::size_t j = 0; j < 4; ++j) {
      const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(values + i + 8 * j));
      sums[j] = _mm512_add_epi64(sums[j], _mm512_maskz_cvtepi32_epi64(0xff, eight));
    }
  }
  alignas(64) std::int64_t lanes[32];
  std::int64_t sum = sum_portable(values + i, count - i);
  for (std::size_t j = 0; j < 4; ++j) {
    _mm512_store_si512(lanes + 8 * j, sums[j]);
  }
  for (const std::int64_t lane : lanes) {
    sum += lane;
  }
  return sum;
}

#endif

} // namespace

std::int64_t summing_pass(const std::int32_t *values, std::size_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    return sum_avx512(values, count);
  }
  if (__builtin_cpu_supports("avx2")) {
    return sum_avx2(values, count);
  }
#endif
  return sum_portable(values, count);
}

} // namespace avrankmap::bench
