// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/progress.h"

#include <chrono>

#include "core/peers/connect.h"
#include "core/peers/worlds.h"
#include "core/progress/queue.h"
#include "launch/boot.h"

namespace avrankmap::detail {

namespace {

// Calls of progress between checks: reading the clock for a check costs a tenth of a poll.
constexpr std::uint32_t kCallsToLook = 64;

// Informs the transports that a process of an AV has failed, if they know the process.
void tell_transports(avrm_device_t *device, const avrm_av_t *av, std::int32_t lpid) noexcept {
  Route route{};
  if (!find_route(device, av, lpid, &route)) {
    return;
  }
  if (route.kind == Route::kNet) {
    device->net->ops->peer_failed(device->net, route.handle);
    if (av == device->world_av) {
      tell_queues(device, lpid);
    }
  } else if (route.kind == Route::kShm) {
    device->shm->ops->peer_failed(device->shm, route.local_rank);
  }
}

// Informs the transports of all failed processes of an AV. Living processes cost nothing.
void tell_transports_of_all(avrm_device_t *device, const avrm_av_t *av, const FailedProcesses &failures) noexcept {
  for (std::int32_t lpid = failures.next(0); lpid < failures.size(); lpid = failures.next(lpid + 1)) {
    tell_transports(device, av, lpid);
  }
}

// Informs all parts of the device of failures; operations that wait for failed processes complete.
void tell_failures(avrm_device_t *device, std::uint32_t failures) noexcept {
  device->failures_seen = failures;
  if (device->boot->failures().has_all_others() && !device->launcher_is_gone) {
    device->launcher_is_gone = true;
    report(device, AVRM_ERR_BOOT, "the launcher is gone: all other processes of the job count as dead");
  }
  tell_transports_of_all(device, device->world_av, device->boot->failures());
  fail_local_net_peers(device);
  for (const World *world = device->worlds; world != nullptr; world = world->next) {
    if (is_lost(device, world)) {
      world->contacted.for_each([=](std::int32_t lpid) { tell_transports(device, world->av, lpid); });
    } else {
      tell_transports_of_all(device, world->av, world->failures);
    }
  }
  device->upcalls->on_failures(device);
  device->failure_detector.spread(device);
  count_events(device, 1);
}

// Inlined into the functions that waiting loops call.
[[gnu::always_inline]] inline int progress_here(avrm_device_t *device) noexcept {
  int events = device->shm != nullptr ? device->shm->ops->progress(device->shm) : 0;
  if (AVRM_LIKELY(!device->pace.leaves_out(events))) {
    const int of_network = device->net->ops->progress(device->net);
    device->pace.looked(of_network);
    events += of_network;
  }
  if (AVRM_UNLIKELY(device->queues != nullptr)) {
    events += progress_queues(device);
  }
  if (AVRM_UNLIKELY(!device->deferred.empty())) {
    events += device->deferred.flush(device);
  }
  if (AVRM_UNLIKELY(device->served != 0)) {
    device->upcalls->serve(device);
    device->has_slept = false;
  }
  if (AVRM_UNLIKELY(--device->calls_to_look == 0)) {
    device->calls_to_look = kCallsToLook;
    device->failure_detector.look(device);
  }
  const std::uint32_t failures = failures_of(device);
  if (AVRM_UNLIKELY(failures != device->failures_seen)) {
    tell_failures(device, failures);
  }
  if (events != 0) {
    count_events(device, events);
  }
  return events;
}

} // namespace

int progress(avrm_device_t *device) noexcept { return progress_here(device); }

void progress_for_local_operations(avrm_device_t *device) noexcept {
  device->local_operations_left = kLocalOperationsPerProgress;
  device->calls_to_look = 1; // because the operations may have taken long
  (void)progress_here(device);
}

bool Refusals::are_for_memory() noexcept {
  if (errno != ENOMEM) {
    first_ = 0;
    return false;
  }
  const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  if (first_ == 0) {
    first_ = now;
  }
  return now - first_ >= kLimitNs;
}

bool has_failed(const avrm_device_t *device, avrm_gpid_t peer) noexcept {
  if (AVRM_LIKELY(failures_of(device) == 0)) {
    return false;
  }
  if (peer.pgid == kOwnWorld) {
    return device->boot->failures().has(peer.lpid);
  }
  const World *const world = find_world(device, peer.pgid);
  return world == nullptr || has_failed(device, world, peer.lpid);
}

avrm_gpid_t gpid_of(const avrm_comm_t *comm, std::int32_t rank) noexcept { return avrm_rankmap_gpid(comm->map, rank); }

std::uint32_t failures_of(const avrm_device_t *device) noexcept {
  return device->boot->failures().count() + device->foreign_failures.load(std::memory_order_acquire);
}

} // namespace avrankmap::detail

int avrm_progress(avrm_device_t *device) noexcept {
  if (device == nullptr) {
    return 0;
  }
  int events = 0;
  {
    // Other threads get the lock between two polls.
    const avrankmap::detail::DeviceGuard guard(device);
    events = avrankmap::detail::progress_here(device);
  }
  return AVRM_LIKELY(device->ready.count() == 0) ? events : events + device->upcalls->serve_creations(device);
}
