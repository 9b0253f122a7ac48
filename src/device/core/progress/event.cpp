// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/device/event.h"

#include "core/device.h"

namespace avrankmap::detail {

namespace {

constexpr std::int64_t kBlind = 1000000; // nanoseconds

void disarm(avrm_device_t *device) noexcept {
  if (device->is_armed) {
    device->blocking_wait.end_sleep(device);
    device->is_armed = false;
  }
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_device_descriptor(avrm_device_t *device, int *descriptor_p) noexcept {
  if (device == nullptr || descriptor_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(device);
  if (!device->blocking_wait.open()) {
    return AVRM_ERR_SYSTEM;
  }
  *descriptor_p = device->blocking_wait.descriptor();
  return AVRM_OK;
}

avrm_status_t avrm_device_arm(avrm_device_t *device, int64_t *nanoseconds_p) noexcept {
  if (device == nullptr || nanoseconds_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(device);
  disarm(device);
  if (!device->blocking_wait.open()) {
    return AVRM_ERR_SYSTEM;
  }
  bool is_unannounced = false;
  if (device->seen_by_caller != device->happened || !device->blocking_wait.arm(device, &is_unannounced)) {
    device->seen_by_caller = device->happened;
    return AVRM_ERR_AGAIN;
  }
  device->blocking_wait.begin_sleep(device);
  device->is_armed = true;
  *nanoseconds_p = is_unannounced ? kBlind : BlockingWait::kLongest;
  return AVRM_OK;
}

void avrm_device_disarm(avrm_device_t *device) noexcept {
  if (device != nullptr) {
    const DeviceGuard guard(device);
    disarm(device);
  }
}
