// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the two processes of a measurement are set up, and for how long they measure.
#ifndef AVRANKMAP_BENCH_TRANSPORTS_PAIR_PROCESS_H
#define AVRANKMAP_BENCH_TRANSPORTS_PAIR_PROCESS_H

#include "transports/subject.h"

namespace avrankmap::bench {

/// CPUs that this process may use.
int cpu_count();

/// Process 0 gets the last CPU that this one may run on, process 1 the one before.
void pin_process(int rank);

/// UCX has these from the environment; the bare context and ours shall not differ.
void set_ucx_environment(const char *transports);

/// Windows or operations that last as long as a measurement should. Both processes call it.
std::uint64_t choose_count(PairControl &control, Subject &subject, const TransportCase &which, int rank, double wanted);

} // namespace avrankmap::bench

#endif
