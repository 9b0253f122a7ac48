// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two mini-applications between the processes of a forked job, by build of the fast path: after the
// applications of "Why Is MPI So Slow?", Nek5000 (figure 7) and LAMMPS (figure 8). The builds take
// turns within one job, so that what disturbs the machine disturbs them all alike.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_APPLICATIONS_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_APPLICATIONS_H

#include "device/transports/list.h"
#include "papers/applications/builds.h"
#include "papers/applications/conjugate_gradient.h"
#include "papers/applications/lennard_jones.h"

#include <array>
#include <cstdint>
#include <vector>

namespace avrankmap::bench {

/// How long a problem is run with each build: so many seconds in each of the rounds.
struct Turns {
  int rounds;
  double seconds;
};

/// Of one process, that with rank 0. Times are those of the fastest round: two processes that wait
/// for each other are slowed by whatever takes one of their processors, and by nothing made faster.
struct BuildTimes {
  std::array<double, kMessageBuildCount> seconds; ///< per iteration or step, by build
  /// By how much the fastest of the even rounds and of the odd ones differ, of the build of which
  /// they differ most: 0.01 for 1 %. 0 for a single round.
  double noise;
  double messages; ///< sent per iteration or step
  double bytes;    ///< of a message, mean

  /// How many times as fast as the default one a build is.
  [[nodiscard]] double gain(std::size_t build) const { return seconds[0] / seconds[build]; }
};

struct MassRun {
  BuildTimes times;
  double points;   ///< of all processes
  double square;   ///< u.Bu after kCheckedIterations: the same for any number of processes
  double residual; ///< after convergence, relative; 0 if it was not asked for
  double error;    ///< after convergence: distance from the known field
};
inline constexpr std::int64_t kCheckedIterations = 10;

/// Runs problems one after the other in one job.
/// @param converge  problems of at most so many points are also run until they have converged
/// Throws as run_job(), and std::invalid_argument if the processes do not divide a problem.
std::vector<MassRun> run_mass_problems(const Transport &transport, std::int32_t processes,
                                       const std::vector<MassProblem> &problems, const Turns &turns, double converge);

struct AtomsRun {
  BuildTimes times;
  std::int64_t atoms; ///< of all processes
  double energy;      ///< per atom, at the start
  double drift;       ///< per atom, after kCheckedSteps
};
inline constexpr std::int64_t kCheckedSteps = 50;

/// Runs crystals of so many cells one after the other in one job. Throws as run_job().
std::vector<AtomsRun> run_atoms(const Transport &transport, std::int32_t processes, const std::vector<Box> &crystals,
                                const Turns &turns);

/// Instructions of ours in issuing one message of so many doubles by each build, the network's
/// function left out; 0 where they could not be counted. Over a network that the path counts know
/// (fastpath/path_counts.h); throws as run_job().
std::array<std::uint64_t, kMessageBuildCount> count_message(const Transport &transport, std::int32_t doubles);

} // namespace avrankmap::bench

#endif
