// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Modes direct, offset and stride: one case of the hot path, told apart for people only.
#include "rankmap/map.h"

namespace avrankmap::detail {

void make_affine(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept {
  map->u.step = std::int64_t{form.stride} * static_cast<std::int64_t>(sizeof(avrm_ave_t));
  map->size = form.size;
  map->pgid = pgid;
  map->offset = form.offset;
  map->stride = form.stride;
  map->block = 1;
  map->klass = AVRM_CLASS_AFFINE;
  map->mode = static_cast<std::uint8_t>(mode_of(form));
}

} // namespace avrankmap::detail
