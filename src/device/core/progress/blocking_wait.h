// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How threads sleep until the device has something to do. One descriptor, an epoll, becomes
// readable then: it holds the descriptors of the transports, and an event by which threads that are
// awake wake the others. The device makes it at its opening, if its threads may sleep; where that
// fails, the next sleeper tries again.
//
// A sleeper arms the transports before it sleeps, and gets up with the duty to make progress for
// all other sleepers, too, until it sleeps again or its wait ends, when it wakes them. What threads
// that are awake find for a sleeper wakes all of them.
//
// What nobody announces (deaths, the launcher, fences, peers that make room) is looked for every
// kLongest. A transport that cannot wake its process is polled at intervals that grow.
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

  // How long waiting threads spin before they sleep; negative: for ever.
  void set_spin_time(std::int32_t microseconds) noexcept { spin_us_ = microseconds; }
  [[nodiscard]] bool may_sleep() const noexcept { return spin_us_ >= 0; }
  void measure(std::uint64_t ticks_per_us) noexcept { ticks_per_us_ = ticks_per_us == 0 ? 1 : ticks_per_us; }
  // True if a thread that has waited so many ticks goes on.
  [[nodiscard]] bool spins(std::uint64_t waited) const noexcept {
    return spin_us_ < 0 || waited < static_cast<std::uint64_t>(spin_us_) * ticks_per_us_;
  }
  [[nodiscard]] std::int64_t in_us(std::uint64_t ticks) const noexcept {
    return static_cast<std::int64_t>(ticks / ticks_per_us_);
  }

  // All with the device's lock held.

  // Makes the descriptor. False if the system has none left.
  [[nodiscard]] bool open() noexcept;
  [[nodiscard]] int descriptor() const noexcept { return set_; }
  // Arms what can be armed. False if progress has something to do now. Sets *is_unannounced if
  // there is something that nobody announces.
  [[nodiscard]] bool arm(avrm_device_t *device, bool *is_unannounced) noexcept;
  void disarm(avrm_device_t *device) noexcept;
  // A thread sleeps until the descriptor is readable, after arm().
  void begin_sleep(avrm_device_t *device) noexcept;
  void end_sleep(avrm_device_t *device) noexcept;
  void wake() noexcept;

private:
  [[nodiscard]] bool watch(int descriptor, int *watched) const noexcept;

  int set_ = -1;
  int event_ = -1;
  int of_net_ = -1; // those of the transports that are in the set
  int of_shm_ = -1;
  bool shm_is_armed_ = false;
  bool is_rung_ = false; // the event is set
  std::int32_t spin_us_ = -1;
  std::uint64_t ticks_per_us_ = 1;
};

} // namespace avrankmap::detail

#endif
