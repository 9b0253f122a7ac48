// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process of a forked job: its device over one transport, and the world as a communicator of the
// fast path.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_PROCESS_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_PROCESS_H

#include "avrankmap/device/fastpath.h"
#include "device/transports/list.h"

#include <cstdint>
#include <functional>

namespace avrankmap::bench {

class Process {
public:
  /// Throws TransportMissing if this machine or build lacks the transport.
  Process(avrm_boot_t *boot, const Transport &transport);
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;
  ~Process();

  [[nodiscard]] std::int32_t rank() const { return rank_; }
  [[nodiscard]] std::int32_t size() const { return size_; }
  /// AVRM_COMM_1 is a duplicate, for messages without matching, whose receives take all that comes.
  [[nodiscard]] avrm_fp_comm_t *world() const { return world_; }
  /// Waits for a request. Leaves the processor to others if there are more processes than
  /// processors.
  void wait(avrm_request_t **request, avrm_outcome_t *outcome = nullptr) const;

private:
  std::int32_t rank_;
  std::int32_t size_;
  bool crowded_;
  avrm_device_t *device_ = nullptr;
  avrm_comm_t *twin_ = nullptr; ///< of AVRM_COMM_1
  avrm_fp_t *fp_ = nullptr;
  avrm_fp_comm_t *world_ = nullptr;
};

/// Forks a job, and runs `body` in each of its processes, each on a processor of its own as far as
/// they go. The results of the body reach the caller through SharedPages.
/// Throws what run_job() of support/job.h throws: a process that fails ends the job.
void run_job(std::int32_t processes, const Transport &transport, const std::function<void(Process &process)> &body);

} // namespace avrankmap::bench

#endif
