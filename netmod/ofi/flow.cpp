// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/flow.h"

#include <new>

namespace avrankmap::detail::ofi {

Flow::Verdict Flow::take(std::uint64_t handle) noexcept {
  if (held_.has(handle)) {
    left_ = 1;
    return Verdict::kLater;
  }
  if (!held_.empty() && --to_turn_ != 0) {
    left_ = 1;
    return Verdict::kSend;
  }
  if (!progressed_) {
    repeat();
    return Verdict::kLater;
  }
  progressed_ = false;
  random_ = random_ * 1664525u + 1013904223u;
  to_turn_ = kShortest + (random_ >> 16) % kShortest;
  if (!under_way_.has(handle)) {
    go_on();
    return Verdict::kSendWithCompletion;
  }
  try {
    held_.add(handle);
  } catch (const std::bad_alloc &) {
    // If out of memory, the next turn tries again.
  }
  go_on();
  return Verdict::kLater;
}

void Flow::repeat() noexcept {
  left_ = 1;
  to_turn_ = 1;
}

void Flow::sent(std::uint64_t handle) noexcept {
  try {
    under_way_.add(handle);
  } catch (const std::bad_alloc &) {
    // If out of memory, no peer is held for this message.
  }
}

void Flow::over(std::uint64_t handle) noexcept {
  under_way_.remove(handle);
  if (held_.has(handle)) {
    held_.remove(handle);
    left_ = held_.empty() ? to_turn_ : left_;
  }
}

} // namespace avrankmap::detail::ofi
