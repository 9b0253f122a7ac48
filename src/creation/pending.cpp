// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "creation/pending.h"

#include "core/completion.h"

namespace avrankmap::detail {

static_assert(alignof(RequestedCreation) <= 64);

void RequestedCreation::end() noexcept {
  const avrm_status_t status = creation.status();
  if (status == AVRM_OK) {
    *comm_p_ = creation.take();
  }
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
  is_served_.clear(std::memory_order_release);
  return events;
}

} // namespace avrankmap::detail
