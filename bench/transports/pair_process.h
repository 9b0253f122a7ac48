// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the two processes of a measurement are set up, and for how long they measure.
#ifndef AVRANKMAP_BENCH_TRANSPORTS_PAIR_PROCESS_H
#define AVRANKMAP_BENCH_TRANSPORTS_PAIR_PROCESS_H

#include <sched.h>

#include <cstdlib>
#include <string_view>

#include "transports/subject.h"

namespace avrankmap::bench {

constexpr int kMissingTransport = 77; // exit code: this machine lacks it

/// Process 0 gets the last CPU that this one may run on, process 1 the one before.
inline void pin_process(int rank) {
  cpu_set_t allowed;
  (void)sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
    if (CPU_ISSET(cpu, &allowed) && rank-- == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      (void)sched_setaffinity(0, sizeof one, &one);
      return;
    }
  }
}

/// UCX has these from the environment; the bare context and ours shall not differ.
inline void set_ucx_environment(const char *transports) {
  setenv("UCX_TLS", transports, 1);
  setenv("UCX_KEEPALIVE_INTERVAL", "1s", 0);
  if (std::string_view(transports).starts_with("tcp")) {
    setenv("UCX_NET_DEVICES", "lo", 0);
  } else {
    setenv("UCX_MM_ERROR_HANDLING", "y", 0);
  }
}

/// CPUs that this process may run on.
inline int cpu_count() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

/// Windows or operations that last as long as a measurement should. Both processes call it.
std::uint64_t choose_count(PairControl &control, Subject &subject, const TransportCase &which, int rank, double wanted);

} // namespace avrankmap::bench

#endif
