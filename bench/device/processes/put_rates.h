// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper's table V, rows named real: what translation costs where the network is a
// real one.
//
//     BM_PutRate/<transport>/<processes>/<scheme>
//
// A communicator of 2 or 16 processes, each of them one of this machine with an endpoint of its
// own. Half of them, by rank, stand for one node, the others for another. All of them issue puts of
// 8 bytes at the same time, to one after another of the processes on the other node, through the
// transport's bare interface. The rank of the target is translated in a communicator of each mode,
// with the address of the right process where the communicator has its rank; apart from that, by
// VC-VCRT, and by a table of addresses that were known beforehand. All of them are measured in turn
// by the same processes over the same connections.
#ifndef AVRANKMAP_BENCH_DEVICE_PROCESSES_PUT_RATES_H
#define AVRANKMAP_BENCH_DEVICE_PROCESSES_PUT_RATES_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct PutRateOptions {
  std::vector<int> processes; ///< of the communicator; each is even
  int rounds = 0;
  double seconds = 0;    ///< that one measurement should take
  std::string filter;    ///< regular expression on the names; empty for all
  bool all_ways = false; ///< to dispatch: the paper's switch and hybrid as well (dispatch/ways.h)
};

/// Medians over the rounds; a ratio is the median of those within a round.
struct PutRate {
  std::string transport; ///< "ofi:<provider>", "ucx:<transports>"
  int processes = 0;
  std::string mode; ///< of the communicator
  /// "ours"; "switch", "hybrid": its maps, dispatched so; "vc-vcrt"; "known"
  std::string scheme;
  double rate = 0;     ///< puts per second of one process
  double of_vcrt = 0;  ///< rate over that of VC-VCRT on the same communicator
  double of_known = 0; ///< rate over that with known addresses
  double issuing = 0;  ///< processor time of a put itself, completion aside, over that with VC-VCRT
};
AVRM_BENCH_ROW(PutRate, transport, processes, mode, scheme, rate, of_vcrt, of_known, issuing);

/// Must not be called by a process that is kept on one CPU. Every put is looked for where it should
/// have arrived; a measurement of which one has not is left out with a note. `note` is told what
/// was left out and why, `progress` what comes next.
std::vector<PutRate> measure_put_rates(const PutRateOptions &options, const Log &progress, const Log &note);

extern const Measurement kPutRates;

} // namespace avrankmap::bench

#endif
