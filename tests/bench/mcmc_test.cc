// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The simulated Markov chains, balanced as the paper does it and as ours do.
#include "noncollective/mcmc.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace avrankmap::bench {
namespace {

McmcRow simulated(Balancing balancing, std::int32_t processes) {
  McmcOptions options;
  options.processes = processes;
  options.balancing = balancing;
  return simulate_mcmc(options);
}

TEST(MarkovChains, OfOnePeriodAreTheSameToTheRightAndToWork) {
  const McmcRow right = simulated(Balancing::kToTheRight, 32);
  const McmcRow work = simulated(Balancing::kAsynchronous, 32);
  EXPECT_EQ(right.balancing, "to the right");
  EXPECT_DOUBLE_EQ(right.regroupings_mean, work.regroupings_mean);
  EXPECT_NEAR(right.seconds, work.seconds, 0.001);
}

TEST(MarkovChains, ToTheRightGroupsWithoutWorkMeetInPairs) {
  // Each doubling of the periods adds one meeting of all.
  const double one = simulated(Balancing::kToTheRight, 32).regroupings_mean;
  EXPECT_DOUBLE_EQ(simulated(Balancing::kToTheRight, 64).regroupings_mean, one + 1);
  EXPECT_DOUBLE_EQ(simulated(Balancing::kToTheRight, 256).regroupings_mean, one + 3);
}

TEST(MarkovChains, ToTheRightDoesAllOfTheWork) {
  const McmcRow row = simulated(Balancing::kToTheRight, 1024);
  EXPECT_GE(row.seconds, row.ideal_seconds);
  EXPECT_LT(row.seconds, 1.05 * row.ideal_seconds);
}

TEST(MarkovChains, ToTheRightIsRefusedForRealProcesses) {
  McmcOptions options;
  options.balancing = Balancing::kToTheRight;
  EXPECT_THROW((void)measure_mcmc(options), std::runtime_error);
}

} // namespace
} // namespace avrankmap::bench
