// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/blocked.h"

namespace avrankmap::detail {

namespace {

// ceil(2^64 / block), with which the hot path divides. `block` is at least 2.
std::uint64_t reciprocal_of(std::int32_t block) noexcept {
  return ~std::uint64_t{0} / static_cast<std::uint64_t>(block) + 1;
}

} // namespace

void make_blocked(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept {
  map->as.blocked = {reciprocal_of(form.block), form.stride, form.block};
  map->size = form.size;
  map->pgid = pgid;
  map->offset = form.offset;
  map->klass = AVRM_CLASS_BLOCKED;
  map->mode = AVRM_MODE_BLOCKED;
}

const char *BlockedForm::fault(const avrm_rankmap_t *map) noexcept {
  if (const char *const text = regular_fault(map); text != nullptr) {
    return text;
  }
  const auto &as = map->as.blocked;
  return as.reciprocal == reciprocal_of(as.block) ? nullptr : "the reciprocal does not match the block";
}

Run BlockedForm::run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const auto &as = map->as.blocked;
  const std::int32_t block = rank / as.block;
  const std::int32_t first = block * as.block;
  return {first, std::min(as.block, map->size - first), map->pgid,
          static_cast<std::int32_t>(map->offset + std::int64_t{block} * as.stride), 1};
}

} // namespace avrankmap::detail
