// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The coarse clock, for uses in which an error of some milliseconds does not matter. The exact time
// costs several times more.
#ifndef AVRANKMAP_SRC_BASE_COARSE_CLOCK_H
#define AVRANKMAP_SRC_BASE_COARSE_CLOCK_H

#include <time.h>

#include <cstdint>

namespace avrankmap::detail {

inline constexpr std::int64_t kMillisecond = 1000000;

// Returns the time in nanoseconds.
[[nodiscard]] inline std::int64_t coarse_now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * 1000 * kMillisecond + time.tv_nsec;
}

} // namespace avrankmap::detail

#endif
