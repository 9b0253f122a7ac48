// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ping-pong on a communicator of 16 x 16 x 16 ranks (the n-D Cartesian compression paper, figure
// 4): each message's rank is translated by our map, and by that paper's library with its table, its
// mapping function alone and behind its caches. The network is a real one, its interface bare, the
// two processes the same, and the schemes are measured in turn.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_CACHED_LATENCY_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_CACHED_LATENCY_H

#include "support/log.h"

#include <cstddef>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct CachedLatencyOptions {
  std::vector<std::size_t> sizes; ///< bytes of messages
  int rounds = 0;                 ///< at most 128
  double seconds = 0;             ///< that one measurement should take
};

struct CachedLatency {
  std::string transport; ///< "ofi:<provider>", "ucx:<transports>"
  std::string scheme;    ///< "plain table", "mapping function", "linear 8", "128 x 8", "ours"
  std::size_t bytes = 0;
  double microseconds = 0; ///< half of a round trip, median
  double ratio = 0;        ///< over the plain table in the same round, median
};

/// Must not be called by a process that is kept on one CPU. `note` is told what was
/// left out and why.
std::vector<CachedLatency> measure_cached_latency(const CachedLatencyOptions &options, const Log &progress,
                                                  const Log &note);

} // namespace avrankmap::bench

#endif
