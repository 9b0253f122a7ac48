// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launching a job by the PMIx launcher that started this one (PMIx_Spawn), wherever it places the processes. If it refuses, the
// embedded launcher does it. The job is asked for as one that may go on without some of its processes: otherwise a launcher
// ends everybody, parents included, when a child fails. Who has failed is asked of the server, since it need not tell.
//
//   AVRM_PMIX_PARENT_PORT=name   tells the processes where those that spawned them wait
#ifndef AVRANKMAP_SRC_BOOT_PMIX_LAUNCH_H
#define AVRANKMAP_SRC_BOOT_PMIX_LAUNCH_H

#include <chrono>
#include <memory>

#include "boot/launch.h"

namespace avrankmap::detail {

inline constexpr char kPmixParentVariable[] = "AVRM_PMIX_PARENT_PORT";

struct PmixSpawn; // what the server's answer is kept in

class PmixLaunch final : public Launch {
public:
  PmixLaunch() noexcept = default;
  ~PmixLaunch() override { end(); }

  [[nodiscard]] avrm_status_t start(const Program &program) noexcept override;
  // Now and then a question to the server, a millisecond or so.
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
