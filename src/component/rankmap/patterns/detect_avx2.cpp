// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Detection kernels for AVX2. Each iteration combines the differences of four vectors with OR and
// has one branch, so that loads and not branches limit the speed.

#include "rankmap/patterns/detect_kernels.h"

#if AVRM_DETECT_X86

#include <immintrin.h>

#include <algorithm>

#define AVRM_TARGET_AVX2 __attribute__((target("avx2")))

namespace avrankmap::detail {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kTurn = 4 * kLanes;

AVRM_TARGET_AVX2 inline __m256i load(const std::int32_t *p) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
}

AVRM_TARGET_AVX2 inline __m256i splat(std::uint32_t v) noexcept { return _mm256_set1_epi32(static_cast<int>(v)); }

// Zero in the lanes where p[i] - p[i - lag] is diff.
AVRM_TARGET_AVX2 inline __m256i lag_error(const std::int32_t *p, std::size_t lag, __m256i diff) noexcept {
  return _mm256_xor_si256(_mm256_sub_epi32(load(p), load(p - lag)), diff);
}

AVRM_TARGET_AVX2 inline bool turn_repeats(const std::int32_t *p, std::size_t lag, __m256i want) noexcept {
  const __m256i wrong =
      _mm256_or_si256(_mm256_or_si256(lag_error(p, lag, want), lag_error(p + kLanes, lag, want)),
                      _mm256_or_si256(lag_error(p + 2 * kLanes, lag, want), lag_error(p + 3 * kLanes, lag, want)));
  return _mm256_testz_si256(wrong, wrong) != 0;
}

AVRM_TARGET_AVX2 std::size_t run_length(const std::int32_t *a, std::size_t n, std::uint32_t first,
                                        std::uint32_t step) noexcept {
  // Element by element up to the first boundary, so that no load below straddles cache lines.
  const std::size_t head = std::min(n, lanes_to_boundary(a, kLanes));
  std::size_t i = run_length_from(0, a, head, first, step);
  if (i < head) {
    return i;
  }
  const __m256i ramp = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), splat(step));
  const __m256i next = splat(static_cast<std::uint32_t>(kLanes) * step);
  const __m256i turn = splat(static_cast<std::uint32_t>(kTurn) * step);
  __m256i want0 = _mm256_add_epi32(splat(first + static_cast<std::uint32_t>(i) * step), ramp);
  __m256i want1 = _mm256_add_epi32(want0, next);
  __m256i want2 = _mm256_add_epi32(want1, next);
  __m256i want3 = _mm256_add_epi32(want2, next);

  for (; n - i >= kTurn; i += kTurn) {
    const __m256i wrong = _mm256_or_si256(
        _mm256_or_si256(_mm256_xor_si256(load(a + i), want0), _mm256_xor_si256(load(a + i + kLanes), want1)),
        _mm256_or_si256(_mm256_xor_si256(load(a + i + 2 * kLanes), want2),
                        _mm256_xor_si256(load(a + i + 3 * kLanes), want3)));
    if (_mm256_testz_si256(wrong, wrong) == 0) {
      return run_length_from(i, a, i + kTurn, first, step);
    }
    want0 = _mm256_add_epi32(want0, turn);
    want1 = _mm256_add_epi32(want1, turn);
    want2 = _mm256_add_epi32(want2, turn);
    want3 = _mm256_add_epi32(want3, turn);
  }
  return run_length_from(i, a, n, first, step);
}

AVRM_TARGET_AVX2 std::size_t repeat_length(const std::int32_t *a, std::size_t n, std::size_t lag,
                                           std::uint32_t diff) noexcept {
  if (n - lag < kTurn) {
    return repeat_length_from(lag, a, n, lag, diff);
  }
  // The first and the last iteration begin and end with the array and overlap their neighbours. The
  // iterations between them are aligned: with two loads per vector, loads that straddle cache lines
  // would limit the speed.
  const __m256i want = splat(diff);
  if (!turn_repeats(a + lag, lag, want)) {
    return repeat_length_from(lag, a, n, lag, diff);
  }
  std::size_t i = lag + lanes_to_boundary(a + lag, kLanes);
  while (n - i >= kTurn && turn_repeats(a + i, lag, want)) {
    i += kTurn;
  }
  return n - i < kTurn && turn_repeats(a + n - kTurn, lag, want) ? n : repeat_length_from(i, a, n, lag, diff);
}

// 1 in the lanes where the difference to the previous element changes.
AVRM_TARGET_AVX2 inline std::uint64_t changes_of_lanes(const std::int32_t *p) noexcept {
  const __m256i twice = _mm256_slli_epi32(load(p - 1), 1);
  const __m256i same = _mm256_cmpeq_epi32(_mm256_add_epi32(load(p), load(p - 2)), twice);
  return static_cast<std::uint64_t>(~_mm256_movemask_ps(_mm256_castsi256_ps(same)) & 0xff);
}

AVRM_TARGET_AVX2 std::uint64_t changes(const std::int32_t *a) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 64; i += kLanes) {
    bits |= changes_of_lanes(a + i) << i;
  }
  return bits;
}

AVRM_TARGET_AVX2 inline std::uint32_t greatest_lane(__m256i values) noexcept {
  alignas(32) std::uint32_t lanes[kLanes];
  _mm256_store_si256(reinterpret_cast<__m256i *>(lanes), values);
  return *std::max_element(lanes, lanes + kLanes);
}

AVRM_TARGET_AVX2 std::uint32_t greatest(const std::int32_t *a, std::size_t n) noexcept {
  __m256i most[2] = {};
  std::size_t i = 0;
  for (; n - i >= 2 * kLanes; i += 2 * kLanes) {
    most[0] = _mm256_max_epu32(most[0], load(a + i));
    most[1] = _mm256_max_epu32(most[1], load(a + i + kLanes));
  }
  return greatest_from(i, a, n, greatest_lane(_mm256_max_epu32(most[0], most[1])));
}

AVRM_TARGET_AVX2 std::uint32_t copy(const std::int32_t *a, std::size_t n, std::uint32_t *to) noexcept {
  __m256i most = {};
  std::size_t i = 0;
  for (; n - i >= kLanes; i += kLanes) {
    const __m256i values = load(a + i);
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), values);
    most = _mm256_max_epu32(most, values);
  }
  return copy_from(i, a, n, to, greatest_lane(most));
}

// The target attribute enables the instruction that counts bits.
AVRM_TARGET_AVX2 std::size_t different(const std::int32_t *a, std::size_t n, std::uint32_t *bits,
                                       std::size_t words) noexcept {
  return count_different(a, n, bits, words);
}

} // namespace

const DetectKernels kDetectAvx2 = {run_length, repeat_length, changes, greatest, copy, different};

} // namespace avrankmap::detail

#endif
