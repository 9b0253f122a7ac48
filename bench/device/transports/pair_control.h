// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shared state of the two processes of a measurement, besides the transport measured: a barrier,
// and the results.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_PAIR_CONTROL_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_PAIR_CONTROL_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace avrankmap::bench {

constexpr int kMaxCases = 64;
constexpr int kMaxRounds = 128;
constexpr int kMaxSubjects = 20;

/// In memory that both processes map. All zero is the start.
struct PairControl {
  std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> turn;
  /// That process 0 has chosen; read after meeting.
  std::uint64_t count;
  bool chosen;                                         ///< the same: no more trials
  double seconds[kMaxCases][kMaxSubjects][kMaxRounds]; ///< per operation: case, subject, round

  /// Time that a subject took in each round of a case.
  [[nodiscard]] std::vector<double> samples(std::size_t which, std::size_t subject, int rounds) const {
    const double *const first = seconds[which][subject];
    return {first, first + rounds};
  }

  /// Waits for the other process. Calls progress() meanwhile: what it does may need ours.
  template <class Progress> void barrier(Progress progress) noexcept {
    const std::uint32_t before = turn.load(std::memory_order_acquire);
    if (arrived.fetch_add(1, std::memory_order_acq_rel) == 1) {
      arrived.store(0, std::memory_order_relaxed);
      turn.store(before + 1, std::memory_order_release);
      return;
    }
    while (turn.load(std::memory_order_acquire) == before) {
      progress();
    }
  }
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

} // namespace avrankmap::bench

#endif
