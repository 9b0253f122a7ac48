// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One fault after another: runs an attempt once without faults, which counts the calls that may
// fail; then once per call and kind of fault. By default a random sample of calls, which
// AVRM_TEST_SEED chooses; all calls with AVRM_TEST_LONG=1.
#ifndef AVRANKMAP_TESTS_FAULT_SWEEP_H
#define AVRANKMAP_TESTS_FAULT_SWEEP_H

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/device/core/process.h"
#include "tests/device/fault/faults.h"
#include "tests/support/descriptors.h"
#include "tests/support/seed.h"
#include "tests/support/shared.h"

namespace avrankmap::test {

inline const char *name_of(Fault fault) {
  switch (fault) {
  case Fault::kNoMemory: return "no memory";
  case Fault::kHard: return "hard error";
  case Fault::kPeer: return "lost peer";
  case Fault::kAgain:
  case Fault::kAgainForMemory: break;
  }
  return "again";
}

// A fault that an attempt arms.
struct Shot {
  unsigned families;
  Fault fault;
  std::int64_t point;
  std::int64_t in_a_row;
  void arm() const { test::arm(families, fault, point, in_a_row); }
};

struct SweepOptions {
  std::size_t samples = 12;  // per kind of fault, unless tests may take long
  std::int64_t in_a_row = 1; // calls that fail
};

// Position of the process that sweeps, for the process that sees it die.
inline constexpr std::size_t kPlaceBytes = 200;
inline char *place_of_death() {
  static const Shared<std::array<char, kPlaceBytes>> text;
  return text->data();
}

// `attempt(shot)` calls shot.arm() before the calls under test, and disarm() after them.
inline void sweep(unsigned families, const std::vector<Fault> &kinds, const std::function<void(const Shot &)> &attempt,
                  const SweepOptions &options = {}) {
  attempt({families, Fault::kHard, INT64_MAX, 1});
  disarm();
  const auto points = static_cast<std::int64_t>(faults().calls);
  ASSERT_GT(points, 0) << "no call that may fail was made";
  ASSERT_FALSE(testing::Test::HasFailure()) << "without any fault";
  std::mt19937_64 engine = seeded_engine();
  for (const Fault fault : kinds) {
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(points));
    for (std::int64_t point = 0; point < points; ++point) {
      chosen[static_cast<std::size_t>(point)] = point;
    }
    if (!is_long() && chosen.size() > options.samples) {
      std::shuffle(chosen.begin(), chosen.end(), engine);
      chosen.resize(options.samples);
    }
    for (const std::int64_t point : chosen) {
      std::snprintf(place_of_death(), kPlaceBytes, "%s at call %lld of %lld", name_of(fault),
                    static_cast<long long>(point), static_cast<long long>(points));
      const Shot shot{families, fault, point, options.in_a_row};
      attempt(shot);
      disarm();
      if (testing::Test::HasFailure()) {
        FAIL() << place_of_death() << (faults().failed != 0 ? ", " : ", not reached") << faults().call;
      }
    }
  }
}

// Runs `body` in a new process, which must end within the time limit. Its end also frees what the
// body leaves in other libraries.
inline void in_process(const std::function<void()> &body, unsigned seconds = kHangsAfterS) {
  *place_of_death() = '\0';
  (void)seed(); // printed once, by this process
  (void)std::fflush(nullptr);
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    alarm(is_long() ? 3000 : seconds);
    body();
    disarm();
    const testing::TestResult &result = *testing::UnitTest::GetInstance()->current_test_info()->result();
    (void)std::fflush(nullptr);
    // By exit, so that libraries clean up and leaks are found.
    std::exit(result.Failed() ? 1 : result.Skipped() ? kSkipped : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) {
    GTEST_SKIP() << "this machine lacks the transport";
  }
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << ", " << place_of_death();
  EXPECT_EQ(status, 0) << place_of_death();
}

} // namespace avrankmap::test

#endif
