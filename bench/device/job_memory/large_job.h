// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that a process of a large job makes, in every scheme: 4 addresses of each peer; the
// world, 50 duplicates of it and 50 communicators of every second rank, each with its hierarchy,
// its node and its node-roots communicator; 10 windows over the world, whose keys are chosen by the
// provider, of which 1,000 targets are contacted.
#ifndef AVRANKMAP_BENCH_DEVICE_JOB_MEMORY_LARGE_JOB_H
#define AVRANKMAP_BENCH_DEVICE_JOB_MEMORY_LARGE_JOB_H

#include <algorithm>
#include <cstdint>

namespace avrankmap::bench {

struct LargeJob {
  std::int32_t processes = 0; ///< at least 2
  std::int32_t per_node = 128;
  std::int32_t most_contacted = 1000; ///< see contacted_peers()
  int communicators = 100;            ///< without the world, of those that an application makes
  int windows = 10;
  int addresses = 4; ///< per peer

  [[nodiscard]] std::int32_t contacted_peers() const { return std::min(most_contacted, processes - 1); }
  /// World rank of a peer that is contacted; they are spread over the job.
  [[nodiscard]] std::int32_t peer(std::int32_t i) const {
    return static_cast<std::int32_t>(1 + std::int64_t{i} * (processes - 1) / contacted_peers());
  }
  [[nodiscard]] std::int32_t on_node() const { return std::min(per_node, processes); }
  [[nodiscard]] std::int32_t nodes() const { return (processes - 1) / per_node + 1; }
  /// Communicator i is of every second rank, not a duplicate.
  [[nodiscard]] bool is_half(int i) const { return i >= communicators / 2; }
};

} // namespace avrankmap::bench

#endif
