// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The Markov chains, balanced as the paper does it and as ours do.
#include "papers/noncollective/mcmc.h"

#include <gtest/gtest.h>

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

// Four chains of 0, 20, 40 and 60 items. Who joins whom depends on the scheduler; to the right all
// end in one group.
McmcRow measured(Balancing balancing) {
  McmcOptions options;
  options.processes = 8;
  options.group = 2;
  options.item_seconds = 0.001;
  options.balancing = balancing;
  return measure_mcmc(options);
}

TEST(MarkovChains, OfRealProcessesEndInOneGroupToTheRight) {
  const McmcRow row = measured(Balancing::kToTheRight);
  EXPECT_EQ(row.balancing, "to the right");
  EXPECT_GE(row.regroupings_min, 2); // the first group, and that of all
  EXPECT_LE(row.regroupings_max, 4); // four groups merge three times
  EXPECT_GE(row.seconds, row.ideal_seconds);
}

TEST(MarkovChains, OfRealProcessesEndToWork) {
  const McmcRow row = measured(Balancing::kAsynchronous);
  EXPECT_GE(row.regroupings_min, 1);
  EXPECT_LE(row.regroupings_max, 4);
  EXPECT_GE(row.seconds, row.ideal_seconds);
}

TEST(MarkovChains, ThatDoNotBeginAtOnceMeetInLessEvenPairs) {
  McmcOptions options;
  options.processes = 8192;
  options.balancing = Balancing::kToTheRight;
  const McmcRow at_once = simulate_mcmc(options);
  options.spread_seconds = 0.001;
  const McmcRow spread = simulate_mcmc(options);
  EXPECT_GT(spread.regroupings_mean, at_once.regroupings_mean);
  EXPECT_GT(spread.regroupings_deviation, at_once.regroupings_deviation);
  EXPECT_LT(spread.regroupings_min, at_once.regroupings_min);
  EXPECT_GT(spread.regroupings_max, at_once.regroupings_max);
  EXPECT_NEAR(spread.seconds, at_once.seconds, 0.05);
}

} // namespace
} // namespace avrankmap::bench
