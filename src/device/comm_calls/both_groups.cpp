// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/both_groups.h"

#include <utility>

#include "comm_calls/free_consensus.h"
#include "core/group_owner.h"
#include "core/peers/worlds.h"

namespace avrankmap::detail {

BothGroups::BothGroups(const avrm_comm_t *comm) noexcept : first_(comm->group()) {
  if (comm->is_inter()) {
    second_ = comm->map;
    own_is_second_ = !comes_first(comm->device, avrm_rankmap_gpid(first_, 0), avrm_rankmap_gpid(second_, 0));
    if (own_is_second_) {
      std::swap(first_, second_);
    }
  }
}

avrm_status_t BothGroups::map(MapOwner *map_p) const noexcept {
  if (second_ == nullptr) {
    *map_p = copy_of(first_);
    return AVRM_OK;
  }
  avrm_group_t *group = nullptr;
  avrm_status_t status = avrm_group_create(first_, &group);
  const GroupOwner one(group);
  group = nullptr;
  status = status != AVRM_OK ? status : avrm_group_create(second_, &group);
  const GroupOwner other(group);
  group = nullptr;
  status = status != AVRM_OK ? status : avrm_group_union(one.get(), other.get(), &group);
  const GroupOwner both(group);
  if (status == AVRM_OK) {
    *map_p = copy_of(avrm_group_map(both.get()));
  }
  return status;
}

bool BothGroups::has(std::int32_t place, avrm_gpid_t process) const noexcept {
  return second_ == nullptr || place < first_->size ? is_member(first_, place, process)
                                                    : is_member(second_, place - first_->size, process);
}

} // namespace avrankmap::detail
