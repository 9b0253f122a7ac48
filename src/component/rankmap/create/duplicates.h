// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks whether a process occurs twice in a map, which groups and communicators do not allow.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_DUPLICATES_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_DUPLICATES_H

#include "av/instance.h"
#include "avrankmap/rankmap.h"

namespace avrankmap::detail {

// Returns AVRM_OK, AVRM_ERR_DUPLICATE, or AVRM_ERR_NO_MEMORY for the scratch memory that a table
// needs: one bit per lpid up to the greatest one or, if the lpids are sparse, 8 bytes per rank to
// sort. O(1) for regular maps, otherwise O(size) or O(size log size).
[[nodiscard]] avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;

// ---- for forms ----

// Returns true if a number occurs twice. Sorts the `size` numbers.
[[nodiscard]] bool has_twice(std::uint64_t *keys, std::int32_t size) noexcept;

// Returns true if two ranges have a number in common, given 2 * first and 2 * last + 1 of each
// range. Sorts `ends`.
[[nodiscard]] bool overlap(std::uint64_t *ends, std::size_t count) noexcept;

// check_unique for a list of numbers in 0 .. space - 1.
[[nodiscard]] avrm_status_t check_distinct(Memory &memory, std::int32_t count, const std::int32_t *numbers,
                                           std::uint64_t space) noexcept;

// Marks a bit for each rank. Returns true if any bit was marked before.
template <typename BitOf>
[[nodiscard]] bool marks_twice(std::uint64_t *bits, std::int32_t size, BitOf bit_of) noexcept {
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const std::uint64_t bit = bit_of(rank);
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    if ((bits[bit / 64] & mask) != 0) {
      return true;
    }
    bits[bit / 64] |= mask;
  }
  return false;
}

// True if one bit per number below `space` is cheaper than sorting `count` numbers.
[[nodiscard]] constexpr bool are_bits_worth(std::int32_t count, std::uint64_t space) noexcept {
  return space / 64 < 2 * static_cast<std::uint64_t>(count);
}

// check_unique by sorting a key for each rank; only equal processes have equal keys.
template <typename KeyOf>
[[nodiscard]] avrm_status_t check_unique_sorted(Memory &memory, std::int32_t size, KeyOf key_of) noexcept {
  const Scratch<std::uint64_t> keys(memory, static_cast<std::size_t>(size));
  if (!keys) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::int32_t rank = 0; rank < size; ++rank) {
    keys.data()[rank] = key_of(rank);
  }
  return has_twice(keys.data(), size) ? AVRM_ERR_DUPLICATE : AVRM_OK;
}

// check_unique for such keys below `space`, with bits or by sorting, whichever is cheaper.
template <typename KeyOf>
[[nodiscard]] avrm_status_t check_unique_keys(Memory &memory, std::int32_t size, std::uint64_t space,
                                              KeyOf key_of) noexcept {
  if (static_cast<std::uint64_t>(size) > space) {
    return AVRM_ERR_DUPLICATE;
  }
  if (!are_bits_worth(size, space)) {
    return check_unique_sorted(memory, size, key_of);
  }
  const Scratch<std::uint64_t> bits(memory, space / 64 + 1);
  if (!bits) {
    return AVRM_ERR_NO_MEMORY;
  }
  return marks_twice(bits.data(), size, key_of) ? AVRM_ERR_DUPLICATE : AVRM_OK;
}

// check_unique by translating all ranks, for a map of one process group with lpids up to max_lpid.
[[nodiscard]] avrm_status_t check_unique_lpids(const avrm_rankmap_t *map, std::int32_t max_lpid) noexcept;

} // namespace avrankmap::detail

#endif
