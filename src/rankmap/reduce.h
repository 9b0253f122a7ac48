// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Step 3 of communicator creation (AV-Rankmap paper, IV-C1): an irregular result is scanned once more and becomes a
// regular map if it is one.
#ifndef AVRANKMAP_SRC_RANKMAP_REDUCE_H
#define AVRANKMAP_SRC_RANKMAP_REDUCE_H

#include "rankmap/map.h"

namespace avrankmap::detail {

// The simplest form of a map. Takes a sealed lut or mlut map; any other comes back as it is. May return
// the map itself when it cannot be reduced, and AVRM_ERR_NO_MEMORY only where reducing an mlut to a lut needs a table.
[[nodiscard]] avrm_status_t reduce(MapOwner *map) noexcept;

// The regular form of ranks first .. first + count - 1 of a lut map, if they have one.
[[nodiscard]] std::optional<Regular> regular_part(const avrm_rankmap_t *lut_map, std::int32_t first,
                                                  std::int32_t count) noexcept;

} // namespace avrankmap::detail

#endif
