// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A barrier between processes that can be broken from outside.
//
// Everything that decides is one 64-bit word, so each round has one outcome, which all its processes see, however an
// arrival, a completion and a break may race:
//
//   63        33 | 32     | 31       0
//   round        | broken | arrived
//
// The last to arrive starts the next round. A waiter whose round is over returns true even if the next one is broken
// already: a process may arrive last and then die. A broken fence stays broken.
//
// Waiters sleep on a word of its own, which every change of the first one that they wait for increments.
#ifndef AVRANKMAP_SRC_BOOT_FENCE_H
#define AVRANKMAP_SRC_BOOT_FENCE_H

#include <cstdint>

namespace avrankmap::detail {

// In shared memory. All zero is a fence that nobody has reached.
class Fence {
public:
  enum class State : std::uint8_t { kOpen, kComplete, kBroken };

  // Counts the caller in; a round is complete when `size` processes have called this. False if the fence is broken.
  [[nodiscard]] bool arrive(std::int32_t size, std::uint64_t *round_p) noexcept;
  // What has become of the round that the caller was counted in.
  [[nodiscard]] State look(std::uint64_t round) const noexcept;
  // Waits for its end. False if the fence is broken.
  [[nodiscard]] bool wait(std::uint64_t round) noexcept;
  // Makes this round, if it is not complete, and all later ones fail. Any process may call this.
  void break_off() noexcept;

private:
  void wake() noexcept;

  mutable std::uint64_t state_ = 0; // std::atomic_ref wants it so, to read
  std::uint32_t changes_ = 0;
};

} // namespace avrankmap::detail

#endif
