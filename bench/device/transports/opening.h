// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How long all processes of a job take to open their devices, and how much of it is the network
// library's own:
//
//     BM_Opening/<transport>/<processes>
//
// The other job opens an endpoint or worker with the bare library: one query, and one object of
// each kind that messages need. The processes of both jobs meet at the same fence.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_OPENING_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_OPENING_H

#include "measurement/measurement.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

struct OpeningOptions {
  std::vector<std::int32_t> processes;
  int rounds = 0;
  std::string filter; ///< regular expression on the names; empty for all
};

/// One transport and size of job; medians over the rounds. Times are those of the process that
/// takes the longest.
struct OpeningCost {
  std::string transport;
  std::int32_t processes = 0;
  double seconds = 0; ///< of a device
  /// Of the bare library; 0 without one.
  double bare_seconds = 0;
  double query_seconds = 0; ///< of these for its first call, which initialises the library
};
AVRM_BENCH_ROW(OpeningCost, transport, processes, seconds, bare_seconds, query_seconds);

std::vector<OpeningCost> measure_opening(const OpeningOptions &options, const Log &progress, const Log &note);

extern const Measurement kOpening;

} // namespace avrankmap::bench

#endif
