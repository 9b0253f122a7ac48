// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Puts of real processes, each with an endpoint of its own.
#include "device/processes/put_rates.h"

#include "support/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

/// Rates over one transport; skips the test where that is not there.
void measure(const char *transport, int processes, std::vector<PutRate> &rates) {
  if (cpu_count() < 2) {
    GTEST_SKIP() << "one CPU";
  }
  std::string notes;
  rates = measure_put_rates(
      {{processes}, 1, 1e-4, transport, true}, [](const std::string &) {},
      [&](const std::string &note) { notes += note; });
  if (notes.find("lacks") != std::string::npos) {
    GTEST_SKIP() << notes;
  }
  EXPECT_EQ(notes, "");
}

class Puts : public testing::TestWithParam<const char *> {};

TEST_P(Puts, ReachTheRanksOfCommunicatorsOfAllModes) {
  std::vector<PutRate> rates;
  measure(GetParam(), 8, rates);
  if (IsSkipped()) {
    return;
  }
  std::set<std::string> modes;
  std::set<std::string> schemes;
  for (const PutRate &rate : rates) {
    EXPECT_GT(rate.rate, 0);
    EXPECT_GT(rate.of_vcrt, 0);
    EXPECT_GT(rate.issuing, 0);
    EXPECT_EQ(rate.processes, 8);
    modes.insert(rate.mode);
    schemes.insert(rate.scheme);
  }
  EXPECT_EQ(modes, (std::set<std::string>{"blocked", "direct", "lut", "mlut", "offset", "stride"}));
  EXPECT_EQ(schemes, (std::set<std::string>{"ours", "hybrid", "known", "switch", "vc-vcrt"}));
}

TEST_P(Puts, OfTwoProcessesLackTheModesOfMore) {
  std::vector<PutRate> rates;
  measure(GetParam(), 2, rates);
  EXPECT_TRUE(std::none_of(rates.begin(), rates.end(), [](const PutRate &rate) { return rate.mode == "lut"; }));
}

INSTANTIATE_TEST_SUITE_P(Over, Puts, testing::Values("ucx:tcp", "ofi:tcp"),
                         [](const auto &info) { return std::string(info.param).substr(0, 3); });

} // namespace
} // namespace avrankmap::bench
