// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/further/word_table.h"

#include <algorithm>

namespace avrankmap::detail {

namespace {

int group_of(std::uint32_t k) noexcept { return static_cast<int>(std::bit_width(k)) - 1; }

} // namespace

WordTable::WordTable(std::int32_t lpids) noexcept {
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(lpids - 1)));
  levels_ = std::max(1, (bits + kBitsPerNode - 1) / kBitsPerNode);
}

std::uint64_t *WordTable::at(std::int32_t lpid, std::uint32_t k) const noexcept {
  const int group = group_of(k);
  Link next = __atomic_load_n(&roots_[group], __ATOMIC_ACQUIRE);
  for (int level = levels_ - 1; level >= 0 && next != 0; --level) {
    next = __atomic_load_n(link(next, level, lpid), __ATOMIC_ACQUIRE);
  }
  return next == 0 ? nullptr : units_.at(next) + (k - (1U << group));
}

WordTable::Link WordTable::take(Memory &memory, std::uint32_t units) noexcept {
  std::uint64_t first = used_;
  while (units_.rest_of_piece(static_cast<std::uint32_t>(first)) < units) {
    first += units_.rest_of_piece(static_cast<std::uint32_t>(first));
    if (first + units > ~std::uint32_t{0}) {
      return 0;
    }
  }
  if (!units_.make(memory, static_cast<std::uint32_t>(first))) {
    return 0;
  }
  used_ = static_cast<std::uint32_t>(first + units);
  return static_cast<Link>(first);
}

std::uint64_t *WordTable::make(Memory &memory, std::int32_t lpid, std::uint32_t k) noexcept {
  const int group = group_of(k);
  // As far as the tree goes already.
  Link *place = &roots_[group];
  int level = levels_;
  while (level > 0 && *place != 0) {
    place = link(*place, --level, lpid);
  }
  if (*place == 0) {
    // The missing nodes and the block in one row, linked to each other before they can be found.
    const std::uint32_t nodes = static_cast<std::uint32_t>(level) * kUnitsPerNode;
    const Link first = take(memory, nodes + (1U << group));
    if (first == 0) {
      return nullptr;
    }
    for (std::uint32_t node = 0; node < nodes; node += kUnitsPerNode) {
      __atomic_store_n(link(first + node, --level, lpid), first + node + kUnitsPerNode, __ATOMIC_RELAXED);
    }
    __atomic_store_n(place, first, __ATOMIC_RELEASE);
  }
  return at(lpid, k);
}

} // namespace avrankmap::detail
