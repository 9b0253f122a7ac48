// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank indices of sorted lists. A rank index divides the ranks into stretches of 2^shift ranks:
// entry k is the position in the list at which stretch k begins, and the last entry is the end of
// the list. A shift of 0 means that there is no rank index.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_RANK_INDEX_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_RANK_INDEX_H

#include <cstdint>

namespace avrankmap::detail {

[[nodiscard]] constexpr std::uint64_t rank_index_entries(std::int32_t size, std::int32_t shift) noexcept {
  return shift == 0 ? 0 : (static_cast<std::uint64_t>(size - 1) >> shift) + 2;
}

// Shift of the longest rank index of at most `most` entries, where `most` is at least two.
[[nodiscard]] constexpr std::int32_t rank_index_shift(std::int32_t size, std::int64_t most) noexcept {
  std::int32_t shift = 1;
  while (rank_index_entries(size, shift) > static_cast<std::uint64_t>(most)) {
    ++shift;
  }
  return shift;
}

} // namespace avrankmap::detail

#endif
