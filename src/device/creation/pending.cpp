// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "creation/pending.h"

#include <new>
#include <utility>

#include "core/progress/completion.h"
#include "creation/everyone.h"

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
  revoke_wanted(device);
  events += serve_survivors(device);
  is_served_.clear(std::memory_order_release);
  return events;
}

avrm_status_t PendingCreations::find_survivors(avrm_comm_t *comm, Survivors **survivors_p) noexcept {
  Survivors *at = nullptr;
  {
    const DeviceGuard guard(comm->device);
    at = by_context_.find(comm->context);
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
    {
      const DeviceGuard guard(comm->device);
      by_context_.add(at);
    }
    survivors_.fetch_add(1, std::memory_order_relaxed);
    comm->device->creations_under_way.fetch_add(1, std::memory_order_relaxed);
  }
  *survivors_p = at;
  return AVRM_OK;
}

void PendingCreations::want_revoked(avrm_comm_t *comm) noexcept {
  if (!comm->is_revoked() && !comm->is_to_be_revoked) {
    comm->is_to_be_revoked = true;
    comm->next_to_revoke = std::exchange(to_be_revoked_, comm);
    survivors_.fetch_add(1, std::memory_order_relaxed);
    comm->device->creations_under_way.fetch_add(1, std::memory_order_relaxed);
  }
}

void PendingCreations::want_no_more(avrm_comm_t *comm) noexcept {
  comm->is_to_be_revoked = false;
  avrm_comm_t **at = &to_be_revoked_;
  while (*at != comm) {
    at = &(*at)->next_to_revoke;
  }
  *at = comm->next_to_revoke;
  survivors_.fetch_sub(1, std::memory_order_relaxed);
  comm->device->creations_under_way.fetch_sub(1, std::memory_order_relaxed);
}

// Revokes those that members have revoked. Without memory it does so later.
void PendingCreations::revoke_wanted(avrm_device_t *device) noexcept {
  avrm_status_t status = AVRM_OK;
  while (status == AVRM_OK) {
    avrm_comm_t *comm = nullptr;
    {
      const DeviceGuard guard(device);
      comm = to_be_revoked_;
      if (comm == nullptr) {
        return;
      }
      comm->is_held = true;
    }
    Survivors *survivors = nullptr;
    status = find_survivors(comm, &survivors);
    if (status == AVRM_OK) {
      survivors->revoke();
    }
    const DeviceGuard guard(device);
    comm->is_held = false;
    if (status == AVRM_OK) {
      want_no_more(comm);
    }
  }
}

// The survivors that a message is about; null: there are none.
Survivors *PendingCreations::survivors_of(const ActiveHeader &header, avrm_gpid_t from) const noexcept {
  Survivors *const at = by_context_.find(header.window);
  return at != nullptr && at->has(header.sender, from) ? at : nullptr;
}

namespace {

avrm_comm_t *comm_of(const avrm_device_t *device, const ActiveHeader &header, avrm_gpid_t from) noexcept {
  avrm_comm_t *const comm = device->comms.find(header.window);
  return comm != nullptr && Everyone(comm).has(header.sender, from) ? comm : nullptr;
}

} // namespace

Reply PendingCreations::answer_of(const avrm_device_t *device, const ActiveHeader &header) const noexcept {
  if (header.window > device->contexts.most()) {
    return Reply::kGone;
  }
  const auto context = static_cast<std::uint32_t>(header.window);
  if (!device->contexts.has(context) || kept_.has(context)) {
    return Reply::kGone;
  }
  // It is another one by now, if it is one.
  return device->comms.find(context) != nullptr || by_context_.find(context) != nullptr ? Reply::kGone : Reply::kAgain;
}

void PendingCreations::on_revoke(avrm_device_t *device, const ActiveHeader &header) noexcept {
  avrm_gpid_t from{};
  if (!signer_of(device, header, &from)) {
    return;
  }
  Survivors *const survivors = survivors_of(header, from);
  if (answer_in(header) != Reply::kNone) {
    if (survivors != nullptr && answer_in(header) == Reply::kAgain) {
      survivors->revocation().tell_again(header.sender);
    }
  } else if (avrm_comm_t *const comm = comm_of(device, header, from)) {
    want_revoked(comm);
  } else if (survivors == nullptr && answer_of(device, header) == Reply::kAgain) {
    answer_with(device, header, from, Reply::kAgain);
  }
}

void PendingCreations::on_parting(avrm_device_t *device, const ActiveHeader &header, const void *payload,
                                  std::size_t bytes) noexcept {
  avrm_gpid_t from{};
  if (!signer_of(device, header, &from)) {
    return;
  }
  if (Survivors *const survivors = survivors_of(header, from)) {
    survivors->parting().take(header, payload, bytes);
    return;
  }
  if (answer_in(header) != Reply::kNone) {
    return;
  }
  Reply answer = Reply::kAgain;
  if (avrm_comm_t *const comm = comm_of(device, header, from)) {
    want_revoked(comm); // why else would a member part from it
  } else {
    answer = answer_of(device, header);
  }
  answer_with(device, header, from, answer);
}

bool PendingCreations::on_discard(avrm_comm_t *comm) noexcept {
  if (comm->is_to_be_revoked) {
    want_no_more(comm);
  }
  Survivors *const survivors = by_context_.find(comm->context);
  if (survivors == nullptr || !survivors->is_of(comm)) {
    return false;
  }
  survivors->outlive();
  return true;
}

void PendingCreations::drop(avrm_device_t *device, Survivors *survivors) noexcept {
  survivors->~Survivors();
  device->instance->memory.release(survivors, sizeof(Survivors), alignof(Survivors), AVRM_MEM_COMM);
  survivors_.fetch_sub(1, std::memory_order_relaxed);
  device->creations_under_way.fetch_sub(1, std::memory_order_relaxed);
}

// Moves on all survivors, and drops those that nobody needs. Returns how many moved.
int PendingCreations::serve_survivors(avrm_device_t *device) noexcept {
  int events = 0;
  Survivors *previous = nullptr;
  for (Survivors *at = first_survivors_.load(std::memory_order_acquire), *next = nullptr; at != nullptr; at = next) {
    events += at->advance() ? 1 : 0;
    next = at->next_one;
    bool is_over = false;
    {
      const DeviceGuard guard(device);
      is_over = at->is_over();
    }
    if (!is_over || !at->dissolve()) {
      previous = at;
      continue;
    }
    {
      const DeviceGuard guard(device);
      if (at->was_quiet()) {
        device->contexts.give(at->context());
      } else if (kept_.take(at->context()) != AVRM_OK) { // no memory: later
        previous = at;
        continue;
      }
      if (previous == nullptr) {
        first_survivors_.store(next, std::memory_order_release);
      } else {
        previous->next_one = next;
      }
      by_context_.remove(at);
    }
    drop(device, at);
  }
  return events;
}

void PendingCreations::end_survivors(avrm_device_t *device) noexcept {
  {
    const DeviceGuard guard(device);
    by_context_ = {};
  }
  Survivors *at = first_survivors_.exchange(nullptr, std::memory_order_acquire);
  while (at != nullptr) {
    Survivors *const next = at->next_one;
    while (!at->dissolve()) {
      (void)avrm_progress(device);
    }
    drop(device, at);
    at = next;
  }
}

} // namespace avrankmap::detail
