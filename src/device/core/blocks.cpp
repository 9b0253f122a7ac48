// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/blocks.h"

#include <limits>

namespace avrankmap::detail {

avrm_status_t describe(std::uint64_t base, const avrm_blocks_t &blocks, Data *data_p) noexcept {
  if (blocks.list == nullptr && blocks.count != 0) {
    return AVRM_ERR_NULL;
  }
  std::size_t bytes = 0;
  std::uint64_t first = base;
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t highest = 0;
  std::uint64_t end = 0; // of the previous block
  bool has_gaps = false;
  for (std::size_t i = 0; i < blocks.count; ++i) {
    const avrm_block_t &block = blocks.list[i];
    if (block.bytes == 0) {
      continue;
    }
    std::uint64_t place = 0;
    if (__builtin_add_overflow(base, block.offset, &place)) {
      return AVRM_ERR_SIZE;
    }
    if (bytes == 0) {
      first = place;
    } else {
      has_gaps = has_gaps || place != end;
    }
    if (__builtin_add_overflow(place, block.bytes, &end) || __builtin_add_overflow(bytes, block.bytes, &bytes)) {
      return AVRM_ERR_SIZE;
    }
    lowest = std::min(lowest, place);
    highest = std::max(highest, end);
  }
  *data_p = has_gaps ? Data{base, {0, blocks.count, 0, blocks.list}, bytes, lowest, highest - lowest}
                     : contiguous(first, bytes);
  return AVRM_OK;
}

} // namespace avrankmap::detail
