// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// What stands beside the counts and rates of "Why Is MPI So Slow?".
#include "device/fastpath/fastpath.h"
#include "papers/experiment/tables.h"
#include "papers/experiments/catalogue.h"
#include "support/statistics.h"

#include <gtest/gtest.h>

#include <variant>

namespace avrankmap::bench {
namespace {

TEST(Spread, IsTheMiddleHalfOfTheRatios) {
  const Spread spread = spread_of_ratios({1, 2, 3, 4, 5, 6, 7, 80}, std::vector<double>(8, 1));
  EXPECT_DOUBLE_EQ(spread.low, 3);
  EXPECT_DOUBLE_EQ(spread.middle, 4.5);
  EXPECT_DOUBLE_EQ(spread.high, 6);
  EXPECT_DOUBLE_EQ(spread_of_ratios({3}, {2}).low, 1.5);
}

TEST(Fastpath, StepsLeadFromEachBuildToTheNextLeanerOne) {
  const Fastpath measured = measure_fastpath(3, 1e-5, [](const std::string &) {});
  ASSERT_EQ(measured.steps.size(), 3U);
  EXPECT_EQ(measured.steps[0].name, "no-err");
  EXPECT_EQ(measured.steps[2].name, "no-err-single-ipo");
  for (const FastpathStep &step : measured.steps) {
    EXPECT_LE(step.isend.low, step.isend.middle);
    EXPECT_LE(step.put.middle, step.put.high);
    EXPECT_GT(step.put.low, 0);
  }
}

TEST(SlowMpi, ReductionsAreOverTheCountsOfThePapersOriginal) {
  Context context(Effort::kTiny, "", [](const std::string &) {});
  const Result result = run_build_counts(context);
  const auto count = number_here(result.table, "ours (default)", "MPI_PUT");
  if (!count) {
    GTEST_SKIP() << "instructions cannot be counted here";
  }
  const Cell *const less = find_cell(result.table, "ours (default) less than MPICH/Original, %", "MPI_PUT");
  ASSERT_NE(less, nullptr);
  EXPECT_DOUBLE_EQ(std::get<double>(less->here), 100 * (1 - *count / 1342));
  EXPECT_EQ(std::get<double>(less->paper), 84);
}

} // namespace
} // namespace avrankmap::bench
