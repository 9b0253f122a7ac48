// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Node ids as functions of lpid: those of implicit address vectors, and declared ones.
#ifndef AVRANKMAP_SRC_AV_NODE_RULES_H
#define AVRANKMAP_SRC_AV_NODE_RULES_H

#include <algorithm>
#include <cstdint>

#include "avrankmap/av.h"
#include "base/memory.h"

namespace avrankmap::detail {

// The node id of the lpids from `first` to `end` - 1: node + ((lpid - first + phase) / block)
// modulo period.
struct NodeIdRule {
  std::uint32_t first;
  std::uint32_t end;
  std::uint32_t node;
  std::uint32_t phase;
  std::uint32_t block;
  std::uint32_t period;
};

// The rules of all processes of an address vector, in order, in one block with this header.
struct NodeRules {
  std::uint64_t count = 0;

  [[nodiscard]] const NodeIdRule *begin() const noexcept { return reinterpret_cast<const NodeIdRule *>(this + 1); }
  [[nodiscard]] NodeIdRule *begin() noexcept { return reinterpret_cast<NodeIdRule *>(this + 1); }
  [[nodiscard]] const NodeIdRule &at(std::int32_t lpid) const noexcept {
    return *(std::upper_bound(begin(), begin() + count, static_cast<std::uint32_t>(lpid),
                              [](std::uint32_t place, const NodeIdRule &rule) { return place < rule.first; }) -
             1);
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return sizeof *this + count * sizeof(NodeIdRule); }
};

} // namespace avrankmap::detail

#endif
