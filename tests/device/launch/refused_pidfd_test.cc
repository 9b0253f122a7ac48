// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Forked jobs where the system has no descriptors of processes: Linux before 5.3, valgrind, and
// filters of containers.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "tests/device/launch/job.h"
#include "tests/support/refuse_call.h"

namespace avrankmap::test {
namespace {

class RefusedPidfd : public testing::TestWithParam<int> {
protected:
  // In a process of its own, as no filter can be removed.
  static void expect(bool (*holds)()) {
    const pid_t pid = fork();
    if (pid == 0) {
      _exit(!refuse_call(SYS_pidfd_open, GetParam()) ? 77 : holds() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
      GTEST_SKIP() << "no filter can be set here";
    }
    EXPECT_EQ(status, 0);
  }
};
INSTANTIATE_TEST_SUITE_P(With, RefusedPidfd, testing::Values(ENOSYS, EPERM));

TEST_P(RefusedPidfd, CodesArrive) {
  expect([] {
    const Job job = run_job(options_of(3), [](avrm_boot_t *boot) { return 3 * avrm_boot_rank(boot); });
    return job.status == AVRM_OK && job.codes == std::vector<std::int32_t>{0, 3, 6};
  });
}

TEST_P(RefusedPidfd, DeathsAreReportedToTheOthers) {
  expect([] {
    const Job job = run_job(options_of(3), [](avrm_boot_t *boot) {
      if (avrm_boot_rank(boot) == 1) {
        raise(SIGKILL);
      }
      wait_for_failures(boot, 1);
      AVRM_EXPECT(avrm_boot_has_failed(boot, 1));
      return 0;
    });
    return job.status == AVRM_OK && job.codes == std::vector<std::int32_t>{0, 128 + SIGKILL, 0};
  });
}

TEST_P(RefusedPidfd, TheFirstDeathEndsTheJobIfItIsToldSo) {
  expect([] {
    avrm_fork_options_t options = options_of(3);
    options.kill_on_failure = 1;
    const Job job = run_job(options, [](avrm_boot_t *boot) {
      if (avrm_boot_rank(boot) == 2) {
        return 5;
      }
      for (;;) {
        pause_a_moment();
      }
    });
    return job.status == AVRM_OK && job.codes == std::vector<std::int32_t>{128 + SIGKILL, 128 + SIGKILL, 5};
  });
}

TEST_P(RefusedPidfd, AJobEndsAlthoughAnotherThreadHasReapedItsProcesses) {
  expect([] {
    std::atomic<bool> is_over{false};
    std::thread reaper([&is_over] {
      while (!is_over) {
        if (waitpid(-1, nullptr, 0) < 0) { // there is none at the moment
          pause_a_moment();
        }
      }
    });
    const Job job = run_job(options_of(8), [](avrm_boot_t * /*boot*/) { return 0; });
    is_over = true;
    reaper.join();
    return job.status == AVRM_OK;
  });
}

TEST_P(RefusedPidfd, AJobEndsInTime) {
  expect([] {
    avrm_fork_options_t options = options_of(2);
    options.timeout_ms = 30;
    const Job job = run_job(options, [](avrm_boot_t * /*boot*/) {
      for (;;) {
        pause_a_moment();
      }
      return 0;
    });
    return job.status == AVRM_ERR_TIMEOUT;
  });
}

} // namespace
} // namespace avrankmap::test
