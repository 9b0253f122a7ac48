// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/process.h"

#include "avrankmap/device/comm.h"
#include "device/transports/pair_process.h"
#include "support/job.h"
#include "support/machine.h"
#include "support/open_device.h"
#include "support/require.h"

#include <sched.h>

#include <memory>

namespace avrankmap::bench {

Process::Process(avrm_boot_t *boot, const Transport &transport)
    : rank_(avrm_boot_rank(boot)), size_(avrm_boot_size(boot)), crowded_(false) {
  const int processors = cpu_count();
  crowded_ = size_ > processors;
  pair::prepare(transport, rank_, size_);
  avrm_device_options_t options = options_of(boot, transport);
  options.spin_us = AVRM_SPIN_FOREVER;
  device_ = open_device(options);
  avrm_comm_t *const world = avrm_device_world(device_);
  require(avrm_fp_open(device_, 1, &fp_));
  require(avrm_fp_comm_create(fp_, world, &world_));
  require(avrm_comm_dup(world, &twin_));
  require(avrm_fp_comm_create_predefined(fp_, twin_, AVRM_COMM_1));
}

Process::~Process() {
  (void)avrm_fp_comm_free(world_);
  (void)avrm_fp_comm_free(AVRM_COMM_1);
  (void)avrm_comm_free(twin_);
  (void)avrm_fp_close(fp_);
  (void)avrm_device_close(device_);
}

void Process::wait(avrm_request_t **request, avrm_outcome_t *outcome) const {
  avrm_outcome_t own{};
  bool done = false;
  for (;;) {
    require(avrm_test(request, &done, &own));
    if (done) {
      break;
    }
    if (crowded_) {
      (void)sched_yield();
    }
  }
  require(own.status);
  if (outcome != nullptr) {
    *outcome = own;
  }
}

void run_job(std::int32_t processes, const Transport &transport, const std::function<void(Process &process)> &body) {
  constexpr std::int32_t kMilliseconds = 300000;
  run_job("an application", processes, kMilliseconds, [&](avrm_boot_t *boot) {
    auto process = std::make_unique<Process>(boot, transport);
    try {
      body(*process);
    } catch (...) {
      (void)process.release(); // it would wait for the others when it closes its device
      throw;
    }
  });
}

} // namespace avrankmap::bench
