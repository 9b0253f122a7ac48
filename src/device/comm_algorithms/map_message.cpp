// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/map_message.h"

#include "rankmap/create/finish.h"

namespace avrankmap::detail {

MapHeader header_of(const avrm_rankmap_t *map) noexcept {
  if (is_regular(map)) {
    const Regular form = form_of(map);
    return {form.size, map->pgid, form.offset, form.stride, form.block, 0, 0};
  }
  std::int32_t runs = 0;
  (void)for_each_run(map, [&runs](const Run &) {
    ++runs;
    return AVRM_OK;
  });
  return {map->size, map->pgid, 0, 0, 0, runs, 0};
}

void write_runs(const avrm_rankmap_t *map, Run *runs) noexcept {
  (void)for_each_run(map, [&runs](const Run &run) {
    *runs++ = run;
    return AVRM_OK;
  });
}

namespace {

// True if a received run is valid and begins at `rank`.
bool is_sound(const Run &run, std::int32_t rank) noexcept {
  return run.first_rank == rank && run.count >= 1 && (run.count > 1 || run.stride == 1) && run.pgid >= 0 &&
         std::min<std::int64_t>(run.offset, last_lpid(run)) >= 0 &&
         std::max<std::int64_t>(run.offset, last_lpid(run)) <= kMaxLpid;
}

avrm_status_t regular_from_header(avrm_instance_t *instance, const MapHeader &header, MapOwner *map_p) noexcept {
  avrm_rankmap_t map{};
  const avrm_status_t status =
      header.block == 1
          ? avrm_rankmap_create_stride(instance, header.pgid, header.size, header.offset, header.stride, &map)
          : avrm_rankmap_create_blocked(instance, header.pgid, header.size, header.offset, header.stride, header.block,
                                        &map);
  *map_p = MapOwner(map);
  return status == AVRM_OK || status == AVRM_ERR_NO_MEMORY ? status : AVRM_ERR_MISMATCH;
}

} // namespace

avrm_status_t map_from_message(avrm_instance_t *instance, const MapHeader &header, const Run *runs,
                               MapOwner *map_p) noexcept {
  if (header.runs == 0) {
    return regular_from_header(instance, header, map_p);
  }
  RunList list(instance->memory, header.runs);
  for (std::int32_t i = 0; i < header.runs; ++i) {
    const avrm_status_t status = is_sound(runs[i], list.size()) ? list.push(runs[i]) : AVRM_ERR_MISMATCH;
    if (status != AVRM_OK) {
      return status == AVRM_ERR_NO_MEMORY ? status : AVRM_ERR_MISMATCH;
    }
  }
  if (list.size() != header.size) {
    return AVRM_ERR_MISMATCH;
  }
  MapOwner made;
  avrm_status_t status = map_from_runs(instance, list, &made);
  avrm_rankmap_t map{};
  status = finish(status, std::move(made), AVRM_RANKMAP_DEFAULT, &map);
  *map_p = MapOwner(map);
  return status;
}

} // namespace avrankmap::detail
