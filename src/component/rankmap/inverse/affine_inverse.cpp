// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/inverse/affine_inverse.h"

#include <bit>
#include <cstring>

#include "rankmap/patterns/detect.h"
#include "rankmap/patterns/detect_kernels.h"
#include "rankmap/vector_loops.h"

namespace avrankmap::detail {

AffineInverse::AffineInverse(const Regular &map) noexcept : size_(static_cast<std::uint32_t>(map.size)) {
  const auto stride = static_cast<std::uint32_t>(map.stride);
  shift_ = static_cast<std::uint32_t>(std::countr_zero(stride));
  const auto odd = static_cast<std::uint32_t>(map.stride >> shift_);
  factor_ = odd * 3 ^ 2; // correct in 5 bits; each iteration doubles their number
  for (int bits = 5; bits < 32; bits *= 2) {
    factor_ *= 2 - odd * factor_;
  }
  start_ = 0 - static_cast<std::uint32_t>(map.offset) * factor_;
}

AffineInverse AffineInverse::after(const Regular &inner) const noexcept {
  AffineInverse all = *this;
  all.start_ += static_cast<std::uint32_t>(inner.offset) * factor_;
  all.factor_ *= static_cast<std::uint32_t>(inner.stride);
  return all;
}

void AffineInverse::ranks_of(std::int32_t pgid, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) const noexcept {
  const AffineInverse own = *this; // the compiler knows that stores do not change it
  in_vector_loops(count, [=](std::size_t first, auto n) {
    std::int32_t block[n];
    for (std::size_t i = 0; i < n; ++i) {
      const avrm_gpid_t process = processes[first + i];
      const std::int32_t rank = own.rank_of(process.lpid);
      block[i] = process.pgid == pgid ? rank : AVRM_UNDEFINED;
    }
    std::memcpy(ranks + first, block, sizeof block);
  });
}

[[gnu::always_inline]] inline void AffineInverse::translate_here(std::size_t count, const std::int32_t *lpids,
                                                                 std::int32_t *ranks) const noexcept {
  const AffineInverse own = *this;
  in_vector_loops(count, [=](std::size_t first, auto n) {
    std::int32_t block[n];
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t lpid = lpids[first + i];
      const std::int32_t rank = own.rank_of(lpid);
      block[i] = lpid == AVRM_PROC_NULL ? AVRM_PROC_NULL : rank;
    }
    std::memcpy(ranks + first, block, sizeof block);
  });
}

#if AVRM_DETECT_X86
// SSE2, the baseline of x86-64, has no vector multiplication of 32-bit numbers modulo 2^32. AVX2
// takes a quarter of the time.
__attribute__((target("avx2"))) void AffineInverse::translate_avx2(std::size_t count, const std::int32_t *lpids,
                                                                   std::int32_t *ranks) const noexcept {
  translate_here(count, lpids, ranks);
}
#endif

void AffineInverse::translate(std::size_t count, const std::int32_t *lpids, std::int32_t *ranks) const noexcept {
#if AVRM_DETECT_X86
  constexpr std::size_t kMany = 256;
  if (count >= kMany && detect_isa() >= DetectIsa::kAvx2) {
    return translate_avx2(count, lpids, ranks);
  }
#endif
  translate_here(count, lpids, ranks);
}

} // namespace avrankmap::detail
