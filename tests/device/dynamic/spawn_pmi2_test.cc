// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs of PMI-2 launchers spawn others. Their processes run spawned_job.cc, which has the checks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/support/hosts.h"
#include "tests/support/launch.h"

namespace avrankmap::test {
namespace {

class SpawnUnderHydra : public testing::Test {
protected:
  void SetUp() override {
    if (!has_hydra()) {
      GTEST_SKIP() << kNoHydra;
    }
  }
  static void expect_well(const char *transport, const char *deed) {
    const std::vector<int> codes = launch(hydra_words(2), {AVRM_SPAWNED_JOB, "spawn", transport, deed, "pmi2"});
    EXPECT_THAT(codes, testing::Each(0));
  }
};

TEST_F(SpawnUnderHydra, ManyJobsInTurnAreStartedByTheLauncher) { expect_well("ucx_tcp", "talk"); }
TEST_F(SpawnUnderHydra, ChildrenShareMemoryAmongThem) { expect_well("ofi_tcp_and_posix", "words"); }
TEST_F(SpawnUnderHydra, AProgramThatIsNotThereIsAStatus) { expect_well("ucx_tcp", "absent"); }
TEST_F(SpawnUnderHydra, TimeRunsOutForChildrenThatDoNotAskForTheirParents) { expect_well("ucx_tcp", "silent"); }
TEST_F(SpawnUnderHydra, ChildrenThatEndAtOnceAreATimeoutAlsoWithoutATimeInTheCall) {
  setenv("AVRM_OPEN_TIMEOUT", "5", 1);
  expect_well("ucx_tcp", "exit");
  unsetenv("AVRM_OPEN_TIMEOUT");
}

TEST(SpawnUnderSlurm, ChildrenAreAStepThatOverlapsThatOfTheirParents) {
  if (*AVRM_SRUN == '\0') {
    GTEST_SKIP() << "srun was not found at configure time (Debian and Ubuntu: slurm-client)";
  }
  if (!has_hosts()) {
    GTEST_SKIP() << kNoHosts;
  }
  Words words = on_hosts(1, {"--slurm"});
  words.insert(words.end(), {"env", "SLURM_OVERLAP=1", AVRM_SRUN, "--mpi=pmi2", "-n", "2"});
  EXPECT_EQ(launch(words, {AVRM_SPAWNED_JOB, "spawn", "ucx_tcp", "words", "pmi2"}).front(), 0);
}

} // namespace
} // namespace avrankmap::test
