// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path over real networks ("Why Is MPI So Slow?", figures 3 and 4): how fast one process
// hands 1-byte messages and puts to the network, in every build and with every proposal, each
// and by a loop over the network's own interface (fi_tinject and fi_inject_write, ucp_tag_send_nbx
// and ucp_put_nbx) in the same processes and the same run. Only issuing is timed, in CPU time: for
// messages the receives are posted before, and completion is waited for after.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_NETWORKS_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_NETWORKS_H

#include "measurement/measurement.h"

#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// One build or proposal on one network. Fields are empty where it does not exist.
struct FastpathNetworkRow {
  std::string network;            ///< "ofi:<provider>" or "ucx:<transports>"
  std::string configuration;      ///< as in FastpathRow
  std::optional<double> rate_put; ///< operations per second
  std::optional<double> rate_isend;
  std::optional<double> bare_put; ///< of the bare interface, in turn with ours
  std::optional<double> bare_isend;
  std::optional<double> put_to_bare; ///< rate over bare rate in the same round, median
  std::optional<double> isend_to_bare;
};
AVRM_BENCH_ROW(FastpathNetworkRow, network, configuration, rate_put, rate_isend, bare_put, bare_isend, put_to_bare,
               isend_to_bare);

struct FastpathNetworkOptions {
  int rounds = 0;     ///< at most 32
  double seconds = 0; ///< that one loop should take
};

/// Must not be called by a process that is kept on one CPU. `note` is told what was left out and
/// why, `progress` what comes next.
std::vector<FastpathNetworkRow> measure_fastpath_networks(const FastpathNetworkOptions &options, const Log &progress,
                                                          const Log &note);

extern const Measurement kFastpathNetworks;

} // namespace avrankmap::bench

#endif
