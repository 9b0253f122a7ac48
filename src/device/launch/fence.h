// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A barrier between processes that can be broken from outside.
//
// The state is a single 64-bit word, so each round has one outcome, which all of its processes see
// no matter how arrivals, completion and a break race:
//
//   63        33 | 32     | 31       0
//   round        | broken | arrived
//
// The last process to arrive starts the next round. `wait` returns true for a complete round even
// if the next one is already broken, because a process may arrive last and then die. A broken fence
// stays broken.
//
// Waiters sleep on a second word, which every completion and every break increments.
#ifndef AVRANKMAP_SRC_LAUNCH_FENCE_H
#define AVRANKMAP_SRC_LAUNCH_FENCE_H

#include <cstdint>

namespace avrankmap::detail {

// In shared memory. All zeros: a fence that no process has reached.
class Fence {
public:
  enum class State : std::uint8_t { kOpen, kComplete, kBroken };

  // Registers the arrival of the caller. The round is complete once `size` processes have called
  // this. Returns false if the fence is broken.
  [[nodiscard]] bool arrive(std::int32_t size, std::uint64_t *round_p) noexcept;
  // Returns the state of a round in which the caller has arrived.
  [[nodiscard]] State look(std::uint64_t round) const noexcept;
  // Blocks until the round is complete or broken. Returns false if it is broken.
  [[nodiscard]] bool wait(std::uint64_t round) noexcept;
  // Fails this round, unless it is complete, and all later ones. Any process may call this.
  void break_off() noexcept;

private:
  void wake() noexcept;

  mutable std::uint64_t state_ = 0; // mutable, as std::atomic_ref needs a non-const object
  std::uint32_t changes_ = 0;
};

} // namespace avrankmap::detail

#endif
