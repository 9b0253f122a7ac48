// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The process groups of a map's ranks. A map that uses part of a shared table may use only some of
// the table's groups: the other groups need no AV, whether or not the map is bound.
#ifndef AVRANKMAP_SRC_RANKMAP_BIND_USED_GROUPS_H
#define AVRANKMAP_SRC_RANKMAP_BIND_USED_GROUPS_H

#include <algorithm>

#include "rankmap/forms/forms.h"

namespace avrankmap::detail {

// A process group that a map uses.
struct UsedGroup {
  std::int32_t pgid;
  std::int32_t slot;
  std::int32_t max_lpid; // for part of a table, possibly that of the whole table
};

// Calls visit(UsedGroup) for each process group of the map's ranks until it returns an error, and
// returns this error. For part of a table the cost is O(size) per 1024 groups of the table.
template <typename Visit>
[[nodiscard]] avrm_status_t for_each_used_group(const avrm_rankmap_t *map, Visit visit) noexcept {
  constexpr std::int32_t kSlotsAtOnce = 1024;
  constexpr auto kPgids = by_mode([]<typename F>() { return F::pgids; });
  constexpr auto kMaxLpids = by_mode([]<typename F>() { return F::max_lpids; });
  const std::int32_t *const pgids = kPgids[map->mode](map);
  const std::int32_t slots = groups_of(map);
  std::int32_t count = 0;
  for (std::int32_t first = 0; first < slots; first += count) {
    std::int32_t max_lpids[kSlotsAtOnce];
    count = std::min(kSlotsAtOnce, slots - first);
    kMaxLpids[map->mode](map, first, count, max_lpids);
    for (std::int32_t i = 0; i < count; ++i) {
      if (max_lpids[i] >= 0) {
        const std::int32_t pgid = pgids != nullptr ? pgids[first + i] : map->pgid;
        const avrm_status_t status = visit(UsedGroup{pgid, first + i, max_lpids[i]});
        if (status != AVRM_OK) {
          return status;
        }
      }
    }
  }
  return AVRM_OK;
}

} // namespace avrankmap::detail

#endif
