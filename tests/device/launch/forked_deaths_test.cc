// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Forked jobs in which processes die, leave, or hang.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "avrankmap/device/boot.h"
#include "tests/device/launch/job.h"

namespace {

using avrankmap::test::fetch;
using avrankmap::test::Job;
using avrankmap::test::options_of;
using avrankmap::test::pause_a_moment;
using avrankmap::test::publish;
using avrankmap::test::run_job;
using avrankmap::test::Shared;
using avrankmap::test::wait_for_failures;
using Codes = std::vector<std::int32_t>;

// Ways for a process to die, and the exit code of each.
struct Death {
  const char *name;
  int (*die)();
  std::int32_t code;
};

class BootDeath : public testing::TestWithParam<Death> {};
INSTANTIATE_TEST_SUITE_P(Ways, BootDeath,
                         testing::Values(Death{"ReturnsThree", [] { return 3; }, 3},
                                         Death{"CallsExit", []() -> int { _exit(4); }, 4},
                                         // Its body has not returned, so its work may
                                         // be incomplete.
                                         Death{"CallsExitWithZero", []() -> int { _exit(0); }, 0},
                                         Death{"IsKilled", [] { return kill(getpid(), SIGKILL); }, 128 + SIGKILL},
                                         Death{"IsTerminated", [] { return kill(getpid(), SIGTERM); }, 128 + SIGTERM}),
                         [](const testing::TestParamInfo<Death> &info) { return info.param.name; });

TEST_P(BootDeath, IsReportedToEveryProcessAndByTheExitCode) {
  const Job job = run_job(options_of(4), [](avrm_boot_t *boot) {
    AVRM_EXPECT(publish(boot, 0, "card") == AVRM_OK);
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    if (avrm_boot_rank(boot) == 2) {
      return GetParam().die();
    }
    wait_for_failures(boot, 1);
    AVRM_EXPECT(avrm_boot_failures(boot) == 1);
    for (std::int32_t peer = -1; peer <= 4; ++peer) {
      AVRM_EXPECT(avrm_boot_has_failed(boot, peer) == (peer == 2));
    }
    AVRM_EXPECT(fetch(boot, 2, 0) == "AVRM_ERR_PEER");
    AVRM_EXPECT(fetch(boot, 1, 0) == "card");
    return 0;
  });
  EXPECT_EQ(job.status, AVRM_OK);
  EXPECT_EQ(job.codes, (Codes{0, 0, GetParam().code, 0}));
}

TEST_P(BootDeath, BreaksAFenceThatIsTested) {
  const Job job = run_job(options_of(3), [](avrm_boot_t *boot) {
    if (avrm_boot_rank(boot) == 1) {
      return GetParam().die();
    }
    avrm_status_t status = avrm_boot_fence_start(boot);
    for (bool done = false; status == AVRM_OK && !done;) {
      status = avrm_boot_fence_test(boot, &done);
      AVRM_EXPECT(status == AVRM_OK || done);
    }
    AVRM_EXPECT(status == AVRM_ERR_PEER);
    AVRM_EXPECT(avrm_boot_has_failed(boot, 1));
    return 0;
  });
  EXPECT_EQ(job.status, AVRM_OK);
  EXPECT_EQ(job.codes, (Codes{0, GetParam().code, 0}));
}

TEST_P(BootDeath, BreaksFencesForGood) {
  const Job job = run_job(options_of(8), [](avrm_boot_t *boot) {
    if (avrm_boot_rank(boot) == 5) {
      return GetParam().die();
    }
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_PEER);
    // When a fence fails, the process that caused it is known.
    AVRM_EXPECT(avrm_boot_has_failed(boot, 5));
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_PEER);
    return 0;
  });
  EXPECT_EQ(job.status, AVRM_OK);
  EXPECT_EQ(job.codes, (Codes{0, 0, 0, 0, 0, GetParam().code, 0, 0}));
}

TEST_P(BootDeath, AfterAFenceDoesNotBreakThatFence) {
  for (int round = 0; round < 20; ++round) {
    const Job job = run_job(options_of(6), [](avrm_boot_t *boot) {
      AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
      return avrm_boot_rank(boot) == 0 ? GetParam().die() : 0;
    });
    ASSERT_EQ(job.codes, (Codes{GetParam().code, 0, 0, 0, 0, 0}));
  }
}

TEST_P(BootDeath, OfTheFirstEndsTheJobIfItIsToldSo) {
  avrm_fork_options_t options = options_of(4);
  options.kill_on_failure = 1;
  const Job job = run_job(options, [](avrm_boot_t *boot) {
    if (avrm_boot_rank(boot) == 1) {
      return GetParam().die();
    }
    for (;;) {
      pause();
    }
  });
  EXPECT_EQ(job.status, AVRM_OK);
  EXPECT_EQ(job.codes, (Codes{137, GetParam().code, 137, 137}));
}

TEST(ForkedDeaths, AProcessThatIsKilledInAFenceBreaksItForAll) {
  const Shared<std::atomic<pid_t>> victim;
  const Job job = run_job(options_of(5), [&](avrm_boot_t *boot) {
    if (avrm_boot_rank(boot) == 1) {
      *victim = getpid();
    }
    if (avrm_boot_rank(boot) == 0) {
      while (*victim == 0) {
        pause_a_moment();
      }
      // It is in the fence or about to enter; it does not come out before rank 0 enters, too.
      pause_a_moment();
      (void)kill(*victim, SIGKILL);
      wait_for_failures(boot, 1);
    }
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_PEER);
    AVRM_EXPECT(avrm_boot_has_failed(boot, 1));
    return 0;
  });
  EXPECT_EQ(job.codes, (Codes{0, 137, 0, 0, 0}));
}

TEST(ForkedDeaths, AllProcessesOfAFenceAgreeOnItsOutcome) {
  for (int round = 0; round < 50; ++round) {
    const Shared<std::array<std::atomic<int>, 2>> outcomes;
    const Job job = run_job(options_of(6), [&](avrm_boot_t *boot) {
      if (avrm_boot_rank(boot) == 3) {
        // Dies about when the others meet: before, in or after the fence.
        std::thread([] { (void)kill(getpid(), SIGKILL); }).detach();
      }
      ++(*outcomes)[avrm_boot_fence(boot) == AVRM_OK];
      return 0;
    });
    const int broken = (*outcomes)[0];
    const int complete = (*outcomes)[1];
    ASSERT_TRUE((broken == 0 && complete >= 5) || (complete == 0 && broken >= 5)) << broken << ' ' << complete;
  }
}

TEST(ForkedDeaths, AProcessThatHasLeftBreaksTheFenceButHasNotFailed) {
  const Job job = run_job(options_of(4), [](avrm_boot_t *boot) {
    AVRM_EXPECT(publish(boot, 0, "card") == AVRM_OK);
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    if (avrm_boot_rank(boot) == 3) {
      return 0;
    }
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_ERR_PEER);
    AVRM_EXPECT(avrm_boot_failures(boot) == 0);
    AVRM_EXPECT(fetch(boot, 3, 0) == "card");
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(ForkedDeaths, EveryDeathIsCounted) {
  const Job job = run_job(options_of(16), [](avrm_boot_t *boot) {
    if (avrm_boot_rank(boot) % 2 == 1) {
      return avrm_boot_rank(boot);
    }
    wait_for_failures(boot, 8);
    for (std::int32_t peer = 0; peer < 16; ++peer) {
      AVRM_EXPECT(avrm_boot_has_failed(boot, peer) == (peer % 2 == 1));
    }
    return 0;
  });
  EXPECT_EQ(job.status, AVRM_OK);
  EXPECT_EQ(job.codes, (Codes{0, 1, 0, 3, 0, 5, 0, 7, 0, 9, 0, 11, 0, 13, 0, 15}));
}

TEST(ForkedDeaths, AJobThatTakesTooLongIsKilled) {
  avrm_fork_options_t options = options_of(3);
  options.timeout_ms = 20;
  const Shared<std::array<std::atomic<pid_t>, 3>> pids;
  const Job job = run_job(options, [&](avrm_boot_t *boot) {
    (*pids)[avrm_boot_rank(boot)] = getpid();
    for (;;) {
      pause();
    }
    return 0;
  });
  EXPECT_EQ(job.status, AVRM_ERR_TIMEOUT);
  EXPECT_EQ(job.codes, (Codes{-1, -1, -1}));
  for (const std::atomic<pid_t> &pid : *pids) {
    EXPECT_TRUE(pid == 0 || kill(pid, 0) != 0);
  }
}

TEST(ForkedDeaths, AJobInTimeIsNotKilled) {
  avrm_fork_options_t options = options_of(2);
  options.timeout_ms = INT32_MAX;
  EXPECT_TRUE(run_job(options, [](avrm_boot_t *boot) { return static_cast<int>(avrm_boot_fence(boot)); }).passed());
}

TEST(ForkedDeaths, ExitCodesOutsideOfAByteAreFailures) {
  const Job job = run_job(options_of(5), [](avrm_boot_t *boot) {
    const int codes[] = {0, 255, 256, -1, 1 << 30};
    return codes[avrm_boot_rank(boot)];
  });
  EXPECT_EQ(job.codes, (Codes{0, 255, 255, 255, 255}));
}

TEST(ForkedDeaths, AnExceptionEndsItsProcess) {
  const Job job = run_job(options_of(2), [](avrm_boot_t *boot) -> int {
    if (avrm_boot_rank(boot) == 1) {
      throw std::runtime_error("thrown by a test, on purpose");
    }
    return avrm_boot_fence(boot) == AVRM_ERR_PEER ? 0 : 1;
  });
  EXPECT_EQ(job.codes, (Codes{0, 128 + SIGABRT}));
}

} // namespace
