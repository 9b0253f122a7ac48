// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Detection kernels for AVX2. Each turn gathers the differences of four vectors with OR and has one
// branch, so that the loads and not the branches limit the speed.

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
  // One by one up to the first boundary, so that no load below straddles cache lines.
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

AVRM_TARGET_AVX2 bool repeats(const std::int32_t *a, std::size_t n, std::size_t lag, std::uint32_t diff) noexcept {
  if (n - lag < kTurn) {
    return repeats_from(lag, a, n, lag, diff);
  }
  // The first and the last turn begin and end with the elements and overlap their neighbours. The
  // turns between are aligned: two loads per vector leave no room for loads that straddle lines.
  const __m256i want = splat(diff);
  if (!turn_repeats(a + lag, lag, want)) {
    return false;
  }
  for (std::size_t i = lag + lanes_to_boundary(a + lag, kLanes); n - i >= kTurn; i += kTurn) {
    if (!turn_repeats(a + i, lag, want)) {
      return false;
    }
  }
  return turn_repeats(a + n - kTurn, lag, want);
}

} // namespace

const DetectKernels kDetectAvx2 = {run_length, repeats};

} // namespace avrankmap::detail

#endif
