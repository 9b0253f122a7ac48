// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The common part of real and simulated runs of the kernel.
#ifndef AVRANKMAP_BENCH_PAPERS_NONCOLLECTIVE_MCMC_ROW_H
#define AVRANKMAP_BENCH_PAPERS_NONCOLLECTIVE_MCMC_ROW_H

#include "papers/noncollective/mcmc.h"

namespace avrankmap::bench {

/// Counts with which each process begins: as in the paper's table, the first group of all is
/// one that is made.
[[nodiscard]] constexpr std::int32_t mcmc_first_grouping(const McmcOptions &options) {
  return options.balancing == Balancing::kNone ? 0 : 1;
}

/// All but the time.
McmcRow mcmc_row(const McmcOptions &options, const std::vector<std::int32_t> &regroupings);

/// A group as all processes see it in a collective balancing.
struct McmcGroup {
  std::int32_t leader; ///< first process of the group that walks the chain
  std::int64_t remaining;
};
/// For each group, in order of their leaders, the one that it belongs to from now on: itself, or
/// the next to the right that has work left.
std::vector<std::size_t> mcmc_partners(const std::vector<McmcGroup> &groups);

} // namespace avrankmap::bench

#endif
