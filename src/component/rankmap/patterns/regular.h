// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Regular maps as integers: rank -> offset + (rank / block) * stride + rank % block. A block of 1
// makes the map affine: offset + rank * stride. Used for both rankmaps and indirect mapping arrays.
#ifndef AVRANKMAP_SRC_RANKMAP_PATTERNS_REGULAR_H
#define AVRANKMAP_SRC_RANKMAP_PATTERNS_REGULAR_H

#include <cstdint>
#include <optional>

#include "avrankmap/rankmap.h"
#include "rankmap/patterns/detect.h"

namespace avrankmap::detail {

// The largest lpid: an AV has at most 2^31 - 1 elements.
inline constexpr std::int64_t kMaxLpid = 0x7ffffffe;

struct Regular {
  std::int32_t size = 1;
  std::int32_t offset = 0;
  std::int32_t stride = 1;
  std::int32_t block = 1;

  friend bool operator==(const Regular &, const Regular &) = default;
};

struct Range {
  std::int64_t min;
  std::int64_t max;
};

// The value at a rank, 0 <= rank < size.
[[nodiscard]] std::int64_t value_at(const Regular &map, std::int64_t rank) noexcept;

// Least and greatest value over all ranks, in 64 bits so that they are also correct for parameters
// that overflow 32 bits.
[[nodiscard]] Range range_of(const Regular &map) noexcept;

// The same function in its simplest form: with block 1 where blocks make no difference, and stride
// 1 where there is no second rank.
[[nodiscard]] Regular simplified(const Regular &map) noexcept;

// Mode of a simplified map.
[[nodiscard]] avrm_mode_t mode_of(const Regular &map) noexcept;

// True if some value occurs twice.
[[nodiscard]] bool has_duplicates(const Regular &map) noexcept;

// The regular map of a detected pattern, simplified; nothing if the pattern is irregular.
[[nodiscard]] std::optional<Regular> regular_from(const Pattern &pattern, std::int32_t size) noexcept;

} // namespace avrankmap::detail

#endif
