// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "creation/pending.h"

#include <new>

#include "core/completion.h"

namespace avrankmap::detail {

static_assert(alignof(RequestedCreation) <= 64);

void RequestedCreation::end() noexcept {
  const avrm_status_t status = creation.status();
  if (status == AVRM_OK) {
    *comm_p_ = creation.take();
  }
  const DeviceGuard guard(creation.device());
  finish(request_, status, 0, 0);
}

void *PendingCreations::room(Memory &memory) noexcept {
  void *const block = memory.allocate(sizeof(RequestedCreation), alignof(RequestedCreation), AVRM_MEM_SCRATCH);
  if (block != nullptr) {
    return block;
  }
  return spare_taken_.test_and_set(std::memory_order_acquire) ? nullptr : spare_;
}

void PendingCreations::give_room_back(Memory &memory, void *room) noexcept {
  if (room == spare_) {
    spare_taken_.clear(std::memory_order_release);
  } else {
    memory.release(room, sizeof(RequestedCreation), alignof(RequestedCreation), AVRM_MEM_SCRATCH);
  }
}

void PendingCreations::add(avrm_device_t *device, RequestedCreation *creation) noexcept {
  creation->next = first_.load(std::memory_order_relaxed);
  device->creations_under_way.fetch_add(1, std::memory_order_relaxed);
  while (!first_.compare_exchange_weak(creation->next, creation, std::memory_order_release)) {
  }
}

// Only the serving thread may call this. Other threads may add in front meanwhile.
void PendingCreations::remove(RequestedCreation *creation) noexcept {
  RequestedCreation *first = creation;
  if (first_.compare_exchange_strong(first, creation->next, std::memory_order_acq_rel)) {
    return;
  }
  while (first->next != creation) {
    first = first->next;
  }
  first->next = creation->next;
}

int PendingCreations::serve(avrm_device_t *device) noexcept {
  if (is_served_.test_and_set(std::memory_order_acquire)) {
    return 0; // another thread does, or this one in an outer call
  }
  int events = 0;
  for (RequestedCreation *at = first_.load(std::memory_order_acquire), *next = nullptr; at != nullptr; at = next) {
    next = at->next;
    events += at->creation.poll() ? 1 : 0;
    if (at->creation.is_done()) {
      remove(at);
      device->creations_under_way.fetch_sub(1, std::memory_order_relaxed);
      at->end();
      at->~RequestedCreation();
      give_room_back(device->instance->memory, at);
    }
  }
  for (Survivors *at = first_survivors_.load(std::memory_order_acquire); at != nullptr; at = at->next_one) {
    events += at->advance() ? 1 : 0;
  }
  is_served_.clear(std::memory_order_release);
  return events;
}

avrm_status_t PendingCreations::find_survivors(avrm_comm_t *comm, Survivors **survivors_p) noexcept {
  Survivors *at = first_survivors_.load(std::memory_order_acquire);
  while (at != nullptr && !at->is_of(comm)) {
    at = at->next_one;
  }
  if (at == nullptr) {
    Memory &memory = comm->device->instance->memory;
    void *const block = memory.allocate(sizeof(Survivors), alignof(Survivors), AVRM_MEM_COMM);
    if (block == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    at = new (block) Survivors(comm);
    const avrm_status_t status = at->prepare();
    if (status != AVRM_OK) {
      at->~Survivors();
      memory.release(block, sizeof(Survivors), alignof(Survivors), AVRM_MEM_COMM);
      return status;
    }
    at->next_one = first_survivors_.load(std::memory_order_relaxed);
    first_survivors_.store(at, std::memory_order_release);
    survivors_.fetch_add(1, std::memory_order_relaxed);
    comm->device->creations_under_way.fetch_add(1, std::memory_order_relaxed);
  }
  *survivors_p = at;
  return AVRM_OK;
}

void PendingCreations::on_discard(avrm_comm_t *comm) noexcept {
  for (Survivors *at = first_survivors_.load(std::memory_order_acquire); at != nullptr; at = at->next_one) {
    if (at->is_of(comm)) {
      at->outlive();
      (void)comm->device->contexts.take(comm->context); // which was just given back
    }
  }
}

void PendingCreations::end_survivors(avrm_device_t *device) noexcept {
  Survivors *at = first_survivors_.exchange(nullptr, std::memory_order_acquire);
  while (at != nullptr) {
    Survivors *const next = at->next_one;
    while (!at->withdraw()) {
      (void)avrm_progress(device);
    }
    at->~Survivors();
    device->instance->memory.release(at, sizeof(Survivors), alignof(Survivors), AVRM_MEM_COMM);
    device->creations_under_way.fetch_sub(1, std::memory_order_relaxed);
    at = next;
  }
}

} // namespace avrankmap::detail
