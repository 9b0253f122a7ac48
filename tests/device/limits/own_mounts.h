// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process that has file systems of its own mounted.
#ifndef AVRANKMAP_TESTS_LIMITS_OWN_MOUNTS_H
#define AVRANKMAP_TESTS_LIMITS_OWN_MOUNTS_H

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "tests/support/transports.h"

namespace avrankmap::test {

// Runs `function` in a new process after `mounts`, which changes nothing for other processes. Skips
// the test if either is not allowed.
inline void with_own_mounts(const std::function<bool()> &mounts, const std::function<void()> &function) {
  (void)std::fflush(nullptr);
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 || !mounts()) {
      _exit(kSkipped);
    }
    function();
    (void)std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) {
    GTEST_SKIP() << "this process may not mount";
  }
  EXPECT_EQ(status, 0);
}

} // namespace avrankmap::test

#endif
