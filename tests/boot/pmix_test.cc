// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs that mpirun starts. What their processes see is checked by pmix_job.cc.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

class BootPmixJob : public testing::Test {
protected:
  void SetUp() override {
    if (std::string_view(AVRM_MPIRUN).empty()) {
      GTEST_SKIP() << "Open MPI's mpirun was not found at configure time (Debian and Ubuntu: openmpi-bin)";
    }
  }
};

int wait_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// Runs pmix_job under mpirun. Returns the launcher's exit code, followed by those of the processes
// that outlived it.
std::vector<int> mpirun(int size, const std::vector<std::string> &scenario) {
  std::vector<std::string> words = {AVRM_MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", std::to_string(size)};
  if (geteuid() == 0) {
    words.emplace_back("--allow-run-as-root");
  }
  words.emplace_back(AVRM_PMIX_JOB);
  words.insert(words.end(), scenario.begin(), scenario.end());
  std::vector<char *> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string &word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);

  // Orphans become children of this process. Each of them ends by itself, if need be by an alarm.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t launcher = 0;
  if (posix_spawnp(&launcher, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
    return {-1};
  }
  int status = 0;
  std::vector<int> codes(1);
  for (pid_t pid = waitpid(-1, &status, 0); pid > 0; pid = waitpid(-1, &status, 0)) {
    if (pid == launcher) {
      codes[0] = wait_code(status);
    } else {
      codes.push_back(wait_code(status));
    }
  }
  return codes;
}

using Codes = std::vector<int>;

TEST_F(BootPmixJob, CardsReachEveryProcess) {
  for (const int size : {1, 2, 5}) {
    EXPECT_EQ(mpirun(size, {"cards"}), Codes{0}) << size << " processes";
  }
}

TEST_F(BootPmixJob, ADeathEndsTheJob) {
  // The launcher does not wait for the others, which it terminates.
  EXPECT_EQ(mpirun(3, {"dies", "exit"}).front(), 3);
  EXPECT_EQ(mpirun(3, {"dies", "kill"}).front(), 128 + SIGKILL);
}

TEST_F(BootPmixJob, AnEventTellsWhoHasDied) { EXPECT_EQ(mpirun(3, {"told"}), Codes{0}); }

TEST_F(BootPmixJob, WithoutItsLauncherAJobHasNoFence) {
  EXPECT_EQ(mpirun(3, {"orphaned"}), (Codes{128 + SIGKILL, 0, 0, 0}));
}

} // namespace
