// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fork launcher and its host program: processes, descriptors, output and limits.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "avrankmap/device/boot.h"
#include "tests/device/launch/job.h"
#include "tests/support/descriptors.h"

namespace {

using avrankmap::test::Job;
using avrankmap::test::open_descriptors;
using avrankmap::test::options_of;
using avrankmap::test::run_job;
using avrankmap::test::Shared;

const auto kFence = [](avrm_boot_t *boot) { return static_cast<int>(avrm_boot_fence(boot)); };

// Runs `body` in a process of its own, so that it may change limits and handlers. Returns
// its exit code.
template <typename Body> int in_own_process(Body body) {
  (void)std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    const int code = body();
    (void)std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool has_children() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

int status_of_job(std::int32_t size) { return -static_cast<int>(run_job(options_of(size), kFence).status); }

TEST(BootLauncher, LeavesNoProcessAndNoDescriptorBehind) {
  EXPECT_EQ(in_own_process([] {
              const int before = open_descriptors();
              for (int round = 0; round < 20; ++round) {
                if (!run_job(options_of(8), kFence).passed() || has_children()) {
                  return 1;
                }
              }
              return open_descriptors() == before ? 0 : 2;
            }),
            0);
}

TEST(BootLauncher, ProcessesInheritNoDescriptorOfTheLauncher) {
  const int before = open_descriptors();
  const Job job = run_job(options_of(4), [&](avrm_boot_t *boot) {
    AVRM_EXPECT(open_descriptors() == before);
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootLauncher, LeavesOtherChildrenAlone) {
  EXPECT_EQ(in_own_process([] {
              const pid_t other = fork();
              if (other == 0) {
                _exit(42);
              }
              if (!run_job(options_of(4), kFence).passed()) {
                return 1;
              }
              int status = 0;
              return waitpid(other, &status, 0) == other && WEXITSTATUS(status) == 42 ? 0 : 2;
            }),
            0);
}

TEST(BootLauncher, AJobMayRunAJob) {
  const Job job = run_job(options_of(3), [](avrm_boot_t *boot) {
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    const std::int32_t outer = avrm_boot_rank(boot);
    const Job inner = run_job(options_of(outer + 1), [outer](avrm_boot_t *boot) {
      AVRM_EXPECT(avrm_boot_size(boot) == outer + 1);
      AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
      return 0;
    });
    AVRM_EXPECT(inner.passed());
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootLauncher, ItsProcessesDieWithIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Shared<std::atomic<int>> started;
  (void)std::fflush(nullptr);
  const pid_t launcher = fork();
  if (launcher == 0) {
    close(ends[0]);
    run_job(options_of(4), [&](avrm_boot_t *) -> int {
      ++*started;
      for (;;) {
        pause();
      }
    });
    _exit(0);
  }
  close(ends[1]);
  while (*started < 4) {
    avrankmap::test::pause_a_moment();
  }
  (void)kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  // The pipe has no writer once all processes have ended.
  pollfd entry = {.fd = ends[0], .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&entry, 1, 60000), 1);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(BootLauncher, OutputIsWrittenOnceAndWhole) {
  std::FILE *const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  (void)std::fputs("before\n", file); // still in the buffer when the job is forked
  const Job job = run_job(options_of(3), [&](avrm_boot_t *boot) {
    for (std::int32_t turn = 0; turn < 3; ++turn) {
      if (turn == avrm_boot_rank(boot)) {
        (void)std::fprintf(file, "%d\n", turn);
        if (turn != 2) {
          (void)std::fflush(file);
        }
      }
      AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    }
    return 0;
  });
  EXPECT_TRUE(job.passed());
  std::string text(64, '\0');
  text.resize(static_cast<std::size_t>(pread(fileno(file), text.data(), text.size(), 0)));
  EXPECT_EQ(text, "before\n0\n1\n2\n");
  (void)std::fclose(file);
}

TEST(BootLauncher, BadArgumentsAreStatuses) {
  const auto body = [](avrm_boot_t *, void *) { return 0; };
  avrm_fork_options_t options = options_of(1);
  EXPECT_EQ(avrm_boot_fork_run(nullptr, body, nullptr, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_fork_run(&options, nullptr, nullptr, nullptr), AVRM_ERR_NULL);
  for (const std::int32_t size : {0, -1, INT32_MIN}) {
    options = options_of(size);
    EXPECT_EQ(avrm_boot_fork_run(&options, body, nullptr, nullptr), AVRM_ERR_SIZE);
  }
  options = options_of(1);
  options.per_node = -1;
  EXPECT_EQ(avrm_boot_fork_run(&options, body, nullptr, nullptr), AVRM_ERR_SIZE);
  options = options_of(1);
  options.timeout_ms = -1;
  EXPECT_EQ(avrm_boot_fork_run(&options, body, nullptr, nullptr), AVRM_ERR_SIZE);
}

TEST(BootLauncher, ExitCodesNeedNotBeAskedFor) {
  const auto body = [](avrm_boot_t *, void *user) { return *static_cast<int *>(user); };
  const avrm_fork_options_t options = options_of(2);
  int code = 7;
  EXPECT_EQ(avrm_boot_fork_run(&options, body, &code, nullptr), AVRM_OK);
}

TEST(BootLauncher, AForkedBootIsNotClosed) {
  const Job job = run_job(options_of(2), [](avrm_boot_t *boot) {
    avrm_boot_close(boot);
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootLauncher, TooManyProcessesAreASystemError) {
  EXPECT_EQ(in_own_process([] {
              // The limit is per user, and root has none.
              if (geteuid() == 0 && setuid(65534) != 0) {
                return 1;
              }
              const rlimit limit = {3, 3};
              (void)setrlimit(RLIMIT_NPROC, &limit);
              return status_of_job(8) == -AVRM_ERR_SYSTEM && !has_children() ? 0 : 2;
            }),
            0);
}

TEST(BootLauncher, TooFewDescriptorsAreASystemError) {
  EXPECT_EQ(in_own_process([] {
              const rlimit limit = {static_cast<rlim_t>(open_descriptors()) + 4, 64};
              (void)setrlimit(RLIMIT_NOFILE, &limit);
              return status_of_job(8) == -AVRM_ERR_SYSTEM && !has_children() ? 0 : 2;
            }),
            0);
}

TEST(BootLauncher, TooLittleAddressSpaceIsOutOfMemory) {
  EXPECT_EQ(in_own_process([] {
              const rlimit limit = {rlim_t{1} << 20, rlim_t{1} << 20};
              (void)setrlimit(RLIMIT_AS, &limit);
              return status_of_job(1) == -AVRM_ERR_NO_MEMORY ? 0 : 2;
            }),
            0);
}

TEST(BootLauncher, IgnoringChildrenIsASystemError) {
  EXPECT_EQ(in_own_process([] {
              (void)signal(SIGCHLD, SIG_IGN);
              return status_of_job(2) == -AVRM_ERR_SYSTEM ? 0 : 1;
            }),
            0);
}

} // namespace
