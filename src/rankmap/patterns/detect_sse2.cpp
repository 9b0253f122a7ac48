// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Detection kernels for SSE2, the baseline of x86-64. Each turn gathers the differences of four
// vectors with OR and has one branch. Written by hand, since with gcc -O2 the portable kernels are
// half as fast.

#include "rankmap/patterns/detect_kernels.h"

#if AVRM_DETECT_X86

#include <emmintrin.h>

#include <algorithm>

namespace avrankmap::detail {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kTurn = 4 * kLanes;

inline __m128i load(const std::int32_t *p) noexcept { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); }

inline __m128i splat(std::uint32_t v) noexcept { return _mm_set1_epi32(static_cast<int>(v)); }

inline bool all_zero(__m128i v) noexcept {
  return _mm_movemask_epi8(_mm_cmpeq_epi32(v, _mm_setzero_si128())) == 0xffff;
}

// Zero in the lanes where p[i] - p[i - lag] is diff.
inline __m128i lag_error(const std::int32_t *p, std::size_t lag, __m128i diff) noexcept {
  return _mm_xor_si128(_mm_sub_epi32(load(p), load(p - lag)), diff);
}

inline bool turn_repeats(const std::int32_t *p, std::size_t lag, __m128i want) noexcept {
  return all_zero(
      _mm_or_si128(_mm_or_si128(lag_error(p, lag, want), lag_error(p + kLanes, lag, want)),
                   _mm_or_si128(lag_error(p + 2 * kLanes, lag, want), lag_error(p + 3 * kLanes, lag, want))));
}

std::size_t run_length(const std::int32_t *a, std::size_t n, std::uint32_t first, std::uint32_t step) noexcept {
  // One by one up to the first boundary, so that no load below straddles cache lines.
  const std::size_t head = std::min(n, lanes_to_boundary(a, kLanes));
  std::size_t i = run_length_from(0, a, head, first, step);
  if (i < head) {
    return i;
  }
  const __m128i ramp =
      _mm_setr_epi32(0, static_cast<int>(step), static_cast<int>(2 * step), static_cast<int>(3 * step));
  const __m128i next = splat(static_cast<std::uint32_t>(kLanes) * step);
  const __m128i turn = splat(static_cast<std::uint32_t>(kTurn) * step);
  __m128i want0 = _mm_add_epi32(splat(first + static_cast<std::uint32_t>(i) * step), ramp);
  __m128i want1 = _mm_add_epi32(want0, next);
  __m128i want2 = _mm_add_epi32(want1, next);
  __m128i want3 = _mm_add_epi32(want2, next);

  for (; n - i >= kTurn; i += kTurn) {
    const __m128i wrong = _mm_or_si128(
        _mm_or_si128(_mm_xor_si128(load(a + i), want0), _mm_xor_si128(load(a + i + kLanes), want1)),
        _mm_or_si128(_mm_xor_si128(load(a + i + 2 * kLanes), want2), _mm_xor_si128(load(a + i + 3 * kLanes), want3)));
    if (!all_zero(wrong)) {
      return run_length_from(i, a, i + kTurn, first, step);
    }
    want0 = _mm_add_epi32(want0, turn);
    want1 = _mm_add_epi32(want1, turn);
    want2 = _mm_add_epi32(want2, turn);
    want3 = _mm_add_epi32(want3, turn);
  }
  return run_length_from(i, a, n, first, step);
}

bool repeats(const std::int32_t *a, std::size_t n, std::size_t lag, std::uint32_t diff) noexcept {
  if (n - lag < kTurn) {
    return repeats_from(lag, a, n, lag, diff);
  }
  // The first and the last turn begin and end with the elements and overlap their neighbours. The
  // turns between are aligned: two loads per vector leave no room for loads that straddle lines.
  const __m128i want = splat(diff);
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

const DetectKernels kDetectSse2 = {run_length, repeats};

} // namespace avrankmap::detail

#endif
