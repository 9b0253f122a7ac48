// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group/leave_out.h"

#include "group/run_arithmetic.h"
#include "rankmap/create/choose.h"
#include "rankmap/create/intern.h"
#include "rankmap/create/without.h"

namespace avrankmap::detail {

namespace {

// Creates the map of rows of consecutive processes as a blocked map, and of other rows if the
// instance's cost class selects a cart. Otherwise returns AVRM_ERR_UNSUPPORTED.
avrm_status_t map_of_rows(avrm_instance_t *instance, std::int32_t pgid, const Cart &rows, MapOwner *map_p) noexcept {
  if (rows.strides[0] == 1) {
    const auto stride = static_cast<std::int32_t>(rows.strides[1]);
    *map_p = new_regular_map(instance, pgid, simplified({rows.size, rows.offset, stride, rows.extents[0]}));
    return AVRM_OK;
  }
  Source source;
  source.instance = instance;
  source.size = rows.size;
  source.pgid = pgid;
  source.max_lpid = greatest_of(rows);
  source.cart = &rows;
  const std::optional<Offer> offer = best_offer(source);
  if (!offer) {
    return AVRM_ERR_UNSUPPORTED;
  }
  *map_p = offer->make(source);
  return *map_p == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
}

} // namespace

avrm_status_t leave_out_run(const avrm_group_t *group, const Run &run, avrm_group_t **group_p) noexcept {
  const std::optional<Cart> rows = rows_without(run_at(&group->map, 0), run);
  MapOwner map;
  const avrm_status_t status =
      rows ? map_of_rows(instance_of(group), group->map.pgid, *rows, &map) : AVRM_ERR_UNSUPPORTED;
  return finish_group(status, std::move(map), group_p);
}

avrm_status_t leave_out(const avrm_group_t *group, Array<std::int32_t> *ranks, avrm_group_t **group_p) noexcept {
  if (ranks->failed()) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::sort(ranks->begin(), ranks->end());
  MapOwner map;
  avrm_status_t status = map_without(&group->map, ranks->begin(), static_cast<std::int32_t>(ranks->size()), &map);
  if (status == AVRM_OK) {
    status = intern(map.get());
  }
  return finish_group(status, std::move(map), group_p);
}

bool are_few_of_many_runs(const avrm_group_t *group, std::int64_t ranks) noexcept {
  constexpr std::int64_t kMany = 16; // looking up a rank takes about the time of this many runs
  return may_be_base(&group->map) && ranks <= size_of(group) / kMany;
}

} // namespace avrankmap::detail
