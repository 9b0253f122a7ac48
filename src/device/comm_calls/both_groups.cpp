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

MapOwner BothGroups::map() const noexcept {
  if (second_ == nullptr) {
    return copy_of(first_);
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
  return status != AVRM_OK ? MapOwner() : copy_of(avrm_group_map(both.get()));
}

bool BothGroups::has(std::int32_t place, avrm_gpid_t process) const noexcept {
  return second_ == nullptr || place < first_->size ? is_member(first_, place, process)
                                                    : is_member(second_, place - first_->size, process);
}

} // namespace avrankmap::detail
