// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/convert.h"

#include <algorithm>

#include "rankmap/create/finish.h"
#include "rankmap/create/from_processes.h"
#include "rankmap/create/runs.h"
#include "rankmap/vector_loops.h"

using namespace avrankmap::detail;

namespace {

avrm_status_t check_arguments(const avrm_instance_t *instance, std::int32_t count, const void *array, unsigned flags,
                              const avrm_rankmap_t *map_p) noexcept {
  if (instance == nullptr || map_p == nullptr || (array == nullptr && count > 0)) {
    return AVRM_ERR_NULL;
  }
  if (count < 0) {
    return AVRM_ERR_SIZE;
  }
  return flags_known(flags) ? AVRM_OK : AVRM_ERR_OPTION;
}

avrm_status_t append(const avrm_run_t &given, RunList *list) noexcept {
  if (given.count < 1) {
    return AVRM_ERR_SIZE;
  }
  if (given.pgid < 0) {
    return AVRM_ERR_PGID_UNKNOWN;
  }
  const Run run{0, given.count, given.pgid, given.lpid, given.count == 1 ? 1 : given.stride};
  const auto [min, max] = std::minmax<std::int64_t>({run.offset, last_lpid(run)});
  return min < 0 || max > kMaxLpid ? AVRM_ERR_OVERFLOW : list->push(run);
}

struct Lpids64 {
  std::int32_t pgid;
  const std::uint64_t *lpids;
};

avrm_gpid_t process_at(void *context, std::int32_t rank) {
  const auto *const array = static_cast<const Lpids64 *>(context);
  const std::uint64_t lpid = array->lpids[rank];
  return {array->pgid, lpid > kMaxLpid ? -1 : static_cast<std::int32_t>(lpid)};
}

} // namespace

avrm_status_t avrm_rankmap_create_numbers(avrm_instance_t *instance, int32_t size, const uint64_t *numbers,
                                          unsigned flags, avrm_rankmap_t *map_p) noexcept {
  avrm_status_t status = check_arguments(instance, size, numbers, flags, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (size == 0) {
    return finish_empty(instance, map_p);
  }
  const auto gpid_at = [numbers](std::int32_t rank) {
    const std::uint64_t number = numbers[rank];
    return avrm_gpid_t{static_cast<std::int32_t>(number >> 32),
                       static_cast<std::int32_t>(static_cast<std::uint32_t>(number))};
  };
  MapOwner map;
  status = gather_array(instance, size, gpid_at, &map);
  return finish(status, std::move(map), flags, map_p);
}

avrm_status_t avrm_rankmap_create_lpids64(avrm_instance_t *instance, int32_t pgid, int32_t size, const uint64_t *lpids,
                                          unsigned flags, avrm_rankmap_t *map_p) noexcept {
  const avrm_status_t status = check_arguments(instance, size, lpids, flags, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (pgid < 0) {
    return AVRM_ERR_PGID_UNKNOWN;
  }
  Lpids64 array{pgid, lpids};
  return avrm_rankmap_create_function(instance, size, process_at, &array, flags, map_p);
}

avrm_status_t avrm_rankmap_create_runs(avrm_instance_t *instance, int32_t count, const avrm_run_t *runs, unsigned flags,
                                       avrm_rankmap_t *map_p) noexcept {
  avrm_status_t status = check_arguments(instance, count, runs, flags, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (count == 0) {
    return finish_empty(instance, map_p);
  }
  RunList list(instance->memory, count);
  for (std::int32_t i = 0; i < count && status == AVRM_OK; ++i) {
    status = append(runs[i], &list);
  }
  MapOwner map;
  if (status == AVRM_OK) {
    status = map_from_runs(instance, list, &map);
  }
  return finish(status, std::move(map), flags, map_p);
}

avrm_status_t avrm_rankmap_runs(const avrm_rankmap_t *map, size_t room, avrm_run_t *runs, size_t *count_p) noexcept {
  if (map == nullptr || count_p == nullptr || (runs == nullptr && room > 0)) {
    return AVRM_ERR_NULL;
  }
  std::size_t count = 0;
  (void)for_each_run(map, [runs, room, &count](const Run &run) {
    if (count < room) {
      runs[count] = {run.count, run.pgid, run.offset, run.stride};
    }
    ++count;
    return AVRM_OK;
  });
  *count_p = count;
  return AVRM_OK;
}

avrm_status_t avrm_rankmap_nodes(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 uint32_t *nodes) noexcept {
  if (map == nullptr || (count > 0 && (ranks == nullptr || nodes == nullptr))) {
    return AVRM_ERR_NULL;
  }
  if (map->bound == 0) {
    return AVRM_ERR_NOT_BOUND;
  }
  if (!are_ranks<false>(map->size, count, ranks)) {
    return AVRM_ERR_RANK;
  }
  std::transform(ranks, ranks + count, nodes, [map](std::int32_t rank) { return avrm_rankmap_node(map, rank); });
  return AVRM_OK;
}
