// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/comm.h"

#include <new>

#include "comm/create.h"
#include "core/device.h"

namespace avrankmap::detail {

avrm_status_t create_comm(avrm_device_t *device, avrm_rankmap_t *map, std::int32_t rank, std::uint32_t context,
                          avrm_comm_t **comm_p) noexcept {
  for (const avrm_comm_t *other = device->comms; other != nullptr; other = other->next) {
    if (other->context == context) {
      return AVRM_ERR_BUSY;
    }
  }
  void *const block = device->instance->memory.allocate(sizeof(avrm_comm), alignof(avrm_comm), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_status_t status = avrm_rankmap_bind(map);
  if (status != AVRM_OK) {
    device->instance->memory.release(block, sizeof(avrm_comm), alignof(avrm_comm), AVRM_MEM_COMM);
    return status;
  }
  auto *const comm = new (block) avrm_comm;
  comm->map = map;
  comm->device = device;
  comm->send_match = avrm_match_pack(context, rank, 0);
  comm->context = context;
  comm->rank = rank;
  comm->next = device->comms;
  device->comms = comm;
  *comm_p = comm;
  return AVRM_OK;
}

avrm_status_t rebind(avrm_comm_t *comm) noexcept {
  const avrm_status_t status = avrm_rankmap_unbind(comm->map);
  return status != AVRM_OK ? status : avrm_rankmap_bind(comm->map);
}

void free_comm(avrm_comm_t *comm) noexcept {
  avrm_device_t *const device = comm->device;
  avrm_comm_t **at = &device->comms;
  while (*at != comm) {
    at = &(*at)->next;
  }
  *at = comm->next;
  avrm_rankmap_destroy(comm->map);
  comm->~avrm_comm();
  device->instance->memory.release(comm, sizeof(avrm_comm), alignof(avrm_comm), AVRM_MEM_COMM);
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_comm_create(avrm_device_t *device, avrm_rankmap_t *map, int32_t rank, uint32_t context,
                               avrm_comm_t **comm_p) noexcept {
  if (device == nullptr || map == nullptr || comm_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (map->instance != device->instance) {
    return AVRM_ERR_INSTANCE;
  }
  if (rank < 0 || rank >= map->size) {
    return AVRM_ERR_RANK;
  }
  if (context == 0 || context > AVRM_MATCH_MAX_CONTEXT || map->size - 1 > AVRM_MATCH_MAX_RANK) {
    return AVRM_ERR_LIMIT;
  }
  const DeviceGuard guard(device);
  return create_comm(device, map, rank, context, comm_p);
}

avrm_status_t avrm_comm_free(avrm_comm_t *comm) noexcept {
  if (comm == nullptr) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(comm->device);
  if (comm->users != 0 || comm == comm->device->world) {
    return AVRM_ERR_BUSY;
  }
  free_comm(comm);
  return AVRM_OK;
}

int32_t avrm_comm_rank(const avrm_comm_t *comm) noexcept { return comm->rank; }
int32_t avrm_comm_size(const avrm_comm_t *comm) noexcept { return comm->map->size; }
const avrm_rankmap_t *avrm_comm_map(const avrm_comm_t *comm) noexcept { return comm->map; }
