// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads on the fast path, null network, default build: each on a communicator of its own,
// which has a work queue and a lock of its own; and the same with all of them on the device's own
// queue, for comparison. Time is CPU time: rates are what the threads do if each has a CPU of its
// own, and if they share nothing, the time that an operation takes is that of one thread.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_THREADS_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_THREADS_H

#include "measurement/measurement.h"

#include <vector>

namespace avrankmap::bench {

struct FastpathThreads {
  int threads = 0;
  double rate_own = 0;    ///< isends per second of all threads together, a queue for each
  double rate_shared = 0; ///< the device's own queue and lock for all
  /// Rate_own over that of one thread in the same round, median; at best `threads`.
  double scaling = 0;
};
AVRM_BENCH_ROW(FastpathThreads, threads, rate_own, rate_shared, scaling);

/// One row per number of threads, up to that of the CPUs. Must not be called by a process that is
/// kept on one CPU.
std::vector<FastpathThreads> measure_fastpath_threads(int rounds, double seconds);

extern const Measurement kFastpathThreads;

} // namespace avrankmap::bench

#endif
