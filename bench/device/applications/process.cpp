// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/applications/process.h"

#include "avrankmap/comm.h"
#include "device/transports/device_channel.h"
#include "device/transports/pair_process.h"
#include "support/machine.h"
#include "support/require.h"
#include "support/shared_pages.h"

#include <sched.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace avrankmap::bench {

Process::Process(avrm_boot_t *boot, const Transport &transport)
    : rank_(avrm_boot_rank(boot)), size_(avrm_boot_size(boot)), crowded_(false) {
  const int processors = cpu_count();
  crowded_ = size_ > processors;
  pair::prepare(transport, rank_, size_);
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = transport.netmod;
  options.provider = transport.provider;
  options.shmmod = transport.shmmod;
  options.spin_us = AVRM_SPIN_FOREVER;
  const avrm_status_t status = avrm_device_open(&options, &device_);
  if (status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_OPTION) {
    throw TransportMissing(avrm_status_text(status));
  }
  require(status);
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

namespace {

/// Of the process that failed first, in memory that all share.
struct Failure {
  std::atomic_flag taken;
  char text[200];
};

struct Job {
  const Transport &transport;
  const std::function<void(Process &)> &body;
  Failure *failure;
};

int run_process(avrm_boot_t *boot, void *user) {
  const Job &job = *static_cast<const Job *>(user);
  try {
    Process process(boot, job.transport);
    job.body(process);
  } catch (const TransportMissing &) {
    return pair::kMissing;
  } catch (const std::exception &error) {
    if (!job.failure->taken.test_and_set()) {
      std::strncpy(job.failure->text, error.what(), sizeof job.failure->text - 1);
    }
    return 1;
  }
  return 0;
}

} // namespace

void run_job(std::int32_t processes, const Transport &transport, const std::function<void(Process &process)> &body) {
  const SharedPages<Failure> failure;
  Job job{transport, body, failure.get()};
  const avrm_fork_options_t options{processes, 0, 300000, 1};
  std::vector<std::int32_t> codes(static_cast<std::size_t>(std::max(processes, 1)));
  const avrm_status_t status = avrm_boot_fork_run(&options, run_process, &job, codes.data());
  if (std::find(codes.begin(), codes.end(), pair::kMissing) != codes.end()) {
    throw TransportMissing(transport.name);
  }
  require(status, "a job of an application");
  if (std::any_of(codes.begin(), codes.end(), [](std::int32_t code) { return code != 0; })) {
    throw std::runtime_error(fmt::format("a process of an application failed: {}", failure.get()->text));
  }
}

} // namespace avrankmap::bench
