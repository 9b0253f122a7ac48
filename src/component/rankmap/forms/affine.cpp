// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/affine.h"

#include "av/address_vector.h"
#include "rankmap/bind/implicit_bind.h"

namespace avrankmap::detail {

void make_affine(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept {
  map->as.affine = {AVRM_I_AVE_BYTES * form.stride, nullptr, form.stride};
  map->size = form.size;
  map->pgid = pgid;
  map->offset = form.offset;
  map->klass = AVRM_CLASS_AFFINE;
  map->mode = static_cast<std::uint8_t>(mode_of(form));
}

// A map whose lpids are all in one run of words uses the function of that run, which has no
// exceptions. Other maps use the line of the whole AV.
bool AffineForm::fold(avrm_rankmap_t *map) noexcept {
  ImplicitVector *const av = map->instance->process_groups.held(map->pgid)->implicit;
  const Range range = range_of(form_of(map));
  std::optional<WordLine> words = av->line_of(range.min, range.max);
  const avrm_line_t *line = av->line_of_a_run();
  if (!words) {
    line = av->line();
    if (line == nullptr) {
      return false;
    }
    words = WordLine{line->word, line->step};
  }
  const std::uint64_t word = words->base + distance(map->offset, words->step);
  if (word == 0) { // the value in a map that is not bound
    return false;
  }
  map->at.word = word;
  map->as.affine.step = static_cast<std::int64_t>(distance(map->as.affine.stride, words->step));
  map->as.affine.line = line;
  return true;
}

bool AffineForm::has_line(const avrm_rankmap_t *map) noexcept {
  return map->instance->process_groups.held(map->pgid)->implicit->has(map->as.affine.line);
}

const char *AffineForm::fault(const avrm_rankmap_t *map) noexcept {
  if (const char *const text = regular_fault(map); text != nullptr) {
    return text;
  }
  const bool has_step = is_bound_implicitly(map) || map->as.affine.step == AVRM_I_AVE_BYTES * map->as.affine.stride;
  return has_step ? nullptr : "the step in bytes does not match the stride";
}

Run AffineForm::run_at(const avrm_rankmap_t *map, std::int32_t /*rank*/) noexcept {
  return {0, map->size, map->pgid, map->offset, map->as.affine.stride};
}

} // namespace avrankmap::detail
