// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The Markov chain Monte Carlo kernel of "Noncollective Communicator Creation in MPI" (figure 2,
// table 1). Groups of processes each walk a chain; an item of work takes a group so much less time
// as it is larger. Chains differ in length: 0, 10 G, 20 G, ... items for groups of G processes,
// from the beginning again every 32 processes. A group that has come to its end joins the next one
// to the right that has work left, in one of these ways.
#ifndef AVRANKMAP_BENCH_PAPERS_NONCOLLECTIVE_MCMC_H
#define AVRANKMAP_BENCH_PAPERS_NONCOLLECTIVE_MCMC_H

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

enum class Balancing {
  kNone,
  /// Asks it, which looks for requests after each item; the two groups alone make a new
  /// communicator.
  kAsynchronous,
  /// Asks the group to its right, whether that has work left or not, as the paper has it. Two
  /// groups without work merge at once, and ask on; the last group has nobody to its right.
  kToTheRight,
  /// Every so many items all processes tell all others where they are, and split the world anew.
  kCollective
};

struct McmcOptions {
  std::int32_t processes = 32;
  std::int32_t group = 4;
  double item_seconds = 0.1; ///< of an item that one process works on alone
  Balancing balancing = Balancing::kNone;
  std::int32_t interval = 1; ///< items between two collective balancings
  /// Groups begin at random within so much time; simulated and asynchronous only.
  double spread_seconds = 0;
};

struct McmcRow {
  std::string balancing; ///< "none", "asynchronous", "to the right", "collective"
  std::int32_t interval = 0;
  std::int32_t processes = 0;
  bool simulated = false;
  double seconds = 0;
  double ideal_seconds = 0; ///< if work could be spread without loss
  /// Groups that a process was in, one after the other, where groups change at all; over all
  /// processes.
  double regroupings_mean = 0;
  double regroupings_deviation = 0;
  std::int32_t regroupings_min = 0;
  std::int32_t regroupings_max = 0;
};

/// Items of the chain of the group of `group` processes that begins with process `leader`.
[[nodiscard]] constexpr std::int64_t mcmc_items(std::int32_t leader) { return std::int64_t{10} * (leader % 32); }

/// Real processes of this machine, forked, over shared memory. They sleep instead of working, so
/// there may be more of them than cores, up to 64. Throws std::runtime_error if one fails.
McmcRow measure_mcmc(const McmcOptions &options);

/// The same in virtual time, for thousands of processes: 1 us per message that waits for another
/// one.
McmcRow simulate_mcmc(const McmcOptions &options);

} // namespace avrankmap::bench

#endif
