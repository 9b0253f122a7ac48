// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "rankmap/patterns/detect.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "rankmap/patterns/detect_kernels.h"

#if AVRM_DETECT_X86
#include <cpuid.h>
#endif

namespace avrankmap::detail {
namespace {

constexpr Pattern kNoPattern = {PatternKind::kIrregular, 0, 0, 0};

// Blocks of at least this length are verified as one run each; shorter ones by comparison with an
// earlier block. The latter takes no call per block, but reads each element twice. On the second
// read, the element must still be in the L1 cache, as 4096 elements (16 KiB) are.
constexpr std::size_t kLongBlock = 2048;
constexpr std::size_t kMaxLag = 4096;

// Elements in a cache line.
constexpr std::size_t kLine = 64 / sizeof(std::int32_t);

constexpr bool fits_int32(std::int64_t v) noexcept {
  return v >= std::numeric_limits<std::int32_t>::min() && v <= std::numeric_limits<std::int32_t>::max();
}

// True if first + count * step, over unbounded integers, is an int32, where first is an int32 and
// step is not 0. A count beyond 32 bits is never in range; returning early keeps the product within
// 64 bits.
constexpr bool reaches_int32(std::int64_t first, std::size_t count, std::int64_t step) noexcept {
  return count <= std::numeric_limits<std::uint32_t>::max() &&
         fits_int32(first + static_cast<std::int64_t>(count) * step);
}

// The kernels compare modulo 2^32. An array that follows a formula modulo 2^32 and whose extreme
// values (over unbounded integers) are int32 follows the formula exactly.

bool blocks_stay_in_int32(std::int64_t offset, std::int64_t stride, std::size_t block, std::size_t n) noexcept {
  // The extremes are in the first block, which is verified, or at one of these three positions: the
  // start of the last block, its end, and the end of the block before it if the last one is
  // partial.
  const std::size_t last = (n - 1) / block;
  const std::int64_t last_length = static_cast<std::int64_t>(n - last * block);
  return reaches_int32(offset, last, stride) && reaches_int32(offset + last_length - 1, last, stride) &&
         reaches_int32(offset + static_cast<std::int64_t>(block) - 1, last - 1, stride);
}

bool blocks_match(const DetectKernels &kernels, const std::int32_t *ranks, std::size_t n, std::size_t block,
                  std::uint32_t stride) noexcept {
  if (block < kLongBlock) {
    // A lag that is a multiple of the cache line keeps both loads aligned.
    const std::size_t blocks = kLine / std::gcd(block, kLine);
    const std::size_t lag = blocks * block;
    if (lag >= n || lag > kMaxLag) {
      return kernels.repeat_length(ranks, n, block, stride) == n;
    }
    return kernels.repeat_length(ranks, lag, block, stride) == lag &&
           kernels.repeat_length(ranks, n, lag, static_cast<std::uint32_t>(blocks) * stride) == n;
  }
  std::uint32_t first = static_cast<std::uint32_t>(ranks[0]);
  for (std::size_t i = block; i < n; i += block) {
    first += stride;
    const std::size_t length = std::min(block, n - i);
    if (kernels.run_length(ranks + i, length, first, 1) != length) {
      return false;
    }
  }
  return true;
}

// ranks[0..block-1] is a run of step 1 (modulo 2^32) that ranks[block] does not continue.
Pattern detect_blocked(const DetectKernels &kernels, const std::int32_t *ranks, std::size_t n,
                       std::size_t block) noexcept {
  const std::int64_t offset = ranks[0];
  const std::int64_t stride = std::int64_t{ranks[block]} - offset;
  if (stride == 0 || !fits_int32(stride) || !fits_int32(static_cast<std::int64_t>(block)) ||
      !reaches_int32(offset, block - 1, 1)) {
    return kNoPattern;
  }
  if (!blocks_match(kernels, ranks, n, block, static_cast<std::uint32_t>(stride)) ||
      !blocks_stay_in_int32(offset, stride, block, n)) {
    return kNoPattern;
  }
  return {PatternKind::kBlocked, ranks[0], static_cast<std::int32_t>(stride), static_cast<std::int32_t>(block)};
}

Pattern affine(std::int32_t offset, std::int32_t stride) noexcept {
  if (stride != 1) {
    return {PatternKind::kStride, offset, stride, 1};
  }
  return {offset == 0 ? PatternKind::kDirect : PatternKind::kOffset, offset, 1, 1};
}

Pattern detect_by(const DetectKernels &kernels, const std::int32_t *ranks, std::size_t n) noexcept {
  if (n == 0) {
    return {PatternKind::kDirect, 0, 0, 0};
  }
  if (n == 1) {
    return affine(ranks[0], 1);
  }
  const std::int64_t offset = ranks[0];
  const std::int64_t step = std::int64_t{ranks[1]} - offset;
  if (step == 0 || !fits_int32(step)) {
    return kNoPattern;
  }
  const std::size_t verified =
      kernels.run_length(ranks, n, static_cast<std::uint32_t>(ranks[0]), static_cast<std::uint32_t>(step));
  if (verified == n) {
    return reaches_int32(offset, n - 1, step) ? affine(ranks[0], static_cast<std::int32_t>(step)) : kNoPattern;
  }
  // Blocks of one element are strides, whose check has just failed.
  return step == 1 ? detect_blocked(kernels, ranks, n, verified) : kNoPattern;
}

// The kernels of a supported implementation.
const DetectKernels &kernels_of(DetectIsa isa) noexcept {
  switch (isa) {
#if AVRM_DETECT_X86
  case DetectIsa::kAvx2: return kDetectAvx2;
#else
  case DetectIsa::kAvx2:
#endif
  case DetectIsa::kPortable: break;
  }
  return kDetectPortable;
}

#if AVRM_DETECT_X86
// __builtin_cpu_supports would link 5 KB of tables of processor models.
bool has_avx2() noexcept {
  constexpr unsigned kSaved = 0x06; // xgetbv: the operating system saves the registers
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & bit_OSXSAVE) == 0) {
    return false;
  }
  unsigned saved = 0;
  __asm__("xgetbv" : "=a"(saved), "=d"(edx) : "c"(0));
  return (saved & kSaved) == kSaved && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_AVX2) != 0;
}
#endif

// 0 until the first call, then 1 + the number of the fastest implementation. Threads that choose
// concurrently store the same value. Querying the processor takes microseconds on virtual machines.
constinit std::atomic<std::uint8_t> chosen = 0;

} // namespace

bool detect_supported(DetectIsa isa) noexcept {
#if AVRM_DETECT_X86
  switch (isa) {
  case DetectIsa::kPortable: return true;
  case DetectIsa::kAvx2: return has_avx2();
  }
  return false;
#else
  return isa == DetectIsa::kPortable;
#endif
}

DetectIsa detect_isa() noexcept {
  if (const std::uint8_t known = chosen.load(std::memory_order_relaxed); known != 0) {
    return static_cast<DetectIsa>(known - 1);
  }
  DetectIsa best = DetectIsa::kPortable;
  for (const DetectIsa isa : kDetectIsas) {
    if (detect_supported(isa)) {
      best = isa;
    }
  }
  chosen.store(static_cast<std::uint8_t>(static_cast<std::uint8_t>(best) + 1), std::memory_order_relaxed);
  return best;
}

const DetectKernels &detect_kernels() noexcept { return kernels_of(detect_isa()); }

Pattern detect(const std::int32_t *ranks, std::size_t n) noexcept { return detect_by(detect_kernels(), ranks, n); }

Pattern detect_with(DetectIsa isa, const std::int32_t *ranks, std::size_t n) noexcept {
  return detect_by(kernels_of(detect_supported(isa) ? isa : DetectIsa::kPortable), ranks, n);
}

} // namespace avrankmap::detail
