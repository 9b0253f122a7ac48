// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches a job through the PMIx launcher that started this one (PMIx_Spawn), which decides where
// the processes run. If it refuses, the embedded launcher starts them.
//
// The job is requested as a recoverable one. Otherwise a launcher kills all processes, including
// the parents, when a child fails. The server need not report failures in a recoverable job, so
// this process queries it.
#ifndef AVRANKMAP_SRC_LAUNCH_PMIX_LAUNCH_H
#define AVRANKMAP_SRC_LAUNCH_PMIX_LAUNCH_H

#include <chrono>
#include <memory>

#include "launch/embedded_launch.h"

namespace avrankmap::detail {

struct PmixSpawn; // holds the server's answer

class PmixLaunch final : public Launch {
public:
  PmixLaunch() noexcept = default;
  ~PmixLaunch() override { end(); }

  [[nodiscard]] avrm_status_t start(const Program &program) noexcept override;
  // Queries the server at most once in 50 ms. A query takes about a millisecond.
  [[nodiscard]] avrm_status_t look() noexcept override;
  void let_go() noexcept override;
  void end() noexcept override;
  [[nodiscard]] bool is_over() noexcept override { return !is_embedded_ || embedded_.is_over(); }

private:
  [[nodiscard]] avrm_status_t start_embedded() noexcept;
  [[nodiscard]] avrm_status_t look_embedded() noexcept;
  void ask_for_the_dead() noexcept;

  Program program_ = {};
  std::shared_ptr<PmixSpawn> spawn_; // null: nothing to end
  std::chrono::steady_clock::time_point asked_;
  EmbeddedLaunch embedded_;
  bool is_embedded_ = false;
};

} // namespace avrankmap::detail

#endif
