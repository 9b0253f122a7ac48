// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/backoff.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "base/wait_for.h"

namespace avrankmap::detail {

namespace {

// If an event might not wake a thread, the thread sleeps for an eighth of the time that it has
// waited, which limits its delay to that fraction.
constexpr std::int64_t kShortest = 50000; // nanoseconds
constexpr std::int64_t kLongest = 2000000;
constexpr std::int64_t kPart = 8;

// Sleeps until the descriptor, if there is one, is readable.
void sleep_on(int descriptor, std::int64_t nanoseconds) noexcept {
  pollfd readable{descriptor, POLLIN, 0};
  wait_for(&readable, 1, nanoseconds);
}

} // namespace

void Backoff::yield_or_sleep() noexcept {
  if (spins_ < kSpins) {
    pause_polling();
    return;
  }
  const std::uint64_t now = ticks();
  if (since_ == 0) {
    since_ = now;
  }
  if (!device_->blocking_wait.spins(now - since_) && (sleep_ != Sleep::kHolding || !device_->threads)) {
    sleep(now - since_);
    return;
  }
  const bool releases = sleep_ == Sleep::kReleasing && device_->threads;
  if (releases) {
    device_->lock.unlock();
  }
  sched_yield();
  if (releases) {
    device_->lock.lock();
  }
}

// Waits without polling, for transports whose senders are disturbed by each poll.
void Backoff::pause_polling() noexcept {
  if (device_->requests.taken() <= kFewRequests) {
    for (std::uint32_t relax_count = device_->relax_count; relax_count != 0; --relax_count) {
      cpu_relax();
    }
    ++spins_;
    return;
  }
  spins_ += device_->poll_pause_ns / kSpinNs;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(device_->poll_pause_ns);
  do {
    cpu_relax();
  } while (Clock::now() < end);
}

std::int64_t Backoff::length_of_sleep(bool is_unannounced, std::uint64_t waited) const noexcept {
  const std::int64_t waited_us = device_->blocking_wait.in_us(waited);
  const std::int64_t whole = is_unannounced
                                 ? std::clamp(std::min(waited_us, kLongest) * 1000 / kPart, kShortest, kLongest)
                                 : BlockingWait::kLongest;
  return std::clamp<std::int64_t>(limit_, 0, whole);
}

void Backoff::sleep(std::uint64_t waited) noexcept {
  const bool locks = device_->threads && sleep_ == Sleep::kFree;
  const bool releases = device_->threads;
  if (locks) {
    device_->lock.lock();
  }
  bool is_unannounced = is_unannounced_;
  // An event since the last attempt may be the one that the loop waits for, so the loop checks once
  // more.
  bool sleeps = seen_ == device_->happened;
  seen_ = device_->happened;
  if (sleeps && device_->blocking_wait.open()) {
    has_armed_ = true;
    sleeps = device_->blocking_wait.arm(device_, &is_unannounced);
  }
  const int descriptor = device_->blocking_wait.descriptor();
  if (sleeps && descriptor >= 0) {
    device_->blocking_wait.begin_sleep(device_);
  }
  if (releases) {
    device_->lock.unlock();
  }
  if (sleeps) {
    sleep_on(descriptor, length_of_sleep(is_unannounced || descriptor < 0, waited));
  } else {
    sched_yield();
  }
  if (releases) {
    device_->lock.lock();
  }
  if (sleeps && descriptor >= 0) {
    device_->blocking_wait.end_sleep(device_);
  }
  seen_ = device_->happened;
  if (locks) {
    device_->lock.unlock();
  }
}

// Wakes sleeping threads, because this thread no longer makes progress for them.
void Backoff::wake_sleepers() noexcept {
  if (!device_->threads) {
    return;
  }
  const bool locks = sleep_ == Sleep::kFree;
  if (locks) {
    device_->lock.lock();
  }
  if (device_->sleepers != 0) {
    device_->blocking_wait.wake();
  }
  if (locks) {
    device_->lock.unlock();
  }
}

} // namespace avrankmap::detail
