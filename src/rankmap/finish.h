// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every creating function of the C interface does last, and the check of flags that it does first.
#ifndef AVRANKMAP_SRC_RANKMAP_FINISH_H
#define AVRANKMAP_SRC_RANKMAP_FINISH_H

#include "rankmap/duplicates.h"
#include "rankmap/intern.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

[[nodiscard]] inline bool flags_known(unsigned flags) noexcept { return (flags & ~unsigned{AVRM_RANKMAP_UNIQUE}) == 0; }

// Hands a map out, if `status` is good, the map was made and the flags allow it.
[[nodiscard]] inline avrm_status_t finish(avrm_status_t status, MapOwner map, unsigned flags,
                                          avrm_rankmap_t **map_p) noexcept {
  if (status != AVRM_OK) {
    return status;
  }
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if ((flags & AVRM_RANKMAP_UNIQUE) != 0) {
    status = check_unique(map.get());
    if (status != AVRM_OK) {
      return status;
    }
  }
  status = intern(map.get());
  if (status == AVRM_OK) {
    *map_p = map.release();
  }
  return status;
}

} // namespace avrankmap::detail

#endif
