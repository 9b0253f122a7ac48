// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>

#include "boot/boot.h"
#include "core/device.h"
#include "core/window.h"

namespace avrankmap::detail {

namespace {

// Tells everybody who may be waiting for a process that has died.
void tell_failures(avrm_device_t *device, std::uint32_t failures) noexcept {
  device->failures_seen = failures;
  for (const std::int32_t lpid : device->contacted) {
    Route route{};
    if (has_failed(device, lpid) && route_to(device, lpid, &route) == AVRM_OK) {
      if (route.kind == Route::kNet) {
        device->net->ops->peer_failed(device->net, route.handle);
      } else if (route.kind == Route::kShm) {
        device->shm->ops->peer_failed(device->shm, route.local_rank);
      }
    }
  }
  fail_receives(device);
  fail_windows(device);
}

} // namespace

int progress(avrm_device_t *device) noexcept {
  int events = 0;
  if (device->shm != nullptr) {
    events += device->shm->ops->progress(device->shm);
  }
  events += device->net->ops->progress(device->net);
  if (AVRM_UNLIKELY(!device->deferred.empty())) {
    events += device->deferred.flush(device);
  }
  const std::uint32_t failures = device->boot->failures().count();
  if (AVRM_UNLIKELY(failures != device->failures_seen)) {
    tell_failures(device, failures);
  }
  return events;
}

void Patience::wait() noexcept {
  constexpr unsigned kSpins = 256;
  if (idle_ < kSpins) {
    ++idle_;
  } else {
    sched_yield();
  }
}

bool has_failed(const avrm_device_t *device, std::int32_t lpid) noexcept {
  return avrm_boot_failures(device->boot) != 0 && avrm_boot_has_failed(device->boot, lpid);
}

std::int32_t lpid_of(const avrm_comm_t *comm, std::int32_t rank) noexcept {
  return avrm_rankmap_gpid(comm->map, rank).lpid;
}

void report(avrm_device_t *device, avrm_status_t status, const char *text) noexcept {
  if (device->on_error != nullptr) {
    device->on_error(device->user, status, text);
  }
}

} // namespace avrankmap::detail

int avrm_progress(avrm_device_t *device) noexcept {
  if (device == nullptr) {
    return 0;
  }
  int events = 0;
  {
    const avrankmap::detail::DeviceGuard guard(device); // others get their turn between two looks
    events = avrankmap::detail::progress(device);
  }
  return AVRM_LIKELY(device->operations.load(std::memory_order_acquire) == nullptr)
             ? events
             : events + avrankmap::detail::serve_operations(device);
}
