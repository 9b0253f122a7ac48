// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/create/colours_and_keys.h"

#include <algorithm>

namespace avrankmap::detail {

avrm_status_t part_by_colour(const avrm_rankmap_t *whole, const ColourAndKey *colours_and_keys, std::int32_t colour,
                             std::int32_t rank, std::int32_t *ranks, MapOwner *map_p, std::int32_t *place_p) noexcept {
  std::int32_t count = 0;
  bool ordered = true;
  for (std::int32_t r = 0; r < whole->size; ++r) {
    if (colours_and_keys[r].colour == colour) {
      ordered = ordered && (count == 0 || colours_and_keys[ranks[count - 1]].key <= colours_and_keys[r].key);
      ranks[count++] = r;
    }
  }
  if (count == 0) {
    return AVRM_OK;
  }
  if (!ordered) {
    std::sort(ranks, ranks + count, [colours_and_keys](std::int32_t a, std::int32_t b) {
      return colours_and_keys[a].key != colours_and_keys[b].key ? colours_and_keys[a].key < colours_and_keys[b].key
                                                                : a < b;
    });
  }
  const std::int32_t *const at = std::find(ranks, ranks + count, rank);
  if (at != ranks + count) {
    *place_p = static_cast<std::int32_t>(at - ranks);
  }
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_child(whole, count, ranks, AVRM_RANKMAP_DEFAULT, &map);
  *map_p = MapOwner(map);
  return status;
}

} // namespace avrankmap::detail
