// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface to the process groups of a rankmap.
#include "av/address_vector.h"
#include "av/instance.h"
#include "rankmap/bind/used_groups.h"

using namespace avrankmap::detail;

avrm_status_t avrm_rankmap_pgids(const avrm_rankmap_t *map, int32_t room, int32_t *pgids, int32_t *count_p) noexcept {
  if (map == nullptr || count_p == nullptr || (pgids == nullptr && room > 0)) {
    return AVRM_ERR_NULL;
  }
  if (room < 0) {
    return AVRM_ERR_SIZE;
  }
  std::int32_t count = 0;
  (void)for_each_used_group(map, [room, pgids, &count](const UsedGroup &use) {
    if (count < room) {
      pgids[count] = use.pgid;
    }
    ++count;
    return AVRM_OK;
  });
  *count_p = count;
  return AVRM_OK;
}

avrm_status_t avrm_rankmap_av(const avrm_rankmap_t *map, int32_t rank, avrm_av_t **av_p) noexcept {
  if (map == nullptr || av_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (map->bound == 0) {
    return AVRM_ERR_NOT_BOUND;
  }
  avrm_gpid_t process{};
  const avrm_status_t status = avrm_rankmap_gpid_checked(map, rank, &process);
  if (status == AVRM_OK) {
    *av_p = &map->instance->process_groups.held(process.pgid)->handle;
  }
  return status;
}
