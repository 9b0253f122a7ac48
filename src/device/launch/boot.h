// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The interface that every launcher implements. The C functions check arguments, so implementations
// are called only with valid ones.
#ifndef AVRANKMAP_SRC_LAUNCH_BOOT_H
#define AVRANKMAP_SRC_LAUNCH_BOOT_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "avrankmap/av.h"
#include "avrankmap/device/boot.h"
#include "base/deadline.h"
#include "launch/failed_processes.h"
#include "launch/job_secret.h"
#include "launch/launch.h"

namespace avrankmap::detail {

struct Place {
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::uint32_t node = 0;
  std::int32_t local_rank = 0;
  std::int32_t local_size = 1;
  // Consecutive ranks per node, if the launcher makes the nodes of all processes known: rank r is
  // on node r / block, counted from 0. Otherwise 0.
  std::int32_t block = 0;
};

} // namespace avrankmap::detail

// The handle of the C interface.
struct avrm_boot {
public:
  avrm_boot(const avrm_boot &) = delete;
  avrm_boot &operator=(const avrm_boot &) = delete;
  virtual ~avrm_boot() = default;

  [[nodiscard]] const avrankmap::detail::Place &place() const noexcept { return place_; }
  [[nodiscard]] const avrankmap::detail::FailedProcesses &failures() const noexcept { return failures_; }
  [[nodiscard]] virtual const char *kind() const noexcept = 0;
  // True if all processes of the job, and the process that launched it, run on this machine.
  [[nodiscard]] virtual bool is_local() const noexcept { return true; }
  // The port at which the processes that spawned this job wait; empty if it was not spawned.
  [[nodiscard]] virtual const char *parent_port() const noexcept { return ""; }
  // Creates a launch of a job that will connect to this one; null if memory is exhausted.
  // `someone_died`: a process that this launcher started earlier has died, which may have damaged
  // the launcher.
  [[nodiscard]] virtual std::unique_ptr<avrankmap::detail::Launch> new_launch(bool someone_died) const noexcept;
  // True if the launcher immediately reports every death to every process.
  [[nodiscard]] virtual bool tells_deaths() const noexcept { return true; }
  // Ranks of this node, in ascending order, if the launcher does not report deaths; otherwise
  // empty.
  [[nodiscard]] virtual std::span<const std::int32_t> watched_ranks() const noexcept { return {}; }
  // The nodes of all processes, if the launcher provides them and Place::block cannot represent
  // them.
  [[nodiscard]] virtual std::span<const avrm_node_run_t> node_runs() const noexcept { return {}; }
  // True if a fetch waits for a fence that is in progress. A fence must then not wait for processes
  // that need this one's progress.
  [[nodiscard]] virtual bool fence_delays_fetch() const noexcept { return false; }
  // Records a death that this process has detected and the launcher has not reported.
  virtual void report_death(std::int32_t /*rank*/) noexcept {}
  // True if avrm_boot_open created this object; then avrm_boot_close deletes it.
  [[nodiscard]] virtual bool is_opened() const noexcept = 0;

  [[nodiscard]] virtual avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept = 0;
  // Not called for a peer that is known to have died.
  [[nodiscard]] virtual avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                            std::size_t *bytes_p) noexcept = 0;
  // After fence_start, call either fence_test until it reports the end, or fence_wait. At the
  // deadline fence_wait returns AVRM_ERR_TIMEOUT, and no later fence can complete. Launchers that
  // report deaths may ignore the deadline.
  [[nodiscard]] virtual avrm_status_t fence_start() noexcept = 0;
  [[nodiscard]] virtual avrm_status_t fence_test(bool *done_p) noexcept = 0;
  [[nodiscard]] virtual avrm_status_t fence_wait(const avrankmap::detail::Deadline &end) noexcept = 0;

  // How long a process waits for others that have not opened their devices, and whose deaths would
  // not be reported; 0: no limit.
  std::chrono::seconds open_limit{0};
  avrankmap::detail::JobSecret secret; // of the job, once it is known (core/job_secret_exchange.h)

protected:
  avrm_boot() noexcept = default;

  avrankmap::detail::Place place_;
  avrankmap::detail::FailedProcesses failures_;
};

#endif
