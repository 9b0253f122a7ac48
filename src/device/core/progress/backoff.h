// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Backoff of a waiting thread, used in every loop of the device:
//
//   Backoff backoff(device);
//   while (!is_over) {
//     backoff.after(avrm_progress(device));
//   }
//
// The thread spins for a few hundred rounds, and then yields the processor between polls, for jobs
// with more processes than processors. After the device's spin time without an event it sleeps
// (blocking_wait.h).
#ifndef AVRANKMAP_SRC_CORE_PROGRESS_BACKOFF_H
#define AVRANKMAP_SRC_CORE_PROGRESS_BACKOFF_H

#include <cstdint>

#include "core/device.h"

namespace avrankmap::detail {

// Executes the processor's shortest pause, about ten nanoseconds. Without it, the next poll takes
// the cache line from a sender that is writing to it: short messages through UCX's shared memory
// take 8 % longer.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

// How a thread may sleep.
enum class Sleep : std::uint8_t {
  kFree,      // without the device's lock
  kReleasing, // with the lock, which is released while the thread yields or sleeps
  kHolding,   // with the lock: only if the device is for one thread
};

class Backoff {
public:
  // `is_unannounced`: the awaited event may have no notification, so sleeps are short.
  explicit Backoff(avrm_device_t *device, Sleep sleep = Sleep::kFree, bool is_unannounced = false) noexcept
      : device_(device), sleep_(sleep), is_unannounced_(is_unannounced) {}
  Backoff(const Backoff &) = delete;
  Backoff &operator=(const Backoff &) = delete;
  ~Backoff() {
    if (AVRM_UNLIKELY(has_armed_)) {
      wake_sleepers();
    }
  }

  // Called after a round that found `events` events.
  void after(int events) noexcept {
    if (events == 0) {
      wait();
    } else {
      since_ = 0;
    }
  }
  // Yields or sleeps. The loop then polls again.
  void wait() noexcept {
    if (AVRM_LIKELY(spins_ < kSpins && device_->poll_pause_ns == 0)) {
      ++spins_;
    } else {
      yield_or_sleep();
    }
  }
  // Limits the next sleep to this many nanoseconds.
  void limit(std::int64_t nanoseconds) noexcept { limit_ = nanoseconds; }

private:
  static constexpr std::uint32_t kSpins = 256;
  static constexpr std::uint32_t kSpinNs = 40; // time of a spin, to count a pause in spins
  // With at most this many pending operations, the awaited one may be the next to complete, and
  // should be seen at once.
  static constexpr std::size_t kFewRequests = 8;

  void yield_or_sleep() noexcept;
  void pause_polling() noexcept;
  void sleep(std::uint64_t waited) noexcept;
  void wake_sleepers() noexcept;
  [[nodiscard]] std::int64_t length_of_sleep(bool is_unannounced, std::uint64_t waited) const noexcept;

  avrm_device_t *device_;
  std::uint32_t spins_ = 0;
  Sleep sleep_;
  bool is_unannounced_;
  bool has_armed_ = false;
  std::uint64_t since_ = 0;                // when this thread began to yield, in ticks
  std::uint64_t seen_ = ~std::uint64_t{0}; // event count at the last attempt to sleep
  std::int64_t limit_ = INT64_MAX;
};

} // namespace avrankmap::detail

#endif
