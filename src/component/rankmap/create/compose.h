// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Composition of a parent's map with an indirect mapping array: the map of a child communicator.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_COMPOSE_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_COMPOSE_H

#include "rankmap/map.h"

namespace avrankmap::detail {

// Creates the child whose rank r is rank inner(r) of the parent. `inner` must be simplified, and
// its values must be ranks of the parent.
[[nodiscard]] avrm_status_t compose_regular(const avrm_rankmap_t *parent, const Regular &inner,
                                            MapOwner *map_p) noexcept;

// Creates the child whose rank r is rank parent_ranks[r] of the parent. The array must not be
// regular. Returns AVRM_ERR_RANK if an entry is not a rank of the parent.
[[nodiscard]] avrm_status_t compose_irregular(const avrm_rankmap_t *parent, std::int32_t size,
                                              const std::int32_t *parent_ranks, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
