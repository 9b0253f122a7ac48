// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/fence.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>

namespace avrankmap::detail {

namespace {

constexpr std::uint64_t kBroken = std::uint64_t{1} << 32;
constexpr std::uint64_t kRound = std::uint64_t{1} << 33;

constexpr std::uint64_t arrived(std::uint64_t state) noexcept { return state & (kBroken - 1); }
constexpr std::uint64_t round_of(std::uint64_t state) noexcept { return state / kRound; }

} // namespace

bool Fence::arrive(std::int32_t size, std::uint64_t *round_p) noexcept {
  const std::atomic_ref state(state_);
  std::uint64_t before = state.load(std::memory_order_acquire);
  bool last = false;
  std::uint64_t after = 0;
  do {
    if ((before & kBroken) != 0) {
      return false;
    }
    last = arrived(before) + 1 == static_cast<std::uint64_t>(size);
    after = last ? (round_of(before) + 1) * kRound : before + 1;
  } while (!state.compare_exchange_weak(before, after, std::memory_order_acq_rel, std::memory_order_acquire));
  *round_p = round_of(before);
  if (last) {
    wake();
  }
  return true;
}

Fence::State Fence::look(std::uint64_t round) const noexcept {
  const std::uint64_t now = std::atomic_ref(state_).load(std::memory_order_acquire);
  if (round_of(now) != round) {
    return State::kComplete;
  }
  return (now & kBroken) != 0 ? State::kBroken : State::kOpen;
}

bool Fence::wait(std::uint64_t round) noexcept {
  const std::atomic_ref changes(changes_);
  for (;;) {
    // Reads the count before the state: if the state changes afterwards, the count no longer
    // matches, and the futex does not sleep.
    const std::uint32_t seen = changes.load(std::memory_order_acquire);
    const State state = look(round);
    if (state != State::kOpen) {
      return state == State::kComplete;
    }
    syscall(SYS_futex, &changes_, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
}

void Fence::break_off() noexcept {
  std::atomic_ref(state_).fetch_or(kBroken, std::memory_order_acq_rel);
  wake();
}

void Fence::wake() noexcept {
  std::atomic_ref(changes_).fetch_add(1, std::memory_order_acq_rel);
  syscall(SYS_futex, &changes_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace avrankmap::detail
