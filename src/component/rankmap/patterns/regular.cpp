// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/patterns/regular.h"

#include <algorithm>
#include <cstdlib>

namespace avrankmap::detail {

std::int64_t value_at(const Regular &map, std::int64_t rank) noexcept {
  return map.offset + rank / map.block * map.stride + rank % map.block;
}

Range range_of(const Regular &map) noexcept {
  const std::int64_t last_block = (std::int64_t{map.size} - 1) / map.block;
  const std::int64_t last_length = map.size - last_block * map.block;
  const std::int64_t first = map.offset;
  const std::int64_t first_end = first + std::min(map.block, map.size) - 1;
  const std::int64_t last = first + last_block * map.stride;
  const std::int64_t last_end = last + last_length - 1;
  Range range{std::min(first, last), std::max(first_end, last_end)};
  if (last_block > 0) { // if the last block is short, the previous one may extend further
    const std::int64_t before_end = last - map.stride + map.block - 1;
    range.max = std::max(range.max, before_end);
  }
  return range;
}

Regular simplified(const Regular &map) noexcept {
  Regular simple = map;
  if (simple.block >= simple.size || simple.stride == simple.block) {
    simple.stride = 1;
    simple.block = 1;
  }
  return simple;
}

avrm_mode_t mode_of(const Regular &map) noexcept {
  if (map.block > 1) {
    return AVRM_MODE_BLOCKED;
  }
  if (map.stride != 1) {
    return AVRM_MODE_STRIDE;
  }
  return map.offset == 0 ? AVRM_MODE_DIRECT : AVRM_MODE_OFFSET;
}

bool has_duplicates(const Regular &map) noexcept {
  if (map.block >= map.size) {
    return false;
  }
  const std::int64_t distance = std::llabs(map.stride); // distance of two neighbouring blocks
  if (distance >= map.block) {
    return false;
  }
  if (map.size >= 2 * std::int64_t{map.block} || map.stride > 0) {
    return true;
  }
  // Two blocks, the second one short and at lower values than the first: they overlap if it reaches
  // the first.
  return map.size - std::int64_t{map.block} > distance;
}

std::optional<Regular> regular_from(const Pattern &pattern, std::int32_t size) noexcept {
  switch (pattern.kind) {
  case PatternKind::kDirect: return Regular{size, 0, 1, 1};
  case PatternKind::kOffset: return Regular{size, pattern.offset, 1, 1};
  case PatternKind::kStride: return simplified({size, pattern.offset, pattern.stride, 1});
  case PatternKind::kBlocked: return simplified({size, pattern.offset, pattern.stride, pattern.block});
  case PatternKind::kIrregular: break;
  }
  return std::nullopt;
}

} // namespace avrankmap::detail
