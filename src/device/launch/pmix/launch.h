// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches a job through the PMIx launcher that started this one (PMIx_Spawn).
//
// The job is requested as a recoverable one. Otherwise a launcher kills all processes, including
// the parents, when a child fails. The server need not report failures in a recoverable job, so
// this process queries the server.
#ifndef AVRANKMAP_SRC_LAUNCH_PMIX_LAUNCH_H
#define AVRANKMAP_SRC_LAUNCH_PMIX_LAUNCH_H

#include <chrono>
#include <memory>
#include <string>

#include "launch/external_launch.h"

namespace avrankmap::detail {

struct PmixSpawn; // holds the server's answer

class PmixLaunch final : public ExternalLaunch {
public:
  explicit PmixLaunch(std::chrono::seconds limit) noexcept : ExternalLaunch(limit) {}
  ~PmixLaunch() override { end(); }

  void end() noexcept override;

private:
  [[nodiscard]] bool request(const Program &program, const std::string &path) override;
  [[nodiscard]] Answer answer() noexcept override;
  // Queries the server at most every 50 ms. A query takes about a millisecond.
  void look_at_processes() noexcept override;
  void forget() noexcept override { spawn_.reset(); }

  std::shared_ptr<PmixSpawn> spawn_; // null: nothing to end
  std::chrono::steady_clock::time_point asked_;
};

} // namespace avrankmap::detail

#endif
