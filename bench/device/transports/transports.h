// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages and puts between two processes over every transport that this machine has, each next to
// the transport's own interface (fi_*, ucp_*) in the same loop, the same processes and the same
// run:
//
//     BM_Transport/<transport>/<isend|put>/<bytes>
//
// The two processes are forked, and each keeps a CPU of its own busy. Ours and the bare interface
// are measured in turn, round after round; a number is the median over the rounds, a ratio the
// median of the ratios within a round. The bare endpoint is opened as ours is: same provider, same
// modes, same treatment of errors; what is compared is what the device adds. The shared-memory
// transport has no bare interface but ours: it is measured in turn with the bare shared-memory
// providers of libfabric and UCX.
//
//   rate     isend: windows of sends into windows of posted receives. put: windows of puts, each
//            flushed
//   latency  isend: half of a round trip. put: one put and its flush
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_TRANSPORTS_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_TRANSPORTS_H

#include "measurement/measurement.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct TransportOptions {
  std::vector<std::size_t> sizes; ///< bytes of messages and puts
  int rounds = 0;
  /// That one measurement should take: shorter ones are disturbed less often, hence many rounds.
  double seconds = 0;
  std::string filter; ///< regular expression on the names; empty for all
};

/// One operation at one size. Without a bare counterpart there is no `bare` and no ratio.
struct TransportRate {
  std::string transport; ///< "ofi:<provider>", "ucx:<transports>", "posix"
  std::string op;        ///< "isend" or "put"
  std::size_t bytes = 0;
  double rate = 0; ///< operations per second
  std::optional<double> rate_bare;
  double latency_us = 0;
  std::optional<double> latency_bare_us;
  std::optional<double> rate_ratio;    ///< ours over bare: 1 is as fast, less is slower
  std::optional<double> latency_ratio; ///< ours over bare: 1 is as fast, more is slower
  /// Shared-memory providers: the same ratios of our own shared-memory transport over the bare
  /// interface of this one.
  std::optional<double> posix_rate_ratio;
  std::optional<double> posix_latency_ratio;
};
AVRM_BENCH_ROW(TransportRate, transport, op, bytes, rate, rate_bare, latency_us, latency_bare_us, rate_ratio,
               latency_ratio, posix_rate_ratio, posix_latency_ratio);

/// Measures all transports. Must not be called by a process that is kept on one CPU. `note` is told
/// what was left out and why, `progress` what comes next.
std::vector<TransportRate> measure_transports(const TransportOptions &options, const Log &progress, const Log &note);

extern const Measurement kTransportRates;

} // namespace avrankmap::bench

#endif
