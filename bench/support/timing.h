// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Times of operations that take from less than a microsecond to seconds.
#ifndef AVRANKMAP_BENCH_SUPPORT_TIMING_H
#define AVRANKMAP_BENCH_SUPPORT_TIMING_H

#include "support/statistics.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace avrankmap::bench {

template <class F> double seconds_of(F &&f) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Median of some rounds, or one alone if that takes a while. Whatever takes less than the clock
/// and an interrupt allow for is repeated within a round.
template <class F> double typical_seconds(F &&f) {
  constexpr double kShortest = 1e-3;
  constexpr int kRounds = 7;
  std::vector<double> times{seconds_of(f)};
  const int repetitions = std::clamp(static_cast<int>(kShortest / times[0]), 1, 1000);
  for (int round = 1; round < kRounds && times[0] < 0.1; ++round) {
    const double all = seconds_of([&] {
      for (int i = 0; i < repetitions; ++i) {
        f();
      }
    });
    times.push_back(all / repetitions);
  }
  return median(std::move(times));
}

} // namespace avrankmap::bench

#endif
