// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Forked jobs whose launcher hides deaths, so that the processes must find out by themselves.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_RING_SILENT_JOB_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_RING_SILENT_JOB_H

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "avrankmap/device/comm.h"
#include "avrankmap/device/ft.h"
#include "core/device.h"
#include "liveness/ring/watch_ring.h"
#include "tests/device/core/process.h"
#include "tests/device/liveness/ring/silent_boot.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/shared_files.h"

namespace avrankmap::test {

struct SilentJob {
  const Transport *transport;
  int size;
  std::vector<int> victims{}; // they end in the body, by SIGKILL
  const char *ring = "yes";   // AVRM_RING
  std::function<void(Process &)> body{};
  std::function<void(int rank)> prepare = [](int) {}; // before the device is opened

  [[nodiscard]] bool is_victim(int rank) const {
    return std::find(victims.begin(), victims.end(), rank) != victims.end();
  }
};

[[noreturn]] inline void die() {
  kill(getpid(), SIGKILL);
  for (;;) {
    pause();
  }
}

// Those that know already may leave while others learn it.
inline void leave_together(Process &process) {
  std::uint64_t value = 1;
  const avrm_status_t status = avrm_comm_agree(process.world, &value);
  AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
}

inline void progress_for(Process &process, int milliseconds) {
  for (int i = 0; i < milliseconds; ++i) {
    usleep(1000);
    avrm_progress(process.device);
  }
}

// Shared by the processes of a job: looks at the ring so far.
using Looks = std::atomic<int>;

// All processes look at the ring in step, until they watch one another.
inline void look_together(Process &process, Looks &looks, int times = 20) {
  for (int i = 0; i < times; ++i) {
    process.device->watch_ring->look(process.device);
    usleep(300); // for the kernel's part
    const int all = (looks++ / process.size + 1) * process.size;
    while (looks < all) {
      usleep(50);
    }
  }
}

inline int run_silently(avrm_boot_t *boot, void *user) {
  const auto *const job = static_cast<const SilentJob *>(user);
  SilentBoot silent(boot);
  CountingAllocator allocator;
  const avrm_allocator_t hooks = allocator.hooks();
  AVRM_MUST(setenv("AVRM_RING", job->ring, 1) == 0);
  job->prepare(avrm_boot_rank(boot));
  avrm_device_options_t options = options_over(*job->transport, &silent, &hooks);
  options.on_error = [](void *, avrm_status_t status, const char *text) {
    std::fprintf(stderr, "%s: %s\n", avrm_status_name(status), text);
  };
  Process process{&silent, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (means_lacking(status)) {
    return kSkipped;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  job->body(process);
  AVRM_MUST(avrm_device_close(process.device) == (job->victims.empty() ? AVRM_OK : AVRM_ERR_PEER));
  AVRM_MUST(!job->victims.empty() || avrm_boot_failures(&silent) == 0);
  AVRM_MUST(allocator.live_bytes() == 0);
  AVRM_MUST(!has_leaks());
  return 0;
}

// All but the victims must end well. Skips the test if this machine lacks the transport.
inline void run_silent_job(SilentJob job) {
  avrm_fork_options_t options{};
  options.size = job.size;
  options.per_node = job.transport->per_node;
  options.timeout_ms = job_timeout_ms();
  std::vector<std::int32_t> codes(static_cast<std::size_t>(job.size));
  const avrm_status_t status = avrm_boot_fork_run(&options, run_silently, &job, codes.data());
  ASSERT_EQ(status, AVRM_OK);
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(*job.transport);
  }
  // An assertion of UCX's (netmod/ucx/ucx.h). The library aborts nowhere, and sanitizers exit.
  const bool has_aborted = std::find(codes.begin(), codes.end(), 128 + SIGABRT) != codes.end();
  if (has_aborted && !job.victims.empty() && is_ucx(*job.transport)) {
    GTEST_SKIP() << "UCX has aborted a process whose peer died while the two were connecting";
  }
  for (int rank = 0; rank < job.size; ++rank) {
    EXPECT_EQ(codes[static_cast<std::size_t>(rank)], job.is_victim(rank) ? 128 + SIGKILL : 0) << "process " << rank;
  }
}

} // namespace avrankmap::test

#endif
