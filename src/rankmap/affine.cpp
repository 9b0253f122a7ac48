// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/affine.h"

#include "rankmap/implicit_bind.h"

namespace avrankmap::detail {

void make_affine(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept {
  map->u.step = AVRM_I_AVE_BYTES * form.stride;
  map->size = form.size;
  map->pgid = pgid;
  map->offset = form.offset;
  map->stride = form.stride;
  map->block = 1;
  map->klass = AVRM_CLASS_AFFINE;
  map->mode = static_cast<std::uint8_t>(mode_of(form));
}

std::optional<WordLine> AffineForm::line(const avrm_rankmap_t *map, const ImplicitVector &av) noexcept {
  const Range range = range_of(form_of(map));
  const std::optional<WordLine> line = av.line_of(range.min, range.max);
  if (!line) {
    return std::nullopt;
  }
  return WordLine{line->base + static_cast<std::uint64_t>(map->offset * line->step), map->stride * line->step};
}

const char *AffineForm::fault(const avrm_rankmap_t *map) noexcept {
  if (const char *const text = regular_fault(map); text != nullptr) {
    return text;
  }
  const bool has_step = is_bound_implicitly(map) || map->u.step == AVRM_I_AVE_BYTES * map->stride;
  return has_step ? nullptr : "the step in bytes does not go with the stride";
}

Run AffineForm::run_at(const avrm_rankmap_t *map, std::int32_t /*rank*/) noexcept {
  return {0, map->size, map->pgid, map->offset, map->stride};
}

} // namespace avrankmap::detail
