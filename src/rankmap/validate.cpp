// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "rankmap/lut.h"
#include "rankmap/mlut.h"

using namespace avrankmap::detail;

namespace {

// Each returns the first violation found, or null.

const char *regular_fault(const avrm_rankmap_t *map) noexcept {
  const Regular form = form_of(map);
  if (map->pgid < 0) {
    return "the pgid of a single-group map is negative";
  }
  if (form.block < 1 || form.stride == 0) {
    return "a regular map has a stride of zero or a block below one";
  }
  if (form != simplified(form) || mode_of(form) != mode_of(map)) {
    return "the mode is not the simplest that holds";
  }
  const Range range = range_of(form);
  if (range.min < 0 || range.max > kMaxLpid) {
    return "an lpid is out of range";
  }
  const bool blocked = map->mode == AVRM_MODE_BLOCKED;
  if (map->klass != (blocked ? AVRM_CLASS_BLOCKED : AVRM_CLASS_AFFINE)) {
    return "the class does not go with the mode";
  }
  const std::int64_t step = blocked ? std::int64_t{form.stride} - form.block : form.stride;
  if (map->u.step != step * static_cast<std::int64_t>(sizeof(avrm_ave_t))) {
    return "the step in bytes does not go with the stride";
  }
  if (blocked && map->v.reciprocal != reciprocal_of(form.block)) {
    return "the reciprocal does not go with the block";
  }
  return nullptr;
}

const char *lut_fault(const avrm_rankmap_t *map) noexcept {
  const LutHeader *const header = lut_header(map);
  if (map->klass != AVRM_CLASS_LUT || map->pgid < 0) {
    return "the class or the pgid does not go with a lut";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (map->offset < 0 || map->offset > header->count - map->size) {
    return "the part is not inside the table";
  }
  const auto max_lpid = static_cast<std::uint32_t>(header->max_lpid);
  const bool bounded =
      std::all_of(map->v.lut, map->v.lut + map->size, [max_lpid](std::uint32_t lpid) { return lpid <= max_lpid; });
  return bounded && header->max_lpid <= kMaxLpid ? nullptr : "an lpid is out of range";
}

const char *mlut_fault(const avrm_rankmap_t *map) noexcept {
  const MlutHeader *const header = mlut_header(map);
  if (map->klass != AVRM_CLASS_MLUT || map->pgid != -1) {
    return "the class or the pgid does not go with an mlut";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the table has no sharer";
  }
  if (header->slots < 2 || map->u.pgids != mlut_pgids(map)) {
    return "the list of process groups is not sound";
  }
  if (map->offset < 0 || map->offset > header->count - map->size) {
    return "the part is not inside the table";
  }
  const std::int32_t *const max_lpids = mlut_max_lpids(map);
  const bool bounded = std::all_of(map->v.mlut, map->v.mlut + map->size, [&](const avrm_pair_t &pair) {
    return pair.slot < static_cast<std::uint32_t>(header->slots) &&
           pair.lpid <= static_cast<std::uint32_t>(max_lpids[pair.slot]);
  });
  return bounded ? nullptr : "a pair is out of range";
}

const char *fault(const avrm_rankmap_t *map) noexcept {
  if (map->size <= 0 || map->instance == nullptr) {
    return "the size or the instance is not sound";
  }
  if (map->bound > 1 || (map->bound != 0) != (map->base != nullptr)) {
    return "the binding is not sound";
  }
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED: return regular_fault(map);
  case AVRM_MODE_LUT: return lut_fault(map);
  case AVRM_MODE_MLUT: return mlut_fault(map);
  }
  return "the mode is unknown";
}

} // namespace

bool avrm_rankmap_validate(const avrm_rankmap_t *map, const char **reason_p) noexcept {
  const char *const reason = map == nullptr ? "the map is null" : fault(map);
  if (reason_p != nullptr) {
    *reason_p = reason;
  }
  return reason == nullptr;
}
