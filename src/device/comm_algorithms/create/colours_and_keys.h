// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The colours and keys that the members of a group pass to a split, and the resulting parts.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_COLOURS_AND_KEYS_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_COLOURS_AND_KEYS_H

#include "rankmap/map.h"

namespace avrankmap::detail {

struct ColourAndKey {
  std::int32_t colour;
  std::int32_t key;
};

// Creates the map of the ranks of `whole` that pass `colour`, ordered by key, then rank; no map if
// there are none. If `rank` is one of them, its place is written to *place_p. `ranks` has room for
// all ranks of `whole`.
[[nodiscard]] avrm_status_t part_by_colour(const avrm_rankmap_t *whole, const ColourAndKey *colours_and_keys,
                                           std::int32_t colour, std::int32_t rank, std::int32_t *ranks, MapOwner *map_p,
                                           std::int32_t *place_p) noexcept;

} // namespace avrankmap::detail

#endif
