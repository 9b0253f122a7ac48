// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/communicator.h"

#include <sched.h>

#include <new>
#include <type_traits>

#include "core/device.h"
#include "core/peers/worlds.h"

namespace avrankmap::detail {

namespace {

constexpr std::uint32_t kPlaneShift = AVRM_MATCH_PLANE_SHIFT - AVRM_MATCH_CONTEXT_SHIFT;

constexpr std::size_t comms_of(bool inter) noexcept { return inter ? 3 : 2; }
constexpr std::size_t maps_of(bool inter) noexcept { return inter ? 2 : 1; }

std::size_t bytes_of(bool inter) noexcept {
  return comms_of(inter) * sizeof(avrm_comm) + maps_of(inter) * sizeof(avrm_rankmap_t);
}

// Binds the maps in a communicator's block: the one to send to and, in an intercommunicator, the
// one of the local group.
avrm_status_t bind_all(avrm_rankmap_t *maps, bool inter) noexcept {
  avrm_status_t status = avrm_rankmap_bind(maps);
  if (status == AVRM_OK && inter) {
    status = avrm_rankmap_bind(maps + 1);
    if (status != AVRM_OK) {
      (void)avrm_rankmap_unbind(maps);
    }
  }
  return status;
}

} // namespace

void set_context(avrm_comm_t *comm, std::uint32_t context, Plane plane) noexcept {
  comm->context = static_cast<std::uint32_t>(plane) << kPlaneShift | context;
  comm->context_match = comm->device->match_bits.pack(static_cast<std::uint32_t>(plane), context, 0);
  comm->send_match = comm->context_match | MatchBits::of_source(comm->rank);
}

avrm_status_t new_comm(avrm_device_t *device, MapOwner *map, MapOwner *own, std::int32_t rank,
                       avrm_comm_t **comm_p) noexcept {
  const bool inter = *own != nullptr;
  Memory &memory = device->instance->memory;
  void *const block = memory.allocate(bytes_of(inter), alignof(avrm_comm), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const comms = static_cast<avrm_comm *>(block);
  auto *const maps = reinterpret_cast<avrm_rankmap_t *>(comms + comms_of(inter));
  new (maps) avrm_rankmap_t(map->release());
  if (inter) {
    new (maps + 1) avrm_rankmap_t(own->release());
  }
  const avrm_status_t status = bind_all(maps, inter);
  if (status != AVRM_OK) {
    *map = MapOwner(maps[0]);
    *own = inter ? MapOwner(maps[1]) : MapOwner();
    memory.release(block, bytes_of(inter), alignof(avrm_comm), AVRM_MEM_COMM);
    return status;
  }
  for (std::size_t i = 0; i < comms_of(inter); ++i) {
    avrm_comm *const comm = new (comms + i) avrm_comm;
    comm->map = maps;
    comm->address_map = maps;
    comm->own = inter ? maps + 1 : nullptr;
    comm->device = device;
    comm->rank = rank;
  }
  comms->collective = comms + 1;
  if (inter) {
    comms->leaders = comms + 2;
    comms->collective->map = maps + 1;
    comms->collective->address_map = maps + 1;
    comms->collective->own = nullptr;
  }
  *comm_p = comms;
  return AVRM_OK;
}

avrm_status_t rebind(avrm_comm_t *comm) noexcept {
  const avrm_status_t status = avrm_rankmap_unbind(comm->map);
  return status != AVRM_OK ? status : avrm_rankmap_bind(comm->map);
}

void open_comm(avrm_comm_t *comm, std::uint32_t context) noexcept {
  avrm_device_t *const device = comm->device;
  set_context(comm, context, Plane::kUser);
  set_context(comm->collective, context, Plane::kCollective);
  if (comm->leaders != nullptr) {
    set_context(comm->leaders, context, Plane::kLeaders);
  }
  device->comms.add(comm);
}

bool discard_comm(avrm_comm_t *comm) noexcept {
  Memory &memory = comm->device->instance->memory;
  const bool inter = comm->is_inter();
  const bool keeps_context = comm->device->upcalls->on_discard(comm);
  avrm_rankmap_destroy(comm->map);
  avrm_rankmap_destroy(comm->own);
  static_assert(std::is_trivially_destructible_v<avrm_comm>);
  memory.release(comm, bytes_of(inter), alignof(avrm_comm), AVRM_MEM_COMM);
  return keeps_context;
}

void free_comm(avrm_comm_t *comm) noexcept {
  avrm_device_t *const device = comm->device;
  const std::uint32_t context = comm->context;
  device->comms.remove(comm);
  if (device->parent == comm) {
    device->parent = nullptr;
  }
  if (!discard_comm(comm)) {
    device->contexts.give(context);
  }
}

bool is_busy(const avrm_comm_t *comm) noexcept {
  if (comm->is_internal() || comm == comm->device->world) {
    return true;
  }
  for (const avrm_comm_t *part :
       {comm, static_cast<const avrm_comm_t *>(comm->collective), static_cast<const avrm_comm_t *>(comm->leaders),
        static_cast<const avrm_comm_t *>(comm->node), static_cast<const avrm_comm_t *>(comm->roots)}) {
    if (part != nullptr && part->users != 0) {
      return true;
    }
  }
  return false;
}

namespace {

// Holds the device's lock once no thread holds the communicator.
class HeldGuard {
public:
  explicit HeldGuard(const avrm_comm_t *comm) noexcept : guard_(comm->device) {
    while (comm->is_held) { // another thread holds it for a few microseconds
      comm->device->lock.unlock();
      sched_yield();
      comm->device->lock.lock();
    }
  }

private:
  DeviceGuard guard_;
};

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_comm_create_local(avrm_device_t *device, avrm_rankmap_t *map, int32_t rank, uint32_t context,
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
  if (context == 0 || context > device->contexts.most() || map->size - 1 > device->match_bits.most_rank()) {
    return AVRM_ERR_LIMIT;
  }
  const DeviceGuard guard(device);
  avrm_status_t status = device->contexts.take(context);
  if (status != AVRM_OK) {
    return status;
  }
  MapOwner taken(std::exchange(*map, avrm_rankmap_t{}));
  MapOwner none;
  status = new_comm(device, &taken, &none, rank, comm_p);
  if (status != AVRM_OK) {
    *map = taken.release();
    device->contexts.give(context);
    return status;
  }
  open_comm(*comm_p, context);
  return AVRM_OK;
}

avrm_status_t avrm_comm_free(avrm_comm_t *comm) noexcept {
  if (comm == nullptr) {
    return AVRM_ERR_NULL;
  }
  avrm_device_t *const device = comm->device;
  const HeldGuard guard(comm);
  if (is_busy(comm)) {
    return AVRM_ERR_BUSY;
  }
  free_comm(comm);
  forget_worlds(device);
  return AVRM_OK;
}

int32_t avrm_comm_rank(const avrm_comm_t *comm) noexcept { return comm->rank; }
int32_t avrm_comm_size(const avrm_comm_t *comm) noexcept { return comm->group()->size; }
const avrm_rankmap_t *avrm_comm_map(const avrm_comm_t *comm) noexcept { return comm->map; }
bool avrm_comm_is_inter(const avrm_comm_t *comm) noexcept { return comm->is_inter(); }
int32_t avrm_comm_remote_size(const avrm_comm_t *comm) noexcept { return comm->is_inter() ? comm->map->size : 0; }

avrm_status_t avrm_comm_group(const avrm_comm_t *comm, avrm_group_t **group_p) noexcept {
  return comm == nullptr ? AVRM_ERR_NULL : avrm_group_create(comm->group(), group_p);
}

avrm_status_t avrm_comm_remote_group(const avrm_comm_t *comm, avrm_group_t **group_p) noexcept {
  if (comm == nullptr) {
    return AVRM_ERR_NULL;
  }
  return comm->is_inter() ? avrm_group_create(comm->map, group_p) : AVRM_ERR_OPTION;
}
