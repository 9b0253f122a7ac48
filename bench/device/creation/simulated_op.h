// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A creation between simulated processes, and what it cost.
#ifndef AVRANKMAP_BENCH_DEVICE_CREATION_SIMULATED_OP_H
#define AVRANKMAP_BENCH_DEVICE_CREATION_SIMULATED_OP_H

#include "bench/synthetic/simulator.h"
#include "device/creation/creation_ops.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Runs a creation and enters it under a name. Throws std::runtime_error if it fails.
template <class Start, class TakesPart>
CreationOp simulated(Simulator &job, const std::string &op, Start start, TakesPart takes_part) {
  const std::vector<avrm_status_t> statuses = job.run(start, takes_part);
  CreationOp made;
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    if (takes_part(rank) && statuses[static_cast<std::size_t>(rank)] != AVRM_OK) {
      throw std::runtime_error(op + ": a simulated process failed");
    }
    if (made.members == 0 && job.process(rank).made.map != nullptr) {
      made.members = job.process(rank).made.map->size;
    }
  }
  const SimCost &cost = job.cost();
  made.op = op;
  made.processes = job.size();
  made.simulated = true;
  made.seconds = cost.seconds;
  made.messages = cost.messages;
  made.steps = cost.steps;
  made.depth = cost.depth;
  made.bytes = cost.bytes;
  made.map_bytes = cost.map_bytes_most;
  made.peak_temporary_bytes = cost.frame_bytes + cost.scratch_peak / static_cast<std::uint64_t>(job.size());
  job.forget();
  return made;
}

} // namespace avrankmap::bench

#endif
