// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// avrm_comm_get_failed: the members of a communicator that have failed.
#include "avrankmap/device/comm.h"
#include "core/group_owner.h"
#include "core/progress/progress.h"
#include "liveness/dead_members.h"

namespace avrankmap::detail {

namespace {

// The failed processes of a map, as a group, in the order of their ranks.
avrm_status_t failed_of(const avrm_device_t *device, const avrm_rankmap_t *map, GroupOwner *group_p) noexcept {
  Array<std::int32_t> ranks(device->instance->memory);
  list_dead(device, map, ranks);
  if (ranks.failed()) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_group_t *group = nullptr;
  avrm_status_t status = avrm_group_create(map, &group);
  const GroupOwner all(group);
  if (status == AVRM_OK) {
    status = avrm_group_incl(all.get(), static_cast<std::int32_t>(ranks.size()), ranks.begin(), &group);
  }
  if (status == AVRM_OK) {
    group_p->reset(group);
  }
  return status;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_comm_get_failed(avrm_comm_t *comm, avrm_group_t **group_p) noexcept {
  if (comm == nullptr || group_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const avrm_device_t *const device = comm->device;
  const DeviceGuard guard(device);
  if (failures_of(device) == 0) {
    return avrm_group_create_empty(device->instance, group_p);
  }
  GroupOwner failed;
  avrm_status_t status = failed_of(device, comm->group(), &failed);
  if (status == AVRM_OK && comm->is_inter()) {
    GroupOwner remote;
    avrm_group_t *both = nullptr;
    status = failed_of(device, comm->map, &remote);
    if (status == AVRM_OK) {
      status = avrm_group_union(failed.get(), remote.get(), &both);
    }
    if (status == AVRM_OK) {
      failed.reset(both);
    }
  }
  if (status == AVRM_OK) {
    *group_p = failed.release();
  }
  return status;
}
