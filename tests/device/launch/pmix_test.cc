// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs under mpirun. Their processes run pmix_job.cc, which has the checks.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/hosts.h"

namespace avrankmap::test {
namespace {

class BootPmixJob : public testing::Test {
protected:
  void SetUp() override {
    if (!has_mpirun()) {
      GTEST_SKIP() << kNoMpirun;
    }
  }
};

// Runs pmix_job under mpirun. Returns the launcher's exit code, followed by the codes of the
// processes that outlived it.
std::vector<int> mpirun(int size, const std::vector<std::string> &scenario) {
  std::vector<std::string> program = {AVRM_PMIX_JOB};
  program.insert(program.end(), scenario.begin(), scenario.end());
  return launch(mpirun_words(size), program);
}

using Codes = std::vector<int>;

TEST_F(BootPmixJob, CardsReachEveryProcess) {
  for (const int size : {1, 2, 5}) {
    EXPECT_EQ(mpirun(size, {"cards"}), Codes{0}) << size << " processes";
  }
}

// Another host's cards are kept by two servers and this process.
TEST_F(BootPmixJob, CardsReachEveryProcessOfTwoHosts) {
  if (!has_hosts()) {
    GTEST_SKIP() << kNoHosts;
  }
  EXPECT_EQ(launch(two_hosts_words(), {AVRM_PMIX_JOB, "cards"}).front(), 0);
}

TEST_F(BootPmixJob, ADeathEndsTheJob) {
  // The launcher does not wait for the processes that it terminates.
  EXPECT_EQ(mpirun(3, {"dies", "exit"}).front(), 3);
  EXPECT_EQ(mpirun(3, {"dies", "kill"}).front(), 128 + SIGKILL);
}

TEST_F(BootPmixJob, AnEventTellsWhoHasDied) { EXPECT_EQ(mpirun(3, {"told"}), Codes{0}); }

TEST_F(BootPmixJob, WithoutItsLauncherAllOthersCountAsDead) {
  EXPECT_EQ(mpirun(3, {"orphaned"}), (Codes{128 + SIGKILL, 0, 0, 0}));
}

// Address sanitizer builds see what the forgotten requests held.
TEST_F(BootPmixJob, RequestsThatPmixForgetsAreFreed) {
  EXPECT_EQ(mpirun(3, {"unanswered"}), (Codes{128 + SIGKILL, 0, 0, 0}));
}

} // namespace
} // namespace avrankmap::test
