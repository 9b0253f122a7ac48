// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/patterns/closed_form.h"

#include <limits>

namespace avrankmap::detail {

namespace {

bool fits(std::int64_t value) noexcept {
  return value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
}

std::optional<Regular> make(std::int32_t size, std::int64_t offset, std::int64_t stride, std::int32_t block) noexcept {
  if (size <= block) { // one block: the distance to the next one is irrelevant and may not fit
    stride = 1;
    block = 1;
  }
  if (!fits(offset) || !fits(stride) || stride == 0) {
    return std::nullopt;
  }
  return simplified({size, static_cast<std::int32_t>(offset), static_cast<std::int32_t>(stride), block});
}

bool is_contiguous(const Regular &map) noexcept { return map.block == 1 && map.stride == 1; }

std::optional<Regular> compose_with_blocked(const Regular &outer, const Regular &inner) noexcept {
  const std::int64_t first_block = inner.offset / outer.block;
  const std::int64_t within = inner.offset % outer.block;
  const std::int64_t offset = outer.offset + first_block * outer.stride + within;

  const Range range = range_of(inner);
  if (range.min / outer.block == range.max / outer.block) {
    // All values are in one block, where `outer` is an offset.
    return make(inner.size, offset, inner.stride, inner.block);
  }
  const std::int64_t blocks_per_step = inner.stride / outer.block;
  const bool whole_blocks = inner.stride % outer.block == 0;
  if (whole_blocks && within + inner.block <= outer.block) {
    // The same position, or the same few positions, in every `blocks_per_step`-th block.
    return make(inner.size, offset, blocks_per_step * outer.stride, inner.block);
  }
  if (is_contiguous(inner) && within == 0) {
    return make(inner.size, offset, outer.stride, outer.block);
  }
  return std::nullopt;
}

} // namespace

std::optional<Regular> composed(const Regular &outer, const Regular &inner) noexcept {
  if (inner.size == 1) {
    return make(1, value_at(outer, inner.offset), 1, 1);
  }
  if (outer.block > 1) {
    return compose_with_blocked(outer, inner);
  }
  const std::int64_t offset = outer.offset + std::int64_t{inner.offset} * outer.stride;
  if (inner.block == 1) {
    return make(inner.size, offset, std::int64_t{inner.stride} * outer.stride, 1);
  }
  if (outer.stride == 1) {
    return make(inner.size, offset, inner.stride, inner.block);
  }
  return std::nullopt;
}

std::optional<Regular> concatenated(const Regular &first, const Regular &second) noexcept {
  const std::int64_t size = std::int64_t{first.size} + second.size;
  if (!fits(size)) {
    return std::nullopt;
  }
  const auto total = static_cast<std::int32_t>(size);
  const std::int64_t gap = std::int64_t{second.offset} - first.offset;

  // One affine map. A part with two ranks determines the step; otherwise the step is the distance
  // between the two parts.
  if (first.block == 1 && second.block == 1 && gap != 0) {
    const std::int64_t step = first.size > 1 ? first.stride : (second.size > 1 ? second.stride : gap);
    const bool same_step = second.size == 1 || second.stride == step;
    if (same_step && gap == step * first.size) {
      return make(total, first.offset, step, 1);
    }
  }
  // Blocks: `first` is one block or several whole ones, and `second` starts where the next block
  // would.
  const bool first_is_block = is_contiguous(first) && first.size > 1;
  const std::int32_t block = first_is_block ? first.size : first.block;
  if (block < 2 || first.size % block != 0) {
    return std::nullopt;
  }
  const std::int64_t stride = first_is_block ? gap : first.stride;
  const bool second_fits =
      is_contiguous(second) ? second.size <= block : second.block == block && second.stride == stride;
  if (second_fits && stride != 0 && gap == stride * (first.size / block)) {
    return make(total, first.offset, stride, block);
  }
  return std::nullopt;
}

} // namespace avrankmap::detail
