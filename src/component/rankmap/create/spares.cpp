// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/spares.h"

#include <algorithm>

#include "base/array.h"
#include "rankmap/create/choose.h"
#include "rankmap/create/runs.h"

namespace avrankmap::detail {

namespace {

// Calls push(first, count) for ranges of the parent's ranks that are consecutive in the result,
// until it returns an error.
template <typename Push>
avrm_status_t arrange(const avrm_rankmap_t *parent, std::int32_t active, const std::int32_t *ranks, std::int32_t count,
                      Push push) noexcept {
  const std::int32_t *end = ranks + count; // end of those below `spare`
  std::int32_t next = 0;
  std::int32_t spare = parent->size; // this rank and all later ones are in use
  for (const std::int32_t *rank = ranks; rank != end; ++rank) {
    avrm_status_t status = *rank == next ? AVRM_OK : push(next, *rank - next);
    next = *rank + 1;
    if (status == AVRM_OK && *rank < active) {
      for (--spare; spare >= active && end[-1] == spare; --spare) {
        --end;
      }
      status = spare < active ? AVRM_ERR_SIZE : push(spare, 1);
    }
    if (status != AVRM_OK) {
      return status;
    }
  }
  return next == spare ? AVRM_OK : push(next, spare - next);
}

} // namespace

avrm_status_t map_with_spares(const avrm_rankmap_t *parent, std::int32_t active, const std::int32_t *ranks,
                              std::int32_t count, MapOwner *map_p) noexcept {
  if (count == 0) {
    *map_p = copy_of(parent);
    return AVRM_OK;
  }
  Memory &memory = parent->instance->memory;
  const std::int32_t size = parent->size - count;
  RunList runs(memory, most_segments(size, groups_of(parent)));
  avrm_status_t status = arrange(parent, active, ranks, count, [&](std::int32_t first, std::int32_t length) {
    return compose_runs(parent, simplified({length, first, 1, 1}), &runs);
  });
  if (status != AVRM_ERR_LIMIT) {
    return status == AVRM_OK ? map_from_runs(parent->instance, runs, map_p) : status;
  }
  Array<std::int32_t> places(memory);
  if (!places.make_room(static_cast<std::size_t>(size))) {
    return AVRM_ERR_NO_MEMORY;
  }
  status = arrange(parent, active, ranks, count, [&](std::int32_t first, std::int32_t length) {
    for (std::int32_t rank = first; rank < first + length; ++rank) {
      places.append(rank);
    }
    return AVRM_OK;
  });
  avrm_rankmap_t map{};
  status =
      status != AVRM_OK ? status : avrm_rankmap_create_child(parent, size, places.begin(), AVRM_RANKMAP_DEFAULT, &map);
  if (status == AVRM_OK) {
    *map_p = MapOwner(map);
  }
  return status;
}

} // namespace avrankmap::detail
