// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Decides which calls of progress poll the network. A poll of shared memory takes about ten
// nanoseconds, a poll of TCP half a microsecond, which would be most of the time of a message
// within the node. So while messages arrive through shared memory and none over the network, each
// poll of the network is followed by a pause of eight times its duration, but at most 4 us, which
// is the maximum delay of the first message over the network. Otherwise every call polls the
// network.
#ifndef AVRANKMAP_SRC_CORE_PROGRESS_PACE_H
#define AVRANKMAP_SRC_CORE_PROGRESS_PACE_H

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace avrankmap::detail {

// Reads a clock, which takes a few nanoseconds. It is not synchronised with other clocks, and may
// differ between processors.
[[nodiscard]] inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Times are compared by their distance modulo 2^64, and a time in the future counts only within the
// possible range, so that a clock that jumps delays no poll.
template <std::uint64_t (*kClock)() noexcept> class PaceBy {
public:
  // Before this is called, every call of progress polls the network.
  void start(std::uint64_t ticks_per_us) noexcept {
    longest_pause_ = 4 * ticks_per_us;
    recent_ = 20 * ticks_per_us;
  }

  // Called after a poll of shared memory that found `shm_events` events. Returns true if the
  // network is to be skipped.
  [[nodiscard]] bool leaves_out(int shm_events) noexcept {
    return (shm_events != 0 || active_) && is_pause(shm_events);
  }
  // Called after a poll of the network.
  void looked(int events) noexcept {
    if (active_) {
      set_next_look(events, kClock());
    }
  }
  // Called when an operation waits for the network: from now on every call of progress polls it,
  // until the next message through shared memory.
  void hurry() noexcept { active_ = false; }

private:
  [[nodiscard]] bool is_pause(int shm_events) noexcept {
    now_ = kClock();
    if (shm_events != 0) {
      active_ = true;
      active_until_ = now_ + recent_;
    }
    active_ = active_until_ - now_ <= recent_ && recent_ != 0;
    return active_ && next_look_ - now_ - 1 < longest_pause_;
  }
  void set_next_look(int events, std::uint64_t after) noexcept {
    if (events != 0) {
      busy_until_ = after + recent_;
    }
    const bool is_busy = busy_until_ - after <= recent_;
    next_look_ = is_busy ? after : after + std::min(kPauseOverLook * (after - now_), longest_pause_);
  }

  static constexpr std::uint64_t kPauseOverLook = 8;

  bool active_ = false; // messages came through shared memory recently
  std::uint64_t now_ = 0;
  std::uint64_t next_look_ = 0;
  std::uint64_t active_until_ = 0;
  std::uint64_t busy_until_ = 0; // of the network
  std::uint64_t longest_pause_ = 0;
  std::uint64_t recent_ = 0;
};
using NetworkPace = PaceBy<ticks>;

} // namespace avrankmap::detail

#endif
