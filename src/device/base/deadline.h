// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The deadline of a wait, which may have none.
#ifndef AVRANKMAP_SRC_BASE_DEADLINE_H
#define AVRANKMAP_SRC_BASE_DEADLINE_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace avrankmap::detail {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// Returns the deadline of a wait that begins now; none if `limit` is 0.
[[nodiscard]] inline Deadline deadline_after(std::chrono::seconds limit) noexcept {
  return limit.count() == 0 ? Deadline() : std::chrono::steady_clock::now() + limit;
}

// Waits until the condition holds. Returns false if it does not hold at the deadline.
template <typename Condition>
bool wait_until(std::condition_variable &changed, std::unique_lock<std::mutex> &guard, const Deadline &end,
                Condition condition) {
  if (end) {
    return changed.wait_until(guard, *end, condition);
  }
  changed.wait(guard, condition);
  return true;
}

} // namespace avrankmap::detail

#endif
