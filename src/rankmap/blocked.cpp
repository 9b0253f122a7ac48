// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode blocked. lpid = offset + rank + (rank / block) * (stride - block): one multiplication by a stored reciprocal
// gives the number of blocks passed, each of which adds the same number of bytes.
#include "rankmap/map.h"

namespace avrankmap::detail {

void make_blocked(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept {
  const std::int64_t extra = std::int64_t{form.stride} - form.block;
  map->u.step = extra * static_cast<std::int64_t>(sizeof(avrm_ave_t));
  map->v.reciprocal = reciprocal_of(form.block);
  map->size = form.size;
  map->pgid = pgid;
  map->offset = form.offset;
  map->stride = form.stride;
  map->block = form.block;
  map->klass = AVRM_CLASS_BLOCKED;
  map->mode = AVRM_MODE_BLOCKED;
}

} // namespace avrankmap::detail
