// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops that are timed in turn, one round after the other, so that what disturbs the machine
// disturbs them all alike. Time is CPU time of the thread.
#ifndef AVRANKMAP_BENCH_SUPPORT_IN_TURN_H
#define AVRANKMAP_BENCH_SUPPORT_IN_TURN_H

#include "support/cpu_time.h"
#include "support/statistics.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace avrankmap::bench {

/// A loop over a fixed sequence of operations: does it that many times.
using Passes = std::function<void(std::int64_t passes)>;

/// Seconds per pass, by loop and round. Each measurement takes about so many seconds, after a short
/// one that is not timed.
inline std::vector<std::vector<double>> time_in_turn(const std::vector<Passes> &loops, int rounds, double seconds) {
  std::vector<std::int64_t> passes;
  for (const Passes &loop : loops) {
    std::int64_t count = 1;
    double taken = 0;
    for (;;) {
      const double start = thread_seconds();
      loop(count);
      taken = thread_seconds() - start;
      if (taken >= seconds / 4) {
        break;
      }
      count *= 2;
    }
    passes.push_back(static_cast<std::int64_t>(static_cast<double>(count) * seconds / taken) + 1);
  }
  std::vector<std::vector<double>> times(loops.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      loops[i](passes[i] / 8 + 1); // the caches belong to another one now
      const double start = thread_seconds();
      loops[i](passes[i]);
      times[i].push_back((thread_seconds() - start) / static_cast<double>(passes[i]));
    }
  }
  return times;
}

} // namespace avrankmap::bench

#endif
