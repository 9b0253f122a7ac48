// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sleep of threads until the device has something to do. An epoll descriptor becomes readable then.
// It contains the descriptors of the transports, and an event with which threads that are awake
// wake the others. It is created when the device is opened, if its threads may sleep; if that
// fails, the next thread that sleeps tries again.
//
// Before a thread sleeps, it arms the transports. On waking, it makes progress for all sleeping
// threads until it sleeps again. When its wait ends, it wakes the others. If a thread that is awake
// finds something for a sleeping one, it wakes all of them.
//
// Events without a notification (failures, the launcher, fences, room in peers' queues) are checked
// every kLongest. A transport that cannot wake its process is polled at increasing intervals.
#ifndef AVRANKMAP_SRC_CORE_PROGRESS_BLOCKING_WAIT_H
#define AVRANKMAP_SRC_CORE_PROGRESS_BLOCKING_WAIT_H

#include <cstdint>

#include "avrankmap/device/device.h"

namespace avrankmap::detail {

class BlockingWait {
public:
  static constexpr std::int64_t kLongest = 10000000; // nanoseconds

  BlockingWait() noexcept = default;
  BlockingWait(const BlockingWait &) = delete;
  BlockingWait &operator=(const BlockingWait &) = delete;
  ~BlockingWait();

  // Sets how long waiting threads spin before they sleep; negative: forever.
  void set_spin_time(std::int32_t microseconds) noexcept { spin_us_ = microseconds; }
  [[nodiscard]] bool may_sleep() const noexcept { return spin_us_ >= 0; }
  void measure(std::uint64_t ticks_per_us) noexcept { ticks_per_us_ = ticks_per_us == 0 ? 1 : ticks_per_us; }
  // True if a thread that has waited for this many ticks continues to spin.
  [[nodiscard]] bool spins(std::uint64_t waited) const noexcept {
    return spin_us_ < 0 || waited < static_cast<std::uint64_t>(spin_us_) * ticks_per_us_;
  }
  [[nodiscard]] std::int64_t in_us(std::uint64_t ticks) const noexcept {
    return static_cast<std::int64_t>(ticks / ticks_per_us_);
  }

  // The functions below require the device's lock.

  // Creates the descriptor. Returns false if no descriptor is free.
  [[nodiscard]] bool open() noexcept;
  [[nodiscard]] int descriptor() const noexcept { return set_; }
  // Arms the transports that can be armed. Returns false if progress has something to do now. Sets
  // *is_unannounced if some event has no notification.
  [[nodiscard]] bool arm(avrm_device_t *device, bool *is_unannounced) noexcept;
  void disarm(avrm_device_t *device) noexcept;
  // Called after arm(), before a thread sleeps until the descriptor is readable.
  void begin_sleep(avrm_device_t *device) noexcept;
  void end_sleep(avrm_device_t *device) noexcept;
  void wake() noexcept;

private:
  [[nodiscard]] bool watch(int descriptor, int *watched) const noexcept;

  int set_ = -1;
  int event_ = -1;
  int of_net_ = -1; // descriptors of the transports in the set; -1: none
  int of_shm_ = -1;
  bool shm_is_armed_ = false;
  bool is_rung_ = false; // the event is set
  std::int32_t spin_us_ = -1;
  std::uint64_t ticks_per_us_ = 1;
};

} // namespace avrankmap::detail

#endif
