// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shared state of the processes of a measurement, besides the transport: a barrier, and results.
// There may be more processes than CPUs: whoever waits lets the others run.
#ifndef AVRANKMAP_BENCH_DEVICE_PROCESSES_TOGETHER_H
#define AVRANKMAP_BENCH_DEVICE_PROCESSES_TOGETHER_H

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace avrankmap::bench {

/// In memory that all processes map. All zero is the start.
struct Together {
  static constexpr int kMaxLoops = 32;
  static constexpr int kMaxRounds = 128;

  std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> turn;
  std::uint64_t count; ///< that process 0 has chosen; read after meeting
  bool is_chosen;
  double seconds[kMaxLoops][kMaxRounds]; ///< per put of one process
  /// Processor seconds of the puts of process 0, completion aside.
  double issuing[kMaxLoops][kMaxRounds];

  /// Waits for the other processes, `size` with this one. Calls progress() meanwhile: what they do
  /// may need this process.
  template <class Progress> void barrier(std::uint32_t size, Progress progress) {
    const std::uint32_t before = turn.load(std::memory_order_acquire);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived.store(0, std::memory_order_relaxed);
      turn.store(before + 1, std::memory_order_release);
      return;
    }
    while (turn.load(std::memory_order_acquire) == before) {
      progress();
      sched_yield();
    }
  }
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

} // namespace avrankmap::bench

#endif
