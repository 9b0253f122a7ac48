// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmi2/fence_call.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "launch/pmi2/call_thread.h"

namespace avrankmap::detail {

namespace {

// Time limit for a thread to return from a call whose connection was closed.
constexpr std::chrono::seconds kEndTime{1};

} // namespace

struct Pmi2FenceCall::Round {
  std::mutex lock;
  std::condition_variable changed;
  bool is_over = false;
  bool is_good = false;
  bool is_broken = false;

  [[nodiscard]] Outcome outcome() const noexcept {
    if (is_good) {
      return Outcome::kComplete;
    }
    if (is_broken) {
      return Outcome::kBroken;
    }
    return is_over ? Outcome::kRefused : Outcome::kPending;
  }
};

Pmi2FenceCall::Pmi2FenceCall(Pmi2Client &client) : client_(client), round_(std::make_shared<Round>()) {}

void Pmi2FenceCall::start(Pmi2Client::KeyValues &&puts) {
  if (thread_.joinable()) {
    thread_.join(); // its round has ended
  }
  auto round = std::make_shared<Round>();
  thread_ = start_call_thread([&client = client_, round, puts = std::move(puts)] {
    const bool is_good = client.fence(puts);
    {
      const std::lock_guard guard(round->lock);
      round->is_good = is_good;
      round->is_over = true;
    }
    round->changed.notify_all();
  });
  round_ = std::move(round);
}

Pmi2FenceCall::Outcome Pmi2FenceCall::test() noexcept {
  const std::lock_guard guard(round_->lock);
  return round_->outcome();
}

Pmi2FenceCall::Outcome Pmi2FenceCall::wait(const Deadline &end) noexcept {
  std::unique_lock guard(round_->lock);
  (void)wait_until(round_->changed, guard, end, [this] { return round_->outcome() != Outcome::kPending; });
  return round_->outcome();
}

void Pmi2FenceCall::break_off() noexcept {
  {
    const std::lock_guard guard(round_->lock);
    round_->is_broken = true;
  }
  round_->changed.notify_all();
}

void Pmi2FenceCall::end() noexcept {
  if (!thread_.joinable()) {
    return;
  }
  std::unique_lock guard(round_->lock);
  if (!round_->is_over) {
    client_.hang_up();
    (void)round_->changed.wait_for(guard, kEndTime, [this] { return round_->is_over; });
  }
  const bool is_over = round_->is_over;
  guard.unlock();
  if (is_over) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

} // namespace avrankmap::detail
