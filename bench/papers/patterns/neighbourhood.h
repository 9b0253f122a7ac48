// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges with neighbours on a torus of any number of dimensions between real processes (the n-D
// Cartesian compression paper, figures 5 and 6). All receives are posted, then all sends, then a
// process waits for all. The communicator counts the first dimension fastest, the world the last.
#ifndef AVRANKMAP_BENCH_PAPERS_PATTERNS_NEIGHBOURHOOD_H
#define AVRANKMAP_BENCH_PAPERS_PATTERNS_NEIGHBOURHOOD_H

#include "baseline/world_rectangles.h"
#include "communicators/torus.h"
#include "papers/patterns/workload.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace avrankmap::bench {

struct NeighbourhoodOptions {
  Torus torus;
  /// Steps to the neighbours.
  std::vector<Extents> steps;
  std::size_t bytes = 128; ///< of a message, at least 8
  int exchanges = 1;       ///< that are timed at a time
  int rounds = 1;
};

/// Times of so many exchanges. Before that each workload looks at where each message comes from.
/// Throws std::runtime_error if one comes from somewhere else.
std::vector<LookupTimes> measure_neighbourhood(const NeighbourhoodOptions &options, const std::vector<Lookup> &lookups);

} // namespace avrankmap::bench

#endif
