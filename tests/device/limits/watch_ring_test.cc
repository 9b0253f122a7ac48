// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ring of a process that may have no more descriptors than it has, as sandboxes do.
#include <gtest/gtest.h>

#include "tests/device/limits/low_limit.h"
#include "tests/device/liveness/ring/silent_job.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

TEST(WatchRingOfFewDescriptors, MissesNoDeath) {
  const Shared<Looks> looks;
  SilentJob job{&kNull, 3, {1}, "sockets"};
  job.body = [&](Process &process) {
    look_together(process, *looks);
    const LowLimit limit(RLIMIT_NOFILE, 4);
    if (process.rank == 1) {
      die();
    }
    while (!avrm_boot_has_failed(process.boot, 1)) {
      process.device->watch_ring->look(process.device);
      usleep(300);
    }
  };
  run_silent_job(job);
}

} // namespace
} // namespace avrankmap::test
