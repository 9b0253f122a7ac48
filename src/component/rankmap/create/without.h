// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A map without some of its ranks.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_WITHOUT_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_WITHOUT_H

#include "rankmap/forms/less.h"

namespace avrankmap::detail {

// True if a less map (forms/less.h) may be created from this map.
[[nodiscard]] inline bool may_be_base(const avrm_rankmap_t *map) noexcept {
  return map->instance->compact() && (map->mode == AVRM_MODE_BLOCKED || map->mode == AVRM_MODE_CART || is_less(map));
}

// Creates the map of the parent without some of its ranks, which are in ascending order.
[[nodiscard]] avrm_status_t map_without(const avrm_rankmap_t *parent, const std::int32_t *ranks, std::int32_t count,
                                        MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
