// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs of forked processes. A process that fails ends its job: the others wait for it somewhere,
// and would until the job's time is over. The caller learns which process it was, and why.
//
// A body must not wait for other processes while an exception leaves it. Of the device's functions
// only those wait that are collective, such as avrm_device_close() and avrm_window_free().
#ifndef AVRANKMAP_BENCH_SUPPORT_JOB_H
#define AVRANKMAP_BENCH_SUPPORT_JOB_H

#include "avrankmap/device/boot.h"
#include "support/open_device.h"
#include "support/require.h"
#include "support/shared_pages.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::bench {

namespace job {

constexpr int kFailed = 1;
constexpr std::int32_t kKilled = 128 + 9; ///< by SIGKILL, as all are once one has failed

/// Of the process that failed first, in memory that all share.
struct Failure {
  std::atomic_flag taken;
  bool missing; ///< it lacks the transport
  char reason[200];
};

struct Order {
  const std::function<void(avrm_boot_t *)> &body;
  Failure *failure;
};

inline int fail(avrm_boot_t *boot, Failure *failure, bool missing, const char *reason) {
  if (!failure->taken.test_and_set()) {
    failure->missing = missing;
    (void)std::snprintf(failure->reason, sizeof failure->reason, "process %d: %s",
                        static_cast<int>(avrm_boot_rank(boot)), reason);
  }
  return kFailed;
}

inline int run_process(avrm_boot_t *boot, void *user) {
  const Order &order = *static_cast<const Order *>(user);
  try {
    order.body(boot);
  } catch (const TransportMissing &error) {
    return fail(boot, order.failure, true, error.what());
  } catch (const std::exception &error) {
    return fail(boot, order.failure, false, error.what());
  }
  return 0;
}

/// The first process whose exit code is one of these; empty if there is none.
template <class Predicate> std::string find_ended(const std::vector<std::int32_t> &codes, Predicate is_one) {
  const auto found = std::find_if(codes.begin(), codes.end(), is_one);
  return found == codes.end()
             ? ""
             : "process " + std::to_string(found - codes.begin()) + ": exit code " + std::to_string(*found);
}

/// Which process failed, and why; empty if all have ended well. One that ended without an exception
/// comes first: others may have reported that it is gone.
inline std::string reason(const Failure &failure, const std::vector<std::int32_t> &codes) {
  std::string ended =
      find_ended(codes, [](std::int32_t code) { return code != 0 && code != kFailed && code != kKilled; });
  if (ended.empty() && failure.taken.test()) {
    ended = failure.reason;
  }
  return ended.empty() ? find_ended(codes, [](std::int32_t code) { return code != 0; }) : ended;
}

} // namespace job

/// Forks so many processes, and runs body(boot) in each; what it finds reaches the caller through
/// SharedPages. Kills the job when the first process fails, or after this time. Throws
/// TransportMissing if that process lacks the transport, else std::runtime_error; the text begins
/// with `what`.
inline void run_job(const std::string &what, std::int32_t processes, std::int32_t timeout_ms,
                    const std::function<void(avrm_boot_t *boot)> &body) {
  const SharedPages<job::Failure> failure;
  job::Order order{body, failure.get()};
  const avrm_fork_options_t options{processes, 0, timeout_ms, 1};
  std::vector<std::int32_t> codes(static_cast<std::size_t>(std::max(processes, 1)));
  const avrm_status_t status = avrm_boot_fork_run(&options, job::run_process, &order, codes.data());
  const std::string reason = status == AVRM_OK ? job::reason(*failure.get(), codes) : "";
  if (!reason.empty() && failure.get()->missing) {
    throw TransportMissing(what + ", " + reason);
  }
  if (!reason.empty()) {
    throw std::runtime_error(what + ", " + reason);
  }
  require(status, what.c_str());
}

/// The same with a device over shared memory: body(device). All of the device is freed when it
/// returns.
inline void run_job_over_shared_memory(const std::string &what, std::int32_t processes, std::int32_t timeout_ms,
                                       const std::function<void(avrm_device_t *device)> &body) {
  run_job(what, processes, timeout_ms, [&](avrm_boot_t *boot) {
    avrm_device_t *const device = open_over_shared_memory(boot);
    body(device);
    require(avrm_device_close(device));
  });
}

} // namespace avrankmap::bench

#endif
