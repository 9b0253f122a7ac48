// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two jobs of a PMIx launcher meet. What the processes check is in meeting_job.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string_view>

#include "tests/support/launch.h"

namespace avrankmap::test {
namespace {

std::string quoted(const std::vector<std::string> &words) {
  std::string line;
  for (const std::string &word : words) {
    line += "'" + word + "' ";
  }
  return line;
}

void expect_meeting(const char *netmod, const char *provider) {
  if (std::string_view(AVRM_MPIRUN).empty()) {
    GTEST_SKIP() << "Open MPI's mpirun was not found at configure time (Debian and Ubuntu: openmpi-bin)";
  }
  std::string folder = (std::filesystem::temp_directory_path() / "avrm-meeting-XXXXXX").string();
  ASSERT_NE(nullptr, mkdtemp(folder.data()));
  const auto job = [&](int size, const char *side) {
    return quoted(mpirun_words(size)) + quoted({AVRM_MEETING_JOB, side, folder + "/port", netmod, provider});
  };
  const std::string both = job(3, "accept") + "& " + job(2, "connect") + "; code=$?; wait $! && exit $code";
  const std::vector<int> codes = launch({"bash", "-c", both}, {});
  std::filesystem::remove_all(folder);
  if (codes.front() == 77) {
    GTEST_SKIP() << "this machine lacks " << netmod << " with " << provider;
  }
  EXPECT_EQ(codes, std::vector<int>{0});
}

TEST(MeetingUnderMpirun, OverLibfabric) { expect_meeting("ofi", "tcp;ofi_rxm"); }
TEST(MeetingUnderMpirun, OverUcx) { expect_meeting("ucx", "tcp,self"); }

// What children do after the launcher has started them.
class SpawnUnderMpirun : public testing::Test {
protected:
  void SetUp() override {
    if (std::string_view(AVRM_MPIRUN).empty()) {
      GTEST_SKIP() << "Open MPI's mpirun was not found at configure time (Debian and Ubuntu: openmpi-bin)";
    }
  }
  static void expect_well(const char *deed) {
    const std::vector<int> codes =
        launch(mpirun_words(2), {AVRM_SPAWNED_JOB, "spawn", "ucx", "tcp,self", "none", deed});
    EXPECT_THAT(codes, testing::Each(0)); // of processes that outlive the launcher, too
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
