// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group/leave_out.h"

#include "rankmap/create/intern.h"
#include "rankmap/create/without.h"

namespace avrankmap::detail {

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
