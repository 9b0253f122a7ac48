// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Pattern detection: finds the formula that generates an indirect mapping array (child rank ->
// parent rank), if there is one. It works on integers only: the values may be negative, are not
// checked against a table, and are never used as indices.
//
// Patterns are tried in the paper's order: offset, then stride with a block size, then irregular.
// Detection takes one pass, because later attempts skip the elements that the offset attempt has
// verified.
//
// An array of at least one element has exactly one pattern, so two regular arrays of equal length
// are equal if and only if their patterns are.

#ifndef AVRANKMAP_SRC_RANKMAP_PATTERNS_DETECT_H
#define AVRANKMAP_SRC_RANKMAP_PATTERNS_DETECT_H

#include <cstddef>
#include <cstdint>

namespace avrankmap::detail {

enum class PatternKind : std::uint8_t {
  kDirect,   // a[i] == i
  kOffset,   // a[i] == offset + i, offset != 0
  kStride,   // a[i] == offset + i * stride, stride not 0 and not 1
  kBlocked,  // a[i] == offset + (i / block) * stride + i % block, block >= 2, n > block,
             // stride not 0 and not block; the last block may be partial
  kIrregular // everything else, including equal values (n > 1)
};

// The fields, by kind:
//
//   kind        offset  stride  block
//   kDirect     0       1       1       (n == 0: all three are 0)
//   kOffset     offset  1       1
//   kStride     offset  stride  1
//   kBlocked    offset  stride  block
//   kIrregular  0       0       0
//
// The formulas are over unbounded integers. An array that follows one only modulo 2^32, or with a
// stride that 32 bits cannot hold, is irregular.
struct Pattern {
  PatternKind kind;
  std::int32_t offset;
  std::int32_t stride;
  std::int32_t block;

  friend bool operator==(const Pattern &, const Pattern &) noexcept = default;
};

// The pattern of ranks[0..n-1]. `ranks` may be null if n == 0. Thread-safe; writes nothing. Cost:
// one read of the array up to the first element that contradicts every pattern.
[[nodiscard]] Pattern detect(const std::int32_t *ranks, std::size_t n) noexcept;

// The implementations, slowest first. All produce the same results.
enum class DetectIsa : std::uint8_t {
  kPortable, // plain C++, any architecture; the compiler vectorises it for its baseline
  kAvx2
};

inline constexpr DetectIsa kDetectIsas[] = {DetectIsa::kPortable, DetectIsa::kAvx2};

// True if `isa` was compiled in and is supported by this machine.
[[nodiscard]] bool detect_supported(DetectIsa isa) noexcept;

// The implementation that detect() uses: the fastest supported one.
[[nodiscard]] DetectIsa detect_isa() noexcept;

// detect() with a given implementation, or kPortable if that is not supported.
[[nodiscard]] Pattern detect_with(DetectIsa isa, const std::int32_t *ranks, std::size_t n) noexcept;

} // namespace avrankmap::detail

#endif
