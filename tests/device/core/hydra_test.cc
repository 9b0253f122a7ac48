// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device in jobs under hydra's mpiexec. The processes run device_job.cc, which has the checks.
#include <gtest/gtest.h>

#include "tests/support/launch.h"
#include "tests/support/settings.h"
#include "tests/support/transports.h"

namespace avrankmap::test {
namespace {

class DeviceUnderHydra : public testing::TestWithParam<Transport> {
protected:
  void SetUp() override {
    if (!has_hydra()) {
      GTEST_SKIP() << kNoHydra;
    }
  }
};

TEST_P(DeviceUnderHydra, PassesTheSuite) {
  const std::vector<int> codes = launch(hydra_words(4), {AVRM_DEVICE_JOB, GetParam().name, "4", "pmi2"});
  if (codes.front() == kSkipped) {
    GTEST_SKIP() << lacks(GetParam());
  }
  EXPECT_EQ(codes, std::vector<int>{0});
}

// Networks alone in long runs; in others mpirun's processes use them.
INSTANTIATE_TEST_SUITE_P(Over, DeviceUnderHydra,
                         testing::ValuesIn(transports_of(Suites::kAll, is_long() ? has_network : has_both)), kByName);

} // namespace
} // namespace avrankmap::test
