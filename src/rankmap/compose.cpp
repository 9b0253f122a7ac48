// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/compose.h"

#include "rankmap/closed_form.h"
#include "rankmap/gather.h"
#include "rankmap/runs.h"
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
  if (groups_of(parent) > 1) {
    return gather(parent->instance, size, gpid_at, map_p);
  }
  return gather_one_group(
      parent->instance, parent->pgid, size, [&gpid_at](std::int32_t rank) { return gpid_at(rank).lpid; }, map_p);
}

avrm_status_t tabulate_regular(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  return tabulate(
      parent, inner.size, [&inner](std::int32_t rank) { return value_at(inner, rank); }, map_p);
}

avrm_status_t make_regular(avrm_instance_t *instance, std::int32_t pgid, const Regular &form,
                           MapOwner *map_p) noexcept {
  MapOwner map = new_regular_map(instance, pgid, form);
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  *map_p = std::move(map);
  return AVRM_OK;
}

// The process group of all ranks of a map, if it is but one.
std::optional<std::int32_t> only_group_of(const avrm_rankmap_t *map) noexcept {
  const std::int32_t pgid = avrm_rankmap_gpid(map, 0).pgid;
  for (std::int32_t rank = 1; groups_of(map) > 1 && rank < map->size; ++rank) {
    if (avrm_rankmap_gpid(map, rank).pgid != pgid) {
      return std::nullopt;
    }
  }
  return pgid;
}

// Points to a contiguous part of the parent's table; a part may be simpler than the whole.
avrm_status_t share_table(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  MapOwner map = new_map(parent->instance);
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  share_part(map.get(), parent, inner.offset, inner.size);
  const std::optional<std::int32_t> pgid = is_packed(parent) ? only_group_of(map.get()) : std::nullopt;
  if (pgid) {
    const std::optional<Regular> form = regular_from_lpids(inner.size, [&map](std::int64_t rank) {
      return avrm_rankmap_gpid(map.get(), static_cast<std::int32_t>(rank)).lpid;
    });
    if (form) {
      return make_regular(parent->instance, *pgid, *form, map_p);
    }
    if (parent->mode == AVRM_MODE_PACKED_MLUT) {
      return gather_one_group(
          parent->instance, *pgid, inner.size,
          [&map](std::int32_t rank) { return avrm_rankmap_gpid(map.get(), rank).lpid; }, map_p);
    }
  }
  const avrm_status_t status = reduce(&map);
  if (status == AVRM_OK) {
    *map_p = std::move(map);
  }
  return status;
}

// AVRM_ERR_LIMIT if there are too many.
avrm_status_t by_runs(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  RunList runs(parent->instance->memory, most_segments(inner.size, groups_of(parent)));
  const avrm_status_t status = compose_runs(parent, inner, &runs);
  return status == AVRM_OK ? map_from_runs(parent->instance, runs, map_p) : status;
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
  if (!is_regular(parent) && contiguous && inner.size == parent->size) {
    *map_p = copy_of(parent);
    return *map_p == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }
  const Outcome outcome = child_model(model_of(mode_of(parent)), array_model_of(inner));
  const bool table2_regular = outcome.model != Model::kLut && outcome.model != Model::kMlut;
  if (is_regular(parent) && (table2_regular || !parent->instance->strict)) {
    if (const std::optional<Regular> form = composed(form_of(parent), inner)) {
      return make_regular(parent->instance, parent->pgid, *form, map_p);
    }
  }
  if (has_table(parent) && contiguous) {
    return share_table(parent, inner, map_p);
  }
  if (!parent->instance->strict && knows_runs(parent)) {
    const avrm_status_t status = by_runs(parent, inner, map_p);
    if (status != AVRM_ERR_LIMIT) {
      return status;
    }
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
