// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/launches.h"

#include <utility>

#include "dynamic/state.h"

namespace avrankmap::detail {

namespace {

// Number of progress calls between two checks, since a check is a system call. A thread that has
// slept checks immediately.
constexpr std::uint32_t kCallsPerPoll = 64;

void forget_what_is_over(avrm_device_t *device) noexcept {
  for (Launch **at = &device->dynamic->launches; *at != nullptr;) {
    Launch *const launch = *at;
    if (launch->is_over()) {
      *at = launch->next;
      --device->served;
      delete launch;
    } else {
      at = &launch->next;
    }
  }
}

} // namespace

void keep_launch(avrm_device_t *device, std::unique_ptr<Launch> launch) noexcept {
  const DeviceGuard guard(device);
  launch->next = device->dynamic->launches;
  device->dynamic->launches = launch.release();
  ++device->served;
}

void serve_launches(avrm_device_t *device) noexcept {
  if (++device->dynamic->looks_at_launches % kCallsPerPoll == 0 || device->has_slept) {
    forget_what_is_over(device);
  }
}

void drop_launches(avrm_device_t *device) noexcept {
  forget_what_is_over(device);
  while (device->dynamic->launches != nullptr) {
    delete std::exchange(device->dynamic->launches, device->dynamic->launches->next);
  }
}

} // namespace avrankmap::detail
