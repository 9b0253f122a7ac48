// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The interface of all ways to boot. The C functions check arguments, so implementations get valid
// ones only.
#ifndef AVRANKMAP_SRC_LAUNCH_BOOT_H
#define AVRANKMAP_SRC_LAUNCH_BOOT_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "avrankmap/device/boot.h"
#include "launch/failed_processes.h"
#include "launch/job_pass.h"
#include "launch/launch.h"

namespace avrankmap::detail {

struct Place {
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::uint32_t node = 0;
  std::int32_t local_rank = 0;
  std::int32_t local_size = 1;
  // Process r is on node number r / block, counted from 0, as the launcher tells all processes; 0:
  // it does not.
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
  // The port at which the processes that spawned this job wait; empty if none did.
  [[nodiscard]] virtual const char *parent_port() const noexcept { return ""; }
  // Makes a launch for a job that will meet this one; null without memory. `someone_died`: a
  // process that this launcher started before has died, which may have damaged the launcher.
  [[nodiscard]] virtual std::unique_ptr<avrankmap::detail::Launch> new_launch(bool someone_died) const noexcept;
  // True if the launcher reports every death to every process at once.
  [[nodiscard]] virtual bool tells_deaths() const noexcept { return true; }
  // Ranks of this node, in ascending order, if the launcher does not report deaths; else none.
  [[nodiscard]] virtual std::span<const std::int32_t> watched_ranks() const noexcept { return {}; }
  // This process has found out that a peer is dead, which the launcher did not report.
  virtual void report_death(std::int32_t /*rank*/) noexcept {}
  // True if avrm_boot_open made it. Then avrm_boot_close deletes it.
  [[nodiscard]] virtual bool is_opened() const noexcept = 0;

  [[nodiscard]] virtual avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept = 0;
  // The peer is not known to have died.
  [[nodiscard]] virtual avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                            std::size_t *bytes_p) noexcept = 0;
  // A fence is started, then either tested until it is over, or waited for.
  [[nodiscard]] virtual avrm_status_t fence_start() noexcept = 0;
  [[nodiscard]] virtual avrm_status_t fence_test(bool *done_p) noexcept = 0;
  [[nodiscard]] virtual avrm_status_t fence_wait() noexcept = 0;

  avrankmap::detail::JobPass pass; // of the job, once it is known (core/job_pass_exchange.h)

protected:
  avrm_boot() noexcept = default;

  avrankmap::detail::Place place_;
  avrankmap::detail::FailedProcesses failures_;
};

#endif
