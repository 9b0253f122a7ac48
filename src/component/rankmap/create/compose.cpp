// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/compose.h"

#include "rankmap/create/from_processes.h"
#include "rankmap/forms/forms.h"
#include "rankmap/patterns/closed_form.h"
#include "rankmap/vector_loops.h"

namespace avrankmap::detail {

namespace {

constexpr auto kPart = by_mode([]<typename F>() { return F::part; });
constexpr auto kModel = by_mode([]<typename F>() { return F::kModel; });

// Translates every rank through the parent into a new table, then reduces it.
avrm_status_t tabulate(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  const auto gpid_at = [parent, &inner](std::int32_t rank) {
    return avrm_rankmap_gpid(parent, static_cast<std::int32_t>(value_at(inner, rank)));
  };
  if (groups_of(parent) > 1) {
    return map_from_processes(parent->instance, inner.size, gpid_at, map_p);
  }
  return map_from_lpids(
      parent->instance, parent->pgid, inner.size, [&gpid_at](std::int32_t rank) { return gpid_at(rank).lpid; }, map_p);
}

// Returns AVRM_ERR_LIMIT if there are too many runs.
avrm_status_t by_runs(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  RunList runs(parent->instance->memory, most_segments(inner.size, groups_of(parent)));
  const avrm_status_t status = compose_runs(parent, inner, &runs);
  return status == AVRM_OK ? map_from_runs(parent->instance, runs, map_p) : status;
}

ArrayModel array_model_of(const Regular &inner) noexcept {
  if (inner.block != 1 || inner.stride != 1) {
    return ArrayModel::kStride;
  }
  return inner.offset == 0 ? ArrayModel::kDirect : ArrayModel::kOffset;
}

} // namespace

avrm_status_t compose_regular(const avrm_rankmap_t *parent, const Regular &inner, MapOwner *map_p) noexcept {
  const bool contiguous = inner.block == 1 && inner.stride == 1;
  if (!is_regular(parent) && contiguous && inner.size == parent->size) {
    *map_p = copy_of(parent);
    return AVRM_OK;
  }
  const Outcome outcome = child_model(kModel[parent->mode], array_model_of(inner));
  const bool regular_in_strict = outcome.model != Model::kLut && outcome.model != Model::kMlut;
  if (is_regular(parent) && (regular_in_strict || !parent->instance->strict)) {
    if (const std::optional<Regular> form = composed(form_of(parent), inner)) {
      *map_p = new_regular_map(parent->instance, parent->pgid, *form);
      return AVRM_OK;
    }
  }
  if (contiguous) {
    const avrm_status_t status = kPart[parent->mode](parent, inner.offset, inner.size, map_p);
    if (status != AVRM_ERR_UNSUPPORTED) {
      return status;
    }
  }
  if (!parent->instance->strict && knows_runs(parent)) {
    const avrm_status_t status = by_runs(parent, inner, map_p);
    if (status != AVRM_ERR_LIMIT) {
      return status;
    }
  }
  return tabulate(parent, inner, map_p);
}

avrm_status_t compose_irregular(const avrm_rankmap_t *parent, std::int32_t size, const std::int32_t *parent_ranks,
                                MapOwner *map_p) noexcept {
  if (groups_of(parent) == 1) {
    return map_of_ranks(parent, size, parent_ranks, map_p);
  }
  if (!are_ranks<false>(parent->size, static_cast<std::size_t>(size), parent_ranks)) {
    return AVRM_ERR_RANK;
  }
  return map_from_processes(
      parent->instance, size, [=](std::int32_t rank) { return avrm_rankmap_gpid(parent, parent_ranks[rank]); }, map_p);
}

} // namespace avrankmap::detail
