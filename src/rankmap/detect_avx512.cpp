// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Detection kernels for AVX-512F. As with AVX2, four vectors and one branch per turn; a
// ternary-logic instruction compares (XOR) and gathers (OR) at once.

#include "rankmap/detect_kernels.h"

#if AVRM_DETECT_X86

#include <immintrin.h>

#include <algorithm>

#define AVRM_TARGET_AVX512 __attribute__((target("avx512f")))

namespace avrankmap::detail {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kTurn = 4 * kLanes;

AVRM_TARGET_AVX512 inline __m512i load(const std::int32_t *p) noexcept { return _mm512_loadu_si512(p); }

AVRM_TARGET_AVX512 inline __m512i splat(std::uint32_t v) noexcept { return _mm512_set1_epi32(static_cast<int>(v)); }

// wrong | (have ^ want)
AVRM_TARGET_AVX512 inline __m512i gather(__m512i wrong, __m512i have, __m512i want) noexcept {
  constexpr int kOrXor = 0xf0 | (0xcc ^ 0xaa);
  return _mm512_ternarylogic_epi32(wrong, have, want, kOrXor);
}

AVRM_TARGET_AVX512 inline __m512i lag_difference(const std::int32_t *p, std::size_t lag) noexcept {
  return _mm512_sub_epi32(load(p), load(p - lag));
}

AVRM_TARGET_AVX512 inline bool turn_repeats(const std::int32_t *p, std::size_t lag, __m512i want) noexcept {
  __m512i wrong = _mm512_xor_si512(lag_difference(p, lag), want);
  wrong = gather(wrong, lag_difference(p + kLanes, lag), want);
  wrong = gather(wrong, lag_difference(p + 2 * kLanes, lag), want);
  wrong = gather(wrong, lag_difference(p + 3 * kLanes, lag), want);
  return _mm512_test_epi32_mask(wrong, wrong) == 0;
}

AVRM_TARGET_AVX512 std::size_t run_length(const std::int32_t *a, std::size_t n, std::uint32_t first,
                                          std::uint32_t step) noexcept {
  // One by one up to the first boundary, so that no load below straddles cache lines.
  const std::size_t head = std::min(n, lanes_to_boundary(a, kLanes));
  std::size_t i = run_length_from(0, a, head, first, step);
  if (i < head) {
    return i;
  }
  const __m512i ramp =
      _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), splat(step));
  const __m512i next = splat(static_cast<std::uint32_t>(kLanes) * step);
  const __m512i turn = splat(static_cast<std::uint32_t>(kTurn) * step);
  __m512i want0 = _mm512_add_epi32(splat(first + static_cast<std::uint32_t>(i) * step), ramp);
  __m512i want1 = _mm512_add_epi32(want0, next);
  __m512i want2 = _mm512_add_epi32(want1, next);
  __m512i want3 = _mm512_add_epi32(want2, next);

  for (; n - i >= kTurn; i += kTurn) {
    __m512i wrong = _mm512_xor_si512(load(a + i), want0);
    wrong = gather(wrong, load(a + i + kLanes), want1);
    wrong = gather(wrong, load(a + i + 2 * kLanes), want2);
    wrong = gather(wrong, load(a + i + 3 * kLanes), want3);
    if (_mm512_test_epi32_mask(wrong, wrong) != 0) {
      return run_length_from(i, a, i + kTurn, first, step);
    }
    want0 = _mm512_add_epi32(want0, turn);
    want1 = _mm512_add_epi32(want1, turn);
    want2 = _mm512_add_epi32(want2, turn);
    want3 = _mm512_add_epi32(want3, turn);
  }
  return run_length_from(i, a, n, first, step);
}

AVRM_TARGET_AVX512 bool repeats(const std::int32_t *a, std::size_t n, std::size_t lag, std::uint32_t diff) noexcept {
  if (n - lag < kTurn) {
    return repeats_from(lag, a, n, lag, diff);
  }
  // The first and the last turn begin and end with the elements and overlap their neighbours. The
  // turns between are aligned: two loads per vector leave no room for loads that straddle lines.
  const __m512i want = splat(diff);
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

const DetectKernels kDetectAvx512 = {run_length, repeats};

} // namespace avrankmap::detail

#endif
