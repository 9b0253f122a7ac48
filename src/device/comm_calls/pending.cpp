// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/pending.h"

#include <new>
#include <utility>

#include "comm_calls/both_groups.h"
#include "core/progress/completion.h"
#include "liveness/dead_members.h"

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
  const DeviceGuard guard(device);
  creation->next = first_;
  if (first_ != nullptr) {
    first_->previous = creation;
  }
  first_ = creation;
  // Last, because another thread may continue with it immediately.
  creation->creation.be_awaited_by(creation);
  device->ready.add(creation);
}

int PendingCreations::serve(avrm_device_t *device) noexcept {
  if (is_served_.test_and_set(std::memory_order_acquire)) {
    return 0; // another thread serves, or this one in an outer call
  }
  int events = 0;
  for (std::uint32_t left = device->ready.count(); left != 0; --left) {
    Awaiter *next = nullptr;
    {
      const DeviceGuard guard(device);
      next = device->ready.take();
    }
    events += next != nullptr && next->go_on() ? 1 : 0;
  }
  is_served_.clear(std::memory_order_release);
  return events;
}

bool RequestedCreation::go_on() noexcept { return creation.device()->creations->serve(this); }

bool PendingCreations::serve(RequestedCreation *creation) noexcept {
  avrm_device_t *const device = creation->creation.device();
  const bool moved = creation->creation.poll();
  if (!creation->creation.is_done()) {
    return moved;
  }
  {
    const DeviceGuard guard(device);
    (creation->previous == nullptr ? first_ : creation->previous->next) = creation->next;
    if (creation->next != nullptr) {
      creation->next->previous = creation->previous;
    }
    device->ready.remove(creation);
  }
  creation->end();
  creation->~RequestedCreation();
  give_room_back(device->instance->memory, creation);
  return true;
}

void PendingCreations::on_failures(avrm_device_t *device) noexcept {
  for (RequestedCreation *at = first_; at != nullptr; at = at->next) {
    device->ready.add(at);
  }
  by_context_.for_each([device](FtState *survivors) { device->ready.add(survivors); });
}

avrm_status_t PendingCreations::find_survivors(avrm_comm_t *comm, FtState **survivors_p) noexcept {
  FtState *at = nullptr;
  {
    const DeviceGuard guard(comm->device);
    at = by_context_.find(comm->context);
  }
  if (at == nullptr) {
    Memory &memory = comm->device->instance->memory;
    void *const block = memory.allocate(sizeof(FtState), alignof(FtState), AVRM_MEM_COMM);
    if (block == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    at = new (block) FtState(comm);
    const avrm_status_t status = at->prepare();
    if (status != AVRM_OK) {
      at->~FtState();
      memory.release(block, sizeof(FtState), alignof(FtState), AVRM_MEM_COMM);
      return status;
    }
    const DeviceGuard guard(comm->device);
    by_context_.add(at);
    comm->device->ready.add(at);
  }
  *survivors_p = at;
  return AVRM_OK;
}

void PendingCreations::want_revoked(avrm_comm_t *comm) noexcept {
  if (!comm->is_revoked() && !comm->is_to_be_revoked) {
    comm->is_to_be_revoked = true;
    comm->next_to_revoke = std::exchange(to_be_revoked_, comm);
    comm->device->ready.add(&revoker_);
  }
}

void PendingCreations::want_no_more(avrm_comm_t *comm) noexcept {
  comm->is_to_be_revoked = false;
  avrm_comm_t **at = &to_be_revoked_;
  while (*at != comm) {
    at = &(*at)->next_to_revoke;
  }
  *at = comm->next_to_revoke;
}

bool PendingCreations::Revoker::go_on() noexcept { return device_->creations->revoke_wanted(device_); }

// Revokes the communicators that other members have revoked. If memory is exhausted, tries again
// later.
bool PendingCreations::revoke_wanted(avrm_device_t *device) noexcept {
  bool has_revoked = false;
  for (;;) {
    avrm_comm_t *comm = nullptr;
    {
      const DeviceGuard guard(device);
      comm = to_be_revoked_;
      if (comm == nullptr) {
        return has_revoked;
      }
      comm->is_held = true;
    }
    FtState *survivors = nullptr;
    const avrm_status_t status = find_survivors(comm, &survivors);
    if (status == AVRM_OK) {
      survivors->revoke();
    }
    const DeviceGuard guard(device);
    comm->is_held = false;
    if (status != AVRM_OK) {
      device->ready.add(&revoker_);
      return has_revoked;
    }
    want_no_more(comm);
    device->ready.add(survivors);
    has_revoked = true;
  }
}

// The survivors that a message concerns; null if there are none.
FtState *PendingCreations::survivors_of(const ActiveHeader &header, avrm_gpid_t from) const noexcept {
  FtState *const at = by_context_.find(header.window);
  return at != nullptr && at->has(header.sender, from) ? at : nullptr;
}

namespace {

avrm_comm_t *comm_of(const avrm_device_t *device, const ActiveHeader &header, avrm_gpid_t from) noexcept {
  avrm_comm_t *const comm = device->comms.find(header.window);
  return comm != nullptr && BothGroups(comm).has(header.sender, from) ? comm : nullptr;
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
  // If the id is in use, it belongs to a different communicator. If no creation is in progress, it
  // is kept, though there was no memory to remember that.
  const bool is_other = device->comms.find(context) != nullptr || by_context_.find(context) != nullptr;
  return is_other || device->comms_prepared == 0 ? Reply::kGone : Reply::kAgain;
}

void PendingCreations::on_revoke(avrm_device_t *device, const ActiveHeader &header) noexcept {
  avrm_gpid_t from{};
  if (!signer_of(device, header, &from)) {
    return;
  }
  FtState *const survivors = survivors_of(header, from);
  if (answer_in(header) != Reply::kNone) {
    if (survivors != nullptr && answer_in(header) == Reply::kAgain) {
      survivors->revocation().tell_again(header.sender);
      device->ready.add(survivors);
    }
  } else if (avrm_comm_t *const comm = comm_of(device, header, from)) {
    want_revoked(comm);
  } else if (survivors == nullptr && answer_of(device, header) == Reply::kAgain) {
    answer_with(device, header, from, Reply::kAgain);
  }
}

void PendingCreations::on_free_consensus(avrm_device_t *device, const ActiveHeader &header, const void *payload,
                                         std::size_t bytes) noexcept {
  avrm_gpid_t from{};
  if (!signer_of(device, header, &from)) {
    return;
  }
  if (FtState *const survivors = survivors_of(header, from)) {
    survivors->free_consensus().take(header, payload, bytes);
    device->ready.add(survivors);
    return;
  }
  if (answer_in(header) != Reply::kNone) {
    return;
  }
  Reply answer = Reply::kAgain;
  if (avrm_comm_t *const comm = comm_of(device, header, from)) {
    want_revoked(comm); // otherwise a member would not free it
  } else {
    answer = answer_of(device, header);
  }
  answer_with(device, header, from, answer);
}

bool PendingCreations::on_discard(avrm_comm_t *comm) noexcept {
  const bool is_to_be_revoked = comm->is_to_be_revoked;
  if (is_to_be_revoked) {
    want_no_more(comm);
  }
  FtState *const survivors = by_context_.find(comm->context);
  if (survivors != nullptr && survivors->is_of(comm)) {
    survivors->outlive(is_to_be_revoked);
    comm->device->ready.add(survivors);
    return true;
  }
  const bool was_opened = comm->context != 0; // and is not the world, whose id is not used again
  const bool has_died =
      has_dead(comm->device, comm->group()) || (comm->is_inter() && has_dead(comm->device, comm->map));
  if (!was_opened || !(has_died || is_to_be_revoked)) {
    return false;
  }
  keep(comm->context); // messages of the operations that ended early may still arrive
  return true;
}

void PendingCreations::drop(avrm_device_t *device, FtState *survivors) noexcept {
  survivors->~FtState();
  device->instance->memory.release(survivors, sizeof(FtState), alignof(FtState), AVRM_MEM_COMM);
}

bool PendingCreations::serve(FtState *survivors) noexcept {
  avrm_device_t *const device = survivors->device();
  const bool moved = survivors->advance();
  bool is_over = false;
  {
    const DeviceGuard guard(device);
    is_over = survivors->is_over();
  }
  const bool is_dissolved = is_over && survivors->dissolve();
  {
    const DeviceGuard guard(device);
    const bool was_quiet = is_dissolved && survivors->was_quiet();
    // If there is no memory to keep the context id, tries again later.
    if (!is_dissolved || (!was_quiet && kept_.take(survivors->context()) != AVRM_OK)) {
      if (moved || is_over || survivors->has_unfinished()) {
        device->ready.add(survivors);
      }
      return moved;
    }
    if (was_quiet) {
      device->contexts.give(survivors->context());
    }
    by_context_.remove(survivors);
    device->ready.remove(survivors);
  }
  drop(device, survivors);
  return true;
}

void PendingCreations::end_survivors(avrm_device_t *device) noexcept {
  while (is_served_.test_and_set(std::memory_order_acquire)) { // permanently
    sched_yield();
  }
  const auto first = [&] {
    const DeviceGuard guard(device);
    FtState *const survivors = by_context_.first();
    if (survivors != nullptr) {
      by_context_.remove(survivors);
      device->ready.remove(survivors);
    }
    return survivors;
  };
  while (!discarder_.withdraw()) {
    (void)avrm_progress(device);
  }
  while (FtState *const survivors = first()) {
    while (!survivors->dissolve()) {
      (void)avrm_progress(device);
    }
    {
      const DeviceGuard guard(device);
      device->ready.remove(survivors); // added again when its requests ended
    }
    drop(device, survivors);
  }
}

} // namespace avrankmap::detail
