// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two jobs under mpirun connect. Their processes run connect_groups_job.cc, which has the checks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/support/launch.h"
#include "tests/support/transports.h"
#include <filesystem>

namespace avrankmap::test {
namespace {

std::string quoted(const std::vector<std::string> &words) {
  std::string line;
  for (const std::string &word : words) {
    line += "'" + word + "' ";
  }
  return line;
}

class ConnectUnderMpirun : public testing::TestWithParam<Transport> {};

TEST_P(ConnectUnderMpirun, JobsConnect) {
  if (!has_mpirun()) {
    GTEST_SKIP() << kNoMpirun;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "avrm-connect-XXXXXX").string();
  ASSERT_NE(nullptr, mkdtemp(folder.data()));
  const auto job = [&](int size, const char *side) {
    return quoted(mpirun_words(size)) + quoted({AVRM_CONNECT_GROUPS_JOB, side, folder + "/port", GetParam().name});
  };
  const std::string both = job(3, "accept") + "& " + job(2, "connect") + "; code=$?; wait $! && exit $code";
  const std::vector<int> codes = launch({"bash", "-c", both}, {});
  std::filesystem::remove_all(folder);
  if (codes.front() == kSkipped) {
    GTEST_SKIP() << lacks(GetParam());
  }
  EXPECT_EQ(codes, std::vector<int>{0});
}

INSTANTIATE_TEST_SUITE_P(Over, ConnectUnderMpirun, testing::ValuesIn(transports_of(Suites::kAll, has_both)), kByName);

// Children that the launcher has started.
class SpawnUnderMpirun : public testing::Test {
protected:
  void SetUp() override {
    if (!has_mpirun()) {
      GTEST_SKIP() << kNoMpirun;
    }
  }
  static void expect_well(const char *deed) {
    const std::vector<int> codes = launch(mpirun_words(2), {AVRM_SPAWNED_JOB, "spawn", "ucx_tcp", deed});
    EXPECT_THAT(codes, testing::Each(0)); // also of processes that outlive the launcher
  }
};

TEST_F(SpawnUnderMpirun, ManyJobsInTurnAreStartedByTheLauncher) { expect_well("talk"); }
TEST_F(SpawnUnderMpirun, AProgramThatIsNotThereIsAStatus) { expect_well("absent"); }
TEST_F(SpawnUnderMpirun, ChildrenThatEndAtOnceAreAStatus) { expect_well("exit"); }
TEST_F(SpawnUnderMpirun, ChildrenThatDoNotAskForTheirParentsAreAStatus) { expect_well("silent"); }
TEST_F(SpawnUnderMpirun, AKilledChildIsAStatus) { expect_well("killed"); }
TEST_F(SpawnUnderMpirun, TimeRunsOutForChildrenThatHang) { expect_well("hang"); }
TEST_F(SpawnUnderMpirun, AChildThatDiesLaterIsAStatusOfWhatWaitsForIt) { expect_well("die"); }

} // namespace
} // namespace avrankmap::test
