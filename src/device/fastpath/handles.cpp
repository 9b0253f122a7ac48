// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI-shaped interface: queues and communicators.
#include "fastpath/handles.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <string_view>
#include <utility>

#include "av/address_vector.h"
#include "av/instance.h"
#include "rankmap/bind/implicit_bind.h"

avrm_fp_comm_t avrm_fp_predefined_comms[AVRM_FP_PREDEFINED];

namespace avrankmap::detail {

bool PendingRequests::reserve(Memory &memory) noexcept {
  if (count_ < capacity_) {
    return true;
  }
  const std::size_t wanted = std::max<std::size_t>(16, 2 * capacity_);
  auto *const larger = static_cast<avrm_request_t **>(
      memory.allocate(wanted * sizeof *requests_, alignof(avrm_request_t *), AVRM_MEM_MESSAGE));
  if (larger == nullptr) {
    return false;
  }
  std::copy_n(requests_, count_, larger);
  memory.release(requests_, capacity_ * sizeof *requests_, alignof(avrm_request_t *), AVRM_MEM_MESSAGE);
  requests_ = larger;
  capacity_ = wanted;
  return true;
}

avrm_status_t PendingRequests::complete(Memory &memory) noexcept {
  avrm_status_t status = AVRM_OK;
  for (std::size_t i = 0; i < count_; ++i) {
    const avrm_status_t ended = avrm_wait(&requests_[i], nullptr);
    status = status != AVRM_OK ? status : ended;
  }
  memory.release(requests_, capacity_ * sizeof *requests_, alignof(avrm_request_t *), AVRM_MEM_MESSAGE);
  *this = {};
  return status;
}

PendingRequests PendingRequests::take() noexcept {
  const PendingRequests all = *this;
  *this = {};
  return all;
}

namespace {

void destroy_fp(avrm_fp_t *fp) noexcept {
  Memory &memory = fp->device->instance->memory;
  while (fp->spare != nullptr) {
    avrm_fp_comm_t *const comm = fp->spare;
    fp->spare = reinterpret_cast<avrm_fp_comm_t *>(comm->comm);
    memory.release(comm, sizeof *comm, 64, AVRM_MEM_COMM);
  }
  memory.release(fp, sizeof *fp, alignof(avrm_fp), AVRM_MEM_COMM);
}

// Returns the queue of the next communicator.
Queue *next_queue(avrm_fp_t *fp) noexcept {
  Queue *queue = fp->device->queues;
  for (std::int32_t i = 0; i < fp->next_queue; ++i) {
    queue = queue->next;
  }
  fp->next_queue = (fp->next_queue + 1) % fp->queue_count;
  return queue;
}

// Fixes the queue of a communicator: a message over another queue could overtake earlier ones.
void settle_queue(avrm_fp_t *fp, avrm_comm_t *comm) noexcept {
  const DeviceGuard guard(fp->device);
  if (comm->queue == nullptr && !comm->has_sent && fp->queue_count != 0) {
    comm->queue = next_queue(fp);
  }
  comm->has_sent = true; // may send from now on
}

// Binds a map again if its implicit AV has become a table since, so that the map does not call the
// AV. Not on a device for several threads: any of them may be using the map (avrm_comm_map).
void use_table(avrm_comm_t *comm) noexcept {
  if (!comm->device->threads && AddressVector::from_handle(comm->device->world_av)->table() != nullptr &&
      is_bound_implicitly(comm->map)) {
    (void)rebind(comm); // cannot fail: the AVs exist
  }
}

// Copies the location of the world's address words.
std::uintptr_t place_of_world(avrm_device_t *device) noexcept {
  const std::scoped_lock guard(device->instance->lock);
  return AddressVector::from_handle(device->world_av)->place();
}

// All lpids are exceptions of this line: none is connected.
constexpr avrm_line_t kNobody{0, 0, 0, 0, 1};

// Other threads may be sending with the handle.
void revoke(avrm_fp_comm_t *handle) noexcept {
  std::atomic_ref(handle->map).store(handle->comm->words(), std::memory_order_release);
  std::atomic_ref(handle->world).store(reinterpret_cast<std::uintptr_t>(&kNobody) + 1, std::memory_order_release);
}

// Fills in a handle.
avrm_status_t open_comm(avrm_fp_t *fp, avrm_comm_t *comm, avrm_fp_comm_t *handle) noexcept {
  avrm_device_t *const device = fp->device;
  void *const block = device->instance->memory.allocate(sizeof(avrm_fp_cold), alignof(avrm_fp_cold), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const cold = new (block) avrm_fp_cold;
  cold->fp = fp;
  use_table(comm);
  settle_queue(fp, comm);
  cold->queue = comm->queue;
  ++fp->users;
  *handle = {.map = comm->map,
             .net = device->net,
             .send_match = comm->send_match,
             .context_match = comm->context_match,
             .world = place_of_world(device),
             .comm = comm,
             .cold = cold,
             .live = device->threads ? AVRM_FP_LIVE_THREADS : AVRM_FP_LIVE,
             .threads = device->threads ? std::uint16_t{1} : std::uint16_t{0},
             .codec = static_cast<std::uint16_t>(device->codec)};
  const DeviceGuard guard(device);
  cold->handle = handle;
  cold->next = std::exchange(comm->handles, cold);
  if (comm->is_revoked()) {
    revoke(handle);
  }
  return AVRM_OK;
}

void unlink(avrm_fp_cold *cold) noexcept {
  const DeviceGuard guard(cold->fp->device);
  avrm_fp_cold **at = &cold->handle->comm->handles;
  while (*at != cold) {
    at = &(*at)->next;
  }
  *at = cold->next;
}

bool is_predefined(const avrm_fp_comm_t *handle) noexcept {
  return std::any_of(std::begin(avrm_fp_predefined_comms), std::end(avrm_fp_predefined_comms),
                     [&](const avrm_fp_comm_t &place) { return &place == handle; });
}

avrm_status_t check_comm(const avrm_fp_t *fp, const avrm_comm_t *comm, const void *place) noexcept {
  if (fp == nullptr || comm == nullptr || place == nullptr) {
    return AVRM_ERR_NULL;
  }
  return comm->device != fp->device ? AVRM_ERR_INSTANCE : AVRM_OK;
}

} // namespace

void revoke_handles(avrm_comm_t *comm) noexcept {
  for (const avrm_fp_cold *cold = comm->handles; cold != nullptr; cold = cold->next) {
    revoke(cold->handle);
  }
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_i_fp_open(avrm_device_t *device, int32_t queues, const char *netmod, avrm_fp_t **fp_p) noexcept {
  if (device == nullptr || fp_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (queues < 1) {
    return AVRM_ERR_SIZE;
  }
  if (netmod != nullptr && std::string_view(netmod) != device->net->ops->name) {
    return AVRM_ERR_UNSUPPORTED;
  }
  void *const block = device->instance->memory.allocate(sizeof(avrm_fp), alignof(avrm_fp), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const fp = new (block) avrm_fp(device);
  if (device->threads && queues > 1) {
    const avrm_status_t status = open_queues(device, queues);
    if (status != AVRM_OK && status != AVRM_ERR_UNSUPPORTED) {
      destroy_fp(fp);
      return status;
    }
    fp->queue_count = status == AVRM_OK ? queues : 0;
  }
  *fp_p = fp;
  return AVRM_OK;
}

avrm_status_t avrm_fp_close(avrm_fp_t *fp) noexcept {
  if (fp == nullptr) {
    return AVRM_OK;
  }
  if (fp->users != 0) {
    return AVRM_ERR_BUSY;
  }
  destroy_fp(fp);
  return AVRM_OK;
}

int32_t avrm_fp_queues(const avrm_fp_t *fp) noexcept { return fp->queue_count; }

avrm_status_t avrm_fp_comm_create(avrm_fp_t *fp, avrm_comm_t *comm, avrm_fp_comm_t **handle_p) noexcept {
  avrm_status_t status = check_comm(fp, comm, handle_p);
  if (status != AVRM_OK) {
    return status;
  }
  Memory &memory = fp->device->instance->memory;
  avrm_fp_comm_t *handle = fp->spare;
  if (handle == nullptr) {
    handle = static_cast<avrm_fp_comm_t *>(memory.allocate(sizeof *handle, 64, AVRM_MEM_COMM));
    if (handle == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
  } else {
    fp->spare = reinterpret_cast<avrm_fp_comm_t *>(handle->comm);
  }
  status = open_comm(fp, comm, handle);
  if (status != AVRM_OK) {
    handle->comm = reinterpret_cast<avrm_comm_t *>(fp->spare);
    fp->spare = handle;
    return status;
  }
  *handle_p = handle;
  return AVRM_OK;
}

avrm_status_t avrm_fp_comm_create_predefined(avrm_fp_t *fp, avrm_comm_t *comm, avrm_fp_comm_t *place) noexcept {
  const avrm_status_t status = check_comm(fp, comm, place);
  if (status != AVRM_OK) {
    return status;
  }
  if (!is_predefined(place)) {
    return AVRM_ERR_OPTION;
  }
  return avrm_i_fp_is_live(place->live) ? AVRM_ERR_BUSY : open_comm(fp, comm, place);
}

avrm_status_t avrm_fp_comm_free(avrm_fp_comm_t *handle) noexcept {
  if (handle == nullptr || !avrm_i_fp_is_live(handle->live)) {
    return AVRM_ERR_COMM;
  }
  avrm_fp_cold *const cold = handle->cold;
  if (cold->windows != 0) {
    return AVRM_ERR_BUSY;
  }
  avrm_fp_t *const fp = cold->fp;
  Memory &memory = fp->device->instance->memory;
  const avrm_status_t status = cold->pending.complete(memory);
  unlink(cold);
  cold->~avrm_fp_cold();
  memory.release(cold, sizeof *cold, alignof(avrm_fp_cold), AVRM_MEM_COMM);
  *handle = {};
  --fp->users;
  if (!is_predefined(handle)) {
    handle->comm = reinterpret_cast<avrm_comm_t *>(fp->spare);
    fp->spare = handle;
  }
  return status;
}

avrm_status_t avrm_fp_comm_waitall(avrm_fp_comm_t *comm) noexcept {
  if (comm == nullptr || !avrm_i_fp_is_live(comm->live)) {
    return AVRM_ERR_COMM;
  }
  PendingRequests pending;
  {
    const FastpathGuard guard(comm, &comm->cold->lock);
    pending = comm->cold->pending.take();
  }
  return pending.complete(memory_of(comm));
}
