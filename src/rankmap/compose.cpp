// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/compose.h"

#include "rankmap/closed_form.h"
#include "rankmap/gather.h"
#include "rankmap/table2.h"

namespace avrankmap::detail {

namespace {

// Follows every rank through the parent into a new table, then reduces it.
template <typename ParentRankAt>
avrm_status_t tabulate(const avrm_rankmap_t *parent, std::int32_t size, ParentRankAt parent_rank_at,
                       MapOwner *map_p) noexcept {
  const auto gpid_at = [parent, &parent_rank_at](std::int32_t rank) {
    return avrm_rankmap_gpid(parent, static_cast<std::int32_t>(parent_rank_at(rank)));
  };
  if (parent->mode == AVRM_MODE_MLUT) {
    return gather(parent->instance, size, gpid_at, map_p);
  }
  return gather_one_group(
      parent->instance, parent->pgid, size, [&gpid_at](std::int32_t rank) { return gpid_at(rank).lpid; }, map_p);
}

avrm_status_t tabulate_regular(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  return tabulate(
      parent, inner.size, [&inner](std::int32_t rank) { return value_at(inner, rank); }, map_p);
}

// Points to a contiguous part of the parent's table; a part may be simpler than the whole.
avrm_status_t share_table(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  MapOwner map = new_map(parent->instance);
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (parent->mode == AVRM_MODE_LUT) {
    share_lut(map.get(), parent, inner.offset, inner.size);
  } else {
    share_mlut(map.get(), parent, inner.offset, inner.size);
  }
  const avrm_status_t status = inner.size == parent->size ? AVRM_OK : reduce(&map);
  if (status == AVRM_OK) {
    *map_p = std::move(map);
  }
  return status;
}

avrm_status_t make_regular(const avrm_rankmap_t *parent, const Regular &form, MapOwner *map_p) noexcept {
  MapOwner map = new_regular_map(parent->instance, parent->pgid, form);
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  *map_p = std::move(map);
  return AVRM_OK;
}

ArrayModel array_model_of(const Regular &inner) noexcept {
  switch (mode_of(inner)) {
  case AVRM_MODE_DIRECT: return ArrayModel::kDirect;
  case AVRM_MODE_OFFSET: return ArrayModel::kOffset;
  default: return ArrayModel::kStride;
  }
}

} // namespace

avrm_status_t compose_regular(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  const bool contiguous = inner.block == 1 && inner.stride == 1;
  const Outcome outcome = child_model(model_of(mode_of(parent)), array_model_of(inner));
  const bool table2_regular = outcome.model != Model::kLut && outcome.model != Model::kMlut;
  if (is_regular(parent) && (table2_regular || !parent->instance->strict)) {
    if (const std::optional<Regular> form = composed(form_of(parent), inner)) {
      return make_regular(parent, *form, map_p);
    }
  }
  if (!is_regular(parent) && contiguous) {
    return share_table(parent, inner, map_p);
  }
  return tabulate_regular(parent, inner, map_p);
}

avrm_status_t compose_irregular(const avrm_rankmap_t *parent, std::int32_t size, const std::int32_t *parent_ranks,
                                MapOwner *map_p) noexcept {
  std::uint32_t max = 0; // a negative rank is a large number here
  for (std::int32_t rank = 0; rank < size; ++rank) {
    max = std::max(max, static_cast<std::uint32_t>(parent_ranks[rank]));
  }
  if (max >= static_cast<std::uint32_t>(parent->size)) {
    return AVRM_ERR_RANK;
  }
  return tabulate(
      parent, size, [parent_ranks](std::int32_t rank) { return parent_ranks[rank]; }, map_p);
}

} // namespace avrankmap::detail
