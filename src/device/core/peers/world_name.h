// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Unique names of worlds and devices: random numbers.
#ifndef AVRANKMAP_SRC_CORE_PEERS_WORLD_NAME_H
#define AVRANKMAP_SRC_CORE_PEERS_WORLD_NAME_H

#include <compare>
#include <cstdint>

namespace avrankmap::detail {

struct WorldName {
  std::uint64_t words[2] = {}; // all zero: none

  friend bool operator==(const WorldName &, const WorldName &) = default;
  friend auto operator<=>(const WorldName &, const WorldName &) = default;
};

} // namespace avrankmap::detail

#endif
