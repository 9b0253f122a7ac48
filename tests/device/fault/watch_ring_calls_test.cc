// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ring (src/device/liveness/ring) while memory and system calls fail, call by call. A process
// that cannot be watched says so, and one that is short of something for a while misses no death.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/device/fault/failing_memory.h"
#include "tests/device/fault/sweep.h"
#include "tests/device/liveness/ring/lone_member.h"
#include "tests/device/liveness/ring/silent_job.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

std::ptrdiff_t threads() {
  using Threads = std::filesystem::directory_iterator;
  return std::distance(Threads("/proc/self/task"), Threads());
}

// Listens on loopback, or everywhere.
class ListeningWatchRing : public testing::TestWithParam<bool> {};

TEST_P(ListeningWatchRing, TellsWhatKeepsTheProcessFromBeingWatchedAndLeaksNothing) {
  in_process([] {
    sweep(kSystem | kMemory, {Fault::kHard, Fault::kNoMemory, Fault::kAgain},
          [](const Shot &shot) {
            FailingMemory memory;
            const avrm_allocator_t hooks = memory.hooks();
            LoneMember member(4, GetParam());
            const int descriptors = open_descriptors();
            const std::ptrdiff_t threads_before = threads();
            shot.arm();
            const avrm_status_t status = member.open(&hooks);
            disarm();
            EXPECT_TRUE(is_clear(status)) << avrm_status_name(status);
            if (status == AVRM_OK) {
              EXPECT_NE(member.post().name.count == 0, member.reports() == 0);
              EXPECT_EQ(member.close(), AVRM_OK);
            } else {
              EXPECT_NE(faults().failed, 0U);
              EXPECT_EQ(member.device(), nullptr);
            }
            EXPECT_EQ(memory.books.live_bytes(), 0U);
            EXPECT_EQ(open_descriptors(), descriptors);
            EXPECT_EQ(threads(), threads_before);
            ASSERT_EQ(member.open(&hooks), AVRM_OK) << "at the second attempt";
            EXPECT_EQ(member.close(), AVRM_OK);
          },
          {.samples = 100});
  });
}

INSTANTIATE_TEST_SUITE_P(Listening, ListeningWatchRing, testing::Bool(),
                         [](const auto &info) { return info.param ? "OnLoopback" : "Everywhere"; });

// A job of three, of which process 0 is short of something until all watch one another. Then
// `victim` dies.
void lose(int victim, const Shot &shot) {
  const Shared<Looks> looks;
  const Shared<std::uint64_t> calls;
  SilentJob job{&kNull, 3, {victim}, "sockets"};
  job.body = [&](Process &process) {
    if (process.rank == 0) {
      shot.arm();
    }
    look_together(process, *looks, 10);
    disarm();
    look_together(process, *looks, 10);
    if (process.rank == 0) {
      *calls = faults().calls;
    }
    if (process.rank == victim) {
      die();
    }
    while (!avrm_boot_has_failed(process.boot, victim)) {
      process.device->watch_ring->look(process.device);
      usleep(300);
    }
    AVRM_MUST(avrm_boot_failures(process.boot) == 1);
  };
  run_silent_job(job);
  faults() = {};
  faults().calls = *calls; // they were counted in process 0
}

class FailingWatchRing : public testing::TestWithParam<int> {};

TEST_P(FailingWatchRing, MissesNoDeathBecauseACallFailed) {
  sweep(kSystem, {Fault::kHard, Fault::kAgain}, [](const Shot &shot) { lose(GetParam(), shot); }, {.samples = 8});
}

INSTANTIATE_TEST_SUITE_P(Of, FailingWatchRing, testing::Values(0, 1),
                         [](const auto &info) { return info.param == 0 ? "TheProcessItself" : "WhomItWatches"; });

} // namespace
} // namespace avrankmap::test
