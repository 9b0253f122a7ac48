// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processes of a node, in the form in which launchers list them: "0,1,4".
#ifndef AVRANKMAP_SRC_LAUNCH_RANK_LIST_H
#define AVRANKMAP_SRC_LAUNCH_RANK_LIST_H

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <vector>

namespace avrankmap::detail {

// Returns the ranks in ascending order; none if the text is anything else. May throw
// std::bad_alloc.
[[nodiscard]] inline std::vector<std::int32_t> parse_ranks(std::string_view text) {
  std::vector<std::int32_t> ranks;
  const char *at = text.data();
  const char *const end = at + text.size();
  while (at != end) {
    std::int32_t rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error != std::errc() || (next != end && *next != ',')) {
      return {};
    }
    ranks.push_back(rank);
    at = next == end ? end : next + 1;
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

} // namespace avrankmap::detail

#endif
