// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From how many processes on a split is faster if processes are sorted where they are than if all
// colours are gathered.
#ifndef AVRANKMAP_BENCH_DEVICE_CREATION_SPLIT_CROSSOVER_H
#define AVRANKMAP_BENCH_DEVICE_CREATION_SPLIT_CROSSOVER_H

#include "measurement/measurement.h"

#include <cstdint>
#include <vector>

namespace avrankmap::bench {

/// A split into columns by either method, simulated. Time is that of the messages of one process,
/// one after the other, on a network of 1 us and 10 GB/s; gathering, also of its search through all
/// colours, which is measured.
struct SplitCrossover {
  std::int32_t processes = 0;
  double gather_seconds = 0;
  double sort_seconds = 0;
  std::uint64_t gather_temporary_bytes = 0; ///< of one process
  std::uint64_t sort_temporary_bytes = 0;
};
AVRM_BENCH_ROW(SplitCrossover, processes, gather_seconds, sort_seconds, gather_temporary_bytes, sort_temporary_bytes);

std::vector<SplitCrossover> simulate_crossover(std::int32_t most);

extern const Measurement kSplitCrossover;

} // namespace avrankmap::bench

#endif
