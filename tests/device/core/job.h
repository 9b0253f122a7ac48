// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a body on a device in every process of a forked job. Kills a job that hangs.
#ifndef AVRANKMAP_TESTS_DEVICE_JOB_H
#define AVRANKMAP_TESTS_DEVICE_JOB_H

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/device/core/process.h"
#include "tests/support/before_forking.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/shared.h"
#include "tests/support/shared_files.h"

namespace avrankmap::test {

struct Job {
  const Transport *transport;
  const std::function<void(Process &)> *body;
  avrm_status_t closed; // what closing the device must return
  bool threads = false;
  int killed = -1;
  const Shared<pid_t> *killed_pid = nullptr;
};

inline int run_process(avrm_boot_t *boot, void *user) {
  const auto *const job = static_cast<const Job *>(user);
  CountingAllocator allocator;
  const avrm_allocator_t hooks = allocator.hooks();
  avrm_device_options_t options = options_over(*job->transport, boot, &hooks);
  options.threads = job->threads;
  AVRM_MUST(setenv("AVRM_ATOMICS", "network", 0) == 0); // all that there is, emulated or not
  options.on_error = [](void *, avrm_status_t status, const char *text) {
    std::fprintf(stderr, "%s: %s\n", avrm_status_name(status), text);
  };
  if (avrm_boot_rank(boot) == job->killed) {
    **job->killed_pid = getpid();
  }
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  process.memory = &allocator;
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (means_lacking(status)) {
    return kSkipped;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  (*job->body)(process);
  const avrm_status_t closed = process.closed ? *process.closed : avrm_device_close(process.device);
  AVRM_MUST(closed == job->closed);
  AVRM_MUST(allocator.live_bytes() == 0);
  AVRM_MUST(!has_leaks());
  return 0;
}

// Runs `body` in `size` processes; with `threads`, on devices for several threads. The process of
// rank `killed`, if any, must end by SIGKILL. Skips the test if this machine lacks the transport.
inline void run_job(const Transport &transport, int size, const std::function<void(Process &)> &body, int killed = -1,
                    bool threads = false) {
  avrm_fork_options_t options{};
  options.size = size;
  options.per_node = transport.per_node;
  options.timeout_ms = job_timeout_ms();
  options.kill_on_failure = killed < 0 ? 1 : 0;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(size));
  const Shared<pid_t> killed_pid;
  Job job{&transport, &body, killed < 0 ? AVRM_OK : AVRM_ERR_PEER, threads, killed, &killed_pid};
  before_forking(transport);
  ASSERT_EQ(AVRM_OK, avrm_boot_fork_run(&options, run_process, &job, codes.data()));
  if (*killed_pid != 0) {
    remove_leftovers(*killed_pid);
  }
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(transport);
  }
  for (int rank = 0; rank < size; ++rank) {
    EXPECT_EQ(codes[static_cast<std::size_t>(rank)], rank == killed ? 128 + 9 : 0) << "process " << rank;
  }
}

} // namespace avrankmap::test

#endif
