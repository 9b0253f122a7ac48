// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/reduce.h"

#include <algorithm>

#include "rankmap/lut.h"
#include "rankmap/mlut.h"

namespace avrankmap::detail {

std::optional<Regular> regular_part(const avrm_rankmap_t *lut_map, std::int32_t first, std::int32_t count) noexcept {
  // Entries are lpids, below 2^31, so the signed and the unsigned view of the table are the same numbers.
  const auto *const lpids = reinterpret_cast<const std::int32_t *>(lut_map->v.lut) + first;
  return regular_from(detect(lpids, static_cast<std::size_t>(count)), count);
}

namespace {

avrm_status_t reduce_lut(MapOwner *map) noexcept {
  const std::optional<Regular> form = regular_part(map->get(), 0, (*map)->size);
  if (form) {
    MapOwner regular = new_regular_map((*map)->instance, (*map)->pgid, *form);
    if (regular == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    *map = std::move(regular);
  }
  return AVRM_OK;
}

avrm_status_t reduce_mlut(MapOwner *map) noexcept {
  const avrm_pair_t *const pairs = (*map)->v.mlut;
  const std::int32_t size = (*map)->size;
  const std::uint32_t slot = pairs[0].slot;
  if (!std::all_of(pairs, pairs + size, [slot](const avrm_pair_t &pair) { return pair.slot == slot; })) {
    return AVRM_OK;
  }
  MapOwner lut = new_lut_map((*map)->instance, (*map)->u.pgids[slot], size);
  if (lut == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::transform(pairs, pairs + size, lut_entries(lut.get()), [](const avrm_pair_t &pair) { return pair.lpid; });
  if (!seal_lut(lut.get())) {
    return AVRM_ERR_OVERFLOW;
  }
  *map = std::move(lut);
  return reduce_lut(map);
}

} // namespace

avrm_status_t reduce(MapOwner *map) noexcept {
  switch (mode_of(map->get())) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED:
  case AVRM_MODE_SEGMENTS:
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_PACKED_MLUT:
  case AVRM_MODE_CART: return AVRM_OK;
  case AVRM_MODE_LUT: return reduce_lut(map);
  case AVRM_MODE_MLUT: return reduce_mlut(map);
  }
  AVRM_UNREACHABLE();
  return AVRM_OK;
}

} // namespace avrankmap::detail
