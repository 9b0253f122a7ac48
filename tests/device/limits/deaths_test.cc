// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Deaths that the launcher hides from a process that cannot open a descriptor for those it watches.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>

#include "tests/device/limits/low_limit.h"
#include "tests/device/liveness/ring/silent_job.h"
#include "tests/support/refuse_call.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

class DeathsOfFewDescriptors : public testing::Test {
protected:
  void SetUp() override {
    if (kSanitized) {
      GTEST_SKIP() << "the sanitizer opens a pipe to check an object";
    }
  }
  // Process 1 dies once the flag is set, which process 0 does in `body`.
  void run(const std::function<void(Process &)> &body) {
    SilentJob job{&transport_named("posix"), 2, {1}, "no"};
    job.body = [&](Process &process) {
      while (process.rank == 1) {
        usleep(100);
        if (*may_die_) {
          die();
        }
      }
      body(process);
    };
    run_silent_job(job);
  }
  static void look(Process &process) {
    usleep(15000); // it looks at most every 10 ms
    process.device->failure_detector.look(process.device);
  }
  static void await_death(Process &process) {
    while (!avrm_boot_has_failed(process.boot, 1)) {
      look(process);
    }
  }

  const Shared<std::atomic<bool>> may_die_;
};

TEST_F(DeathsOfFewDescriptors, AreNoticedWhereNoneIsFree) {
  run([this](Process &process) {
    const LowLimit limit(RLIMIT_NOFILE, 64);
    const FewDescriptors none(0);
    process.device->failure_detector.add_all_soon();
    look(process);
    AVRM_MUST(!process.device->failure_detector.has(1));
    *may_die_ = true;
    await_death(process);
  });
}

TEST_F(DeathsOfFewDescriptors, AreWatchedForOnceThereAreSomeAgain) {
  run([this](Process &process) {
    process.device->failure_detector.add_all_soon();
    for (int free = 0; !process.device->failure_detector.has(1); ++free) {
      const LowLimit limit(RLIMIT_NOFILE, 64);
      const FewDescriptors few(free);
      look(process);
    }
    *may_die_ = true;
    await_death(process);
  });
}

// As if it ended, and were reaped, between the two calls that open it.
TEST(OpeningAProcess, FindsThatItHasEndedMeanwhile) {
  const pid_t other = fork();
  if (other == 0) {
    _exit(0);
  }
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(other), &info, WEXITED | WNOWAIT), 0);
  const pid_t opener = fork();
  if (opener == 0) {
    _exit(!refuse_call(SYS_openat, ENOENT) ? 77 : detail::open_process({other, 0, 1}) == detail::kGone ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(opener, &status, 0), opener);
  EXPECT_EQ(waitpid(other, nullptr, 0), other);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    GTEST_SKIP() << "no filter can be set here";
  }
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace avrankmap::test
