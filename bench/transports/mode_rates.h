// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's Table V, upper half: what translation costs where the network is a real one.
//
//     BM_ModeRate/<transport>/<mode>
//
// Process 0 sends 8 bytes to one rank after another of a communicator of 16, through a rankmap of
// the mode and the bare interface of the transport. All ranks live in process 1, as all of the
// paper's live on the other node. Beside that, the same loop over the addresses themselves, in the
// same processes and the same run.
#ifndef AVRANKMAP_BENCH_TRANSPORTS_MODE_RATES_H
#define AVRANKMAP_BENCH_TRANSPORTS_MODE_RATES_H

#include "measurement/measurement.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

struct ModeRateOptions {
  int rounds = 0;
  double seconds = 0;    ///< that one measurement should take
  std::string filter;    ///< regular expression on the names; empty for all
  bool all_ways = false; ///< to dispatch: the paper's switch and hybrid as well (dispatch/ways.h)
};

/// Medians over the rounds; the ratio is the median of those within a round.
struct ModeRate {
  std::string transport; ///< "ofi:<provider>", "ucx:<transports>"
  std::string mode;
  std::string way;     ///< to dispatch: "flags" is ours; "switch", "hybrid"
  double rate = 0;     ///< operations per second
  double rate_raw = 0; ///< without translation
  double ratio = 0;    ///< rate over rate_raw
};
AVRM_BENCH_ROW(ModeRate, transport, mode, way, rate, rate_raw, ratio);

std::vector<ModeRate> measure_mode_rates(const ModeRateOptions &options, const Log &progress, const Log &note);

extern const Measurement kModeRates;

} // namespace avrankmap::bench

#endif
