// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A multigrid solver between real processes (the n-D Cartesian compression paper, section 5.2 and
// table 2): conjugate gradients preconditioned by a V-cycle, for a Poisson problem with 26
// neighbours per point. Each coarser level takes the sums of 2 x 2 x 2 points of the finer one
// (aggregation with Galerkin's operator), so that its matrix has 26 neighbours again. A process has
// a cube of points; on levels with fewer points than processes only each second, fourth, ...
// process has one, and its neighbours are as far away.
//
// Each level has its lists of neighbours: to whom which points go and from whom which come. The
// processes are a grid of three dimensions that counts them the other way round than the world.
#ifndef AVRANKMAP_BENCH_PAPERS_PATTERNS_MULTIGRID_H
#define AVRANKMAP_BENCH_PAPERS_PATTERNS_MULTIGRID_H

#include "papers/patterns/workload.h"

#include <array>
#include <cstdint>
#include <vector>

namespace avrankmap::bench {

struct MultigridOptions {
  std::array<std::int32_t, 3> grid = {1, 1, 1}; ///< of processes, powers of two
  std::int32_t points = 8;                      ///< of a process in each dimension, a power of two
  int iterations = 1;                           ///< that are timed
  int rounds = 1;

  [[nodiscard]] std::int32_t processes() const { return grid[0] * grid[1] * grid[2]; }
  /// Of all processes.
  [[nodiscard]] std::int64_t unknowns() const;
};

/// The paper's figure of merit: size of the system times iterations over time.
double figure_of_merit(const MultigridOptions &options, double seconds);

/// Times of so many iterations. Before that each workload solves a problem whose solution is known;
/// LookupTimes::verified is the number of iterations that this took. Throws std::runtime_error if
/// the solution is wrong.
std::vector<LookupTimes> measure_multigrid(const MultigridOptions &options, const std::vector<Lookup> &lookups);

} // namespace avrankmap::bench

#endif
