// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/multi_address/word_table.h"

#include <bit>

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

WordTable::Link WordTable::next(std::uint32_t used, std::uint32_t units) noexcept {
  std::uint64_t first = used;
  while (Units::rest_of_piece(static_cast<std::uint32_t>(first)) < units) {
    first += Units::rest_of_piece(static_cast<std::uint32_t>(first));
    if (first + units > ~std::uint32_t{0}) {
      return 0;
    }
  }
  return static_cast<Link>(first);
}

WordTable::Reach WordTable::reach(std::int32_t lpid, int group) noexcept {
  Link *place = &roots_[group];
  int level = levels_;
  while (level > 0 && *place != 0) {
    place = link(*place, --level, lpid);
  }
  return {place, level};
}

bool WordTable::reserve(Memory &memory, Reservation *reservation, std::int32_t lpid, std::uint32_t k) noexcept {
  const int group = group_of(k);
  const Reach reached = reach(lpid, group);
  std::int32_t &last = reservation->last_[group];
  if (*reached.link != 0 || lpid == last) {
    return true;
  }
  int nodes = reached.nodes;
  if (last >= 0) { // nodes above the highest digit that differs are shared
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(lpid ^ last)));
    nodes = std::min(nodes, (bits - 1) / kBitsPerNode);
  }
  const std::uint32_t units = static_cast<std::uint32_t>(nodes) * kUnitsPerNode + (1U << group);
  const Link first = next(reservation->used_, units);
  if (first == 0 || !units_.make(memory, first)) {
    return false;
  }
  reservation->used_ = first + units;
  last = lpid;
  return true;
}

std::uint64_t *WordTable::make(std::int32_t lpid, std::uint32_t k) noexcept {
  const int group = group_of(k);
  const Reach reached = reach(lpid, group);
  if (*reached.link == 0) {
    // The missing nodes and the block are consecutive, and are linked before a reader can find
    // them.
    const std::uint32_t nodes = static_cast<std::uint32_t>(reached.nodes) * kUnitsPerNode;
    const std::uint32_t units = nodes + (1U << group);
    const Link first = next(used_, units);
    used_ = first + units;
    int level = reached.nodes;
    for (std::uint32_t node = 0; node < nodes; node += kUnitsPerNode) {
      __atomic_store_n(link(first + node, --level, lpid), first + node + kUnitsPerNode, __ATOMIC_RELAXED);
    }
    __atomic_store_n(reached.link, first, __ATOMIC_RELEASE);
  }
  return at(lpid, k);
}

} // namespace avrankmap::detail
