// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time that this thread has had a CPU: for loops that never wait, on machines where
// others also run.
#ifndef AVRANKMAP_BENCH_SUPPORT_CPU_TIME_H
#define AVRANKMAP_BENCH_SUPPORT_CPU_TIME_H

#include <time.h>

namespace avrankmap::bench {

/// Seconds since the thread started.
inline double thread_seconds() {
  timespec now{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

} // namespace avrankmap::bench

#endif
