// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/blocked.h"

namespace avrankmap::detail {

namespace {

// Bytes that each new block adds.
std::int64_t step_of(const Regular &form) noexcept {
  return AVRM_I_AVE_BYTES * (std::int64_t{form.stride} - form.block);
}

// ceil(2^64 / block), by which the hot path divides; `block` is at least 2.
std::uint64_t reciprocal_of(std::int32_t block) noexcept {
  return ~std::uint64_t{0} / static_cast<std::uint64_t>(block) + 1;
}

} // namespace

void make_blocked(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept {
  map->u.step = step_of(form);
  map->v.reciprocal = reciprocal_of(form.block);
  map->size = form.size;
  map->pgid = pgid;
  map->offset = form.offset;
  map->stride = form.stride;
  map->block = form.block;
  map->klass = AVRM_CLASS_BLOCKED;
  map->mode = AVRM_MODE_BLOCKED;
}

const char *BlockedForm::fault(const avrm_rankmap_t *map) noexcept {
  if (const char *const text = regular_fault(map); text != nullptr) {
    return text;
  }
  if (map->u.step != step_of(form_of(map))) {
    return "the step in bytes does not go with the stride";
  }
  return map->v.reciprocal == reciprocal_of(map->block) ? nullptr : "the reciprocal does not go with the block";
}

Run BlockedForm::run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const std::int32_t block = rank / map->block;
  const std::int32_t first = block * map->block;
  return {first, std::min(map->block, map->size - first), map->pgid,
          static_cast<std::int32_t>(map->offset + std::int64_t{block} * map->stride), 1};
}

} // namespace avrankmap::detail
