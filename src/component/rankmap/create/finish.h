// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last step of every creation function of the C interface, and the check of its flags.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_FINISH_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_FINISH_H

#include "rankmap/create/duplicates.h"
#include "rankmap/create/intern.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

[[nodiscard]] inline bool flags_known(unsigned flags) noexcept { return (flags & ~unsigned{AVRM_RANKMAP_UNIQUE}) == 0; }

// Returns the map of size 0 to the caller.
[[nodiscard]] inline avrm_status_t finish_empty(avrm_instance_t *instance, avrm_rankmap_t *map_p) noexcept {
  *map_p = new_map(instance).release();
  return AVRM_OK;
}

// Returns the regular map of a form to the caller. It has no table to intern.
[[nodiscard]] inline avrm_status_t finish_regular(avrm_instance_t *instance, std::int32_t pgid, const Regular &form,
                                                  unsigned flags, avrm_rankmap_t *map_p) noexcept {
  if ((flags & AVRM_RANKMAP_UNIQUE) != 0 && has_duplicates(form)) {
    return AVRM_ERR_DUPLICATE;
  }
  *map_p = new_regular_map(instance, pgid, form).release();
  return AVRM_OK;
}

// Returns a map to the caller if `status` is AVRM_OK, the map is not null and the flags allow it.
[[nodiscard]] inline avrm_status_t finish(avrm_status_t status, MapOwner map, unsigned flags,
                                          avrm_rankmap_t *map_p) noexcept {
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
