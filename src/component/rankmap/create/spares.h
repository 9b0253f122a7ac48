// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A map in which spare ranks replace removed ranks.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_SPARES_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_SPARES_H

#include "rankmap/map.h"

namespace avrankmap::detail {

// Creates the parent's map without some of its ranks, which are in ascending order. Removed ranks
// below `active` are replaced by the last remaining ranks, so that the other ranks below `active`
// keep their positions, and the remaining spares stay together: at most 2 count + 1 segments if the
// parent is affine. Returns AVRM_ERR_SIZE if too few ranks remain. Cost: O(count) runs of the
// parent, or O(size) if a list of runs would be too long.
[[nodiscard]] avrm_status_t map_with_spares(const avrm_rankmap_t *parent, std::int32_t active,
                                            const std::int32_t *ranks, std::int32_t count, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
