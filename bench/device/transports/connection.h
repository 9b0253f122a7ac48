// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cost of being one process of a large job of which few are ever contacted:
//
//     BM_Connection/<on-demand|eager>/<peers>
//
// The peers are synthetic: a boot of our own hands out their business cards, with addresses on
// which nobody listens, and a contact is a receive that is cancelled. All else is real: device,
// provider and the provider's own address vector.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_CONNECTION_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_CONNECTION_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct ConnectionOptions {
  std::vector<std::int32_t> peers; ///< sizes of jobs, this process aside
  int rounds = 0;
  std::string filter; ///< regular expression on the names; empty for all
};

/// One policy at one size; medians over the rounds, each of which is a process of its own.
struct ConnectionCost {
  std::string policy; ///< "on-demand" or "eager"
  std::int32_t peers = 0;
  std::int32_t contacted = 0;
  /// By which the process has grown: opening the device, then the contacts.
  std::uint64_t resident_bytes = 0;
  double seconds = 0;         ///< to open the device
  double contact_seconds = 0; ///< for all contacts
};
AVRM_BENCH_ROW(ConnectionCost, policy, peers, contacted, resident_bytes, seconds, contact_seconds);

/// Each policy starts with a job of one peer, which is what the others are to be compared with.
std::vector<ConnectionCost> measure_connections(const ConnectionOptions &options, const Log &progress, const Log &note);

extern const Measurement kConnection;

} // namespace avrankmap::bench

#endif
