// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Deaths that the launcher hides from processes that send nothing to the dead. Those of another
// node are found by the ring alone.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "avrankmap/device/comm.h"
#include "avrankmap/device/ft.h"
#include "core/device.h"
#include "tests/device/launch/job.h"
#include "tests/device/liveness/ring/lone_member.h"
#include "tests/device/liveness/ring/silent_job.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

class HiddenDeaths : public testing::TestWithParam<Transport> {};

// Nobody has contacted anybody.
void wait_for(Process &process, int victim) {
  while (!avrm_boot_has_failed(process.boot, victim)) {
    avrm_progress(process.device);
  }
  Buffer in(8);
  avrm_request_t *request = nullptr;
  const avrm_status_t status = avrm_irecv(process.world, in.data(), in.size(), victim, 1, &request);
  AVRM_MUST(status == AVRM_ERR_PEER || (status == AVRM_OK && avrm_wait(&request, nullptr) == AVRM_ERR_PEER));
}

void lose(const Transport &transport, int size, const std::vector<int> &victims, const char *ring = "yes") {
  const Shared<Looks> looks;
  SilentJob job{&transport, size, victims, ring};
  job.body = [&](Process &process) {
    look_together(process, *looks);
    const bool is_neighbour_watched = process.device->failure_detector.has((process.rank + 1) % size);
    AVRM_MUST(ring != std::string("sockets") || !is_neighbour_watched);
    if (job.is_victim(process.rank)) {
      die();
    }
    for (const int victim : victims) {
      wait_for(process, victim);
    }
    leave_together(process);
  };
  run_silent_job(job);
}

TEST_P(HiddenDeaths, AreFoundByWhoNeverMetTheDead) { lose(GetParam(), 4, {2}); }
TEST_P(HiddenDeaths, OfAWatcherAndWhomItWatchesAreFound) { lose(GetParam(), 8, {3, 4, 5}); }
TEST_P(HiddenDeaths, OfAllBetweenTwoSurvivorsAreFound) { lose(GetParam(), 8, {1, 2, 3, 5, 6, 7}); }
TEST_P(HiddenDeaths, WithinANodeAreFoundByConnections) { lose(GetParam(), 4, {0, 3}, "sockets"); }

// The victim's message is awaited by rank 0, for which all others wait in a barrier without it.
TEST_P(HiddenDeaths, EndABarrierOfOthersThatOneOfThemIsLateFor) {
  const Shared<Looks> looks;
  SilentJob job{&GetParam(), 6, {3}};
  job.body = [&](Process &process) {
    look_together(process, *looks);
    avrm_comm_t *others = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, process.rank == 3 ? AVRM_UNDEFINED : 0, 0, &others) == AVRM_OK);
    Buffer in(8);
    avrm_request_t *request = nullptr;
    AVRM_MUST(process.rank != 0 || avrm_irecv(process.world, in.data(), in.size(), 3, 1, &request) == AVRM_OK);
    fence(process);
    if (process.rank == 3) {
      progress_for(process, 100); // mostly until the others wait
      die();
    }
    AVRM_MUST(process.rank != 0 || avrm_wait(&request, nullptr) == AVRM_ERR_PEER);
    AVRM_MUST(avrm_barrier(others) == AVRM_OK);
    leave_together(process);
    AVRM_MUST(avrm_comm_free(others) == AVRM_OK);
  };
  run_silent_job(job);
}

INSTANTIATE_TEST_SUITE_P(Over, HiddenDeaths, testing::ValuesIn(transports_of(Suites::kAll, has_network)), kByName);

TEST(WatchRing, FindsManyDeathsAmongSixteen) {
  std::vector<int> victims;
  for (int rank = 0; rank < 16; ++rank) {
    if (rank % 5 != 4) {
      victims.push_back(rank);
    }
  }
  // Not over UCX, which aborts now and then when many of its connections break at once.
  lose(transport_named("ofi_tcp_and_posix"), 16, victims);
}

TEST(WatchRing, WakesAReceiveThatSleeps) {
  const Transport &transport = transport_named("ofi_tcp");
  const Shared<Looks> looks;
  SilentJob job{&transport, 4, {2}};
  job.body = [&](Process &process) {
    look_together(process, *looks);
    Buffer in(8);
    avrm_request_t *request = nullptr;
    AVRM_MUST(process.rank == 2 || avrm_irecv(process.world, in.data(), in.size(), 2, 1, &request) == AVRM_OK);
    fence(process);
    if (process.rank == 2) {
      progress_for(process, 100); // mostly until the others sleep
      die();
    }
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_PEER);
    leave_together(process);
  };
  run_silent_job(job);
}

bool is_stopped(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state == "T";
}

TEST(WatchRing, SuspectsNobodyWhoIsStoppedOrComputes) {
  const Transport &transport = transport_named("ofi_tcp");
  const Shared<std::atomic<pid_t>> stopped;
  SilentJob job{&transport, 4};
  job.body = [&](Process &process) {
    progress_for(process, 100);
    barrier(process);
    if (process.rank == 1) {
      *stopped = getpid();
      raise(SIGSTOP);
    } else if (process.rank == 2) {
      sleep(2); // makes no progress
    } else {
      while (process.rank == 0 && !is_stopped(*stopped)) {
        progress_for(process, 1);
      }
      progress_for(process, 1500);
    }
    if (process.rank == 0) {
      kill(*stopped, SIGCONT);
    }
    AVRM_MUST(avrm_boot_failures(process.boot) == 0);
    barrier(process);
  };
  run_silent_job(job);
}

// Some are gone while others have not looked at them yet.
TEST(WatchRing, TakesNoCloseForADeath) {
  for (const int milliseconds : {0, 1, 5, 30}) {
    for (const char *const ring : {"yes", "sockets"}) {
      const Transport &transport = transport_named("ucx_tcp_and_posix");
      SilentJob job{&transport, 6, {}, ring};
      job.body = [&](Process &process) { progress_for(process, milliseconds * (1 + process.rank % 3)); };
      run_silent_job(job);
    }
  }
}

TEST(WatchRing, FetchesFewCardsInAnyJob) {
  const Transport &transport = transport_named("ucx_tcp");
  SilentJob job{&transport, 12};
  job.body = [](Process &process) {
    progress_for(process, 100);
    AVRM_MUST(static_cast<SilentBoot *>(process.boot)->fetches() <= 4);
  };
  run_silent_job(job);
}

// The launcher may take seconds to say that there is none.
TEST(WatchRing, RequestsNoAddressOfAProcessWithoutACard) {
  LoneMember member(3);
  ASSERT_EQ(member.open(), AVRM_OK);
  member.hide(1, AVRM_ERR_PEER);
  member.look();
  EXPECT_EQ(member.post_fetches(), 1) << "that of process 2";
  EXPECT_EQ(member.close(), AVRM_OK);
}

// By the library's accounting, which the hooks confirm. ft.h has the figure.
TEST(WatchRing, TakesTheSameBytesInAnyJob) {
  const auto bytes = [](std::int32_t size, const char *ring) {
    AVRM_MUST(setenv("AVRM_RING", ring, 1) == 0);
    CountingAllocator allocator;
    const avrm_allocator_t hooks = allocator.hooks();
    LoneMember member(size);
    EXPECT_EQ(member.open(&hooks), AVRM_OK);
    for (int looks = 0; looks < 3 && member.device()->watch_ring != nullptr; ++looks) {
      member.look();
    }
    avrm_mem_usage_t usage{};
    EXPECT_EQ(avrm_instance_mem_usage(avrm_device_instance(member.device()), AVRM_MEM_COMM, &usage), AVRM_OK);
    EXPECT_EQ(usage.live_bytes, allocator.usage(AVRM_MEM_COMM).live_bytes);
    EXPECT_EQ(member.close(), AVRM_OK);
    return usage.live_bytes;
  };
  for (const std::int32_t size : {2, 3, 1000, 1000000}) {
    EXPECT_EQ(bytes(size, "yes") - bytes(size, "no"), sizeof(WatchRing)) << size << " processes";
  }
  EXPECT_LE(sizeof(WatchRing), 1331U); // 1.3 KiB
  AVRM_MUST(unsetenv("AVRM_RING") == 0);
}

// A launcher may complete the opening fence without a process that has ended (Open MPI's with
// --enable-recovery). It has published nothing, so that nothing could be lost.
TEST(WatchRing, FindsAProcessOfItsNodeThatEndedBeforeItOpenedItsDevice) {
  const Transport &transport = transport_named("posix");
  const auto body = [](avrm_boot_t *boot, void * /*user*/) {
    if (avrm_boot_rank(boot) == 2) {
      return avrm_boot_fence(boot) == AVRM_OK ? 3 : 4;
    }
    SilentBoot silent(boot);
    const avrm_device_options_t options = options_over(transport_named("posix"), &silent);
    avrm_device_t *device = nullptr;
    const avrm_status_t status = avrm_device_open(&options, &device);
    if (means_lacking(status)) {
      return kSkipped;
    }
    AVRM_MUST(status == AVRM_OK);
    Process process{&silent, device, avrm_device_world(device), avrm_boot_rank(boot), 3};
    int word = 0;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(process.world, &word, sizeof word, AVRM_ANY_SOURCE, 0, &request) == AVRM_OK);
    AVRM_MUST(avrm_wait(&request, nullptr) != AVRM_OK);
    AVRM_MUST(avrm_boot_failures(&silent) == 1 && avrm_boot_has_failed(&silent, 2));
    leave_together(process);
    AVRM_MUST(avrm_device_close(device) == AVRM_ERR_PEER);
    return 0;
  };
  const avrm_fork_options_t options{3, 0, job_timeout_ms(), 0};
  std::vector<std::int32_t> codes(3);
  ASSERT_EQ(avrm_boot_fork_run(&options, body, nullptr, codes.data()), AVRM_OK);
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(codes, (std::vector<std::int32_t>{0, 0, 3}));
}

// Process 1 lives until then, and only process 0's wait for anybody finds that it dies.
TEST(FailureDetector, TriesAProcessAgainWhoseCardCannotBeFetchedNow) {
  struct LateBoot final : SilentBoot {
    using SilentBoot::SilentBoot;
    [[nodiscard]] avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                      std::size_t *bytes_p) noexcept override {
      return rank == 1 && slot == 0 && late-- > 0 ? AVRM_ERR_TIMEOUT : SilentBoot::fetch(rank, slot, card, bytes_p);
    }
    int late = 3;
  };
  const Transport &transport = transport_named("posix");
  const Shared<std::atomic<bool>> may_die;
  const Job job = run_job(options_of(2), [&](avrm_boot_t *boot) {
    LateBoot late(boot);
    AVRM_MUST(setenv("AVRM_RING", "no", 1) == 0);
    const avrm_device_options_t options = options_over(transport, &late);
    avrm_device_t *device = nullptr;
    const avrm_status_t status = avrm_device_open(&options, &device);
    if (means_lacking(status)) {
      return kSkipped;
    }
    AVRM_MUST(status == AVRM_OK);
    if (avrm_boot_rank(boot) == 1) {
      while (!*may_die && avrm_boot_failures(boot) == 0) {
        usleep(1000);
      }
      die();
    }
    int word = 0;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(avrm_device_world(device), &word, sizeof word, AVRM_ANY_SOURCE, 0, &request) == AVRM_OK);
    const auto start = std::chrono::steady_clock::now();
    while (late.late >= 0) {
      avrm_progress(device);
      AVRM_MUST(avrm_boot_failures(&late) == 0);
    }
    // A request may be a call to the launcher, so that there are pauses.
    AVRM_MUST(std::chrono::steady_clock::now() - start > std::chrono::milliseconds(200));
    *may_die = true;
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_PEER_PENDING);
    AVRM_MUST(avrm_device_close(device) == AVRM_ERR_PEER);
    return 0;
  });
  if (any_skipped(job.codes)) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(job.codes, (std::vector<std::int32_t>{0, 128 + SIGKILL}));
}

TEST(WatchRing, IsOffWhereTheVariableSaysSo) {
  const Transport &transport = transport_named("ucx_tcp");
  SilentJob job{&transport, 2, {}, "no"};
  job.body = [](Process &process) { AVRM_MUST(process.device->watch_ring == nullptr); };
  run_silent_job(job);
}

// It could not see the end of the fence.
TEST(ClosingProcess, BelievesNoDeathBecauseItWasStopped) {
  LoneMember member(2);
  ASSERT_EQ(member.open(), AVRM_OK);
  avrm_device_t *const device = member.device();
  device->failure_detector.close(device);
  device->failure_detector.lost(device, 1);
  usleep(1100000); // longer than its doubt
  device->failure_detector.look(device);
  EXPECT_FALSE(member.has_died(1));
  EXPECT_EQ(member.close(), AVRM_OK);
}

TEST(ClosingProcess, DoubtsADeathForASecondHoweverLongItHasLookedBefore) {
  LoneMember member(2);
  ASSERT_EQ(member.open(), AVRM_OK);
  avrm_device_t *const device = member.device();
  for (int i = 0; i < 60; ++i) {
    usleep(20000);
    device->failure_detector.look(device);
  }
  device->failure_detector.close(device);
  device->failure_detector.lost(device, 1);
  usleep(15000); // until the next look is due
  device->failure_detector.look(device);
  EXPECT_FALSE(member.has_died(1));
  EXPECT_EQ(member.close(), AVRM_OK);
}

} // namespace
} // namespace avrankmap::test
