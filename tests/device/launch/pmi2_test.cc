// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs under hydra's mpiexec. Their processes run pmi2_job.cc, which has the checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "tests/support/launch.h"

namespace avrankmap::test {
namespace {

class BootPmi2Job : public testing::Test {
protected:
  void SetUp() override {
    if (!has_hydra()) {
      GTEST_SKIP() << kNoHydra;
    }
  }
};

int hydra(int size, const std::string &scenario) {
  return launch(hydra_words(size), {AVRM_PMI2_JOB, scenario}).front();
}

TEST_F(BootPmi2Job, CardsReachEveryProcess) {
  for (const int size : {1, 2, 5}) {
    EXPECT_EQ(hydra(size, "cards"), 0) << size << " processes";
  }
}

TEST_F(BootPmi2Job, ProcessesTellEachOtherTheirNodesIfTheLauncherDoesNot) {
  for (const int size : {1, 2, 5}) {
    EXPECT_EQ(hydra(size, "unmapped"), 0) << size << " processes";
  }
}

TEST_F(BootPmi2Job, AFenceWaitsForTheLastProcess) { EXPECT_EQ(hydra(4, "last"), 0); }

TEST_F(BootPmi2Job, TheNewestCardIsFoundHoweverOftenEachIsReplaced) { EXPECT_EQ(hydra(4, "editions"), 0); }

TEST_F(BootPmi2Job, AProcessJoinsItsJobOnce) { EXPECT_EQ(hydra(2, "again"), 0); }

TEST_F(BootPmi2Job, AProgramThatAProcessStartsIsNotThatProcess) { EXPECT_EQ(hydra(2, "grandchild"), 0); }

TEST_F(BootPmi2Job, WithoutItsLauncherAllOthersCountAsDead) {
  const std::vector<int> codes = launch(hydra_words(3), {AVRM_PMI2_JOB, "orphaned"});
  EXPECT_NE(codes.front(), 0);
  std::vector<int> orphans(codes.begin() + 1, codes.end());
  std::sort(orphans.begin(), orphans.end());
  EXPECT_EQ(orphans, (std::vector<int>{0, 0, 0, 128 + SIGKILL})) << "hydra's part on this node is the fourth";
}

} // namespace
} // namespace avrankmap::test
