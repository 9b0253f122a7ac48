// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A map in which spares take the places of some ranks.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_SPARES_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_SPARES_H

#include "rankmap/map.h"

namespace avrankmap::detail {

// The parent without some of its ranks, which are in ascending order. Those below `active` are
// replaced by the last of the others, so that ranks below `active` keep their places, and the rest
// of the others stay together: at most 2 count + 1 segments if the parent is affine. AVRM_ERR_SIZE
// if the others are too few. Cost: O(count) runs of the parent and, where no list of runs is worth
// it, O(size).
[[nodiscard]] avrm_status_t map_with_spares(const avrm_rankmap_t *parent, std::int32_t active,
                                            const std::int32_t *ranks, std::int32_t count, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
