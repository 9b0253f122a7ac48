// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches the processes of a job. The caller waits until they connect to it.
#ifndef AVRANKMAP_SRC_LAUNCH_LAUNCH_H
#define AVRANKMAP_SRC_LAUNCH_LAUNCH_H

#include <chrono>
#include <cstdint>

#include "avrankmap/status.h"

namespace avrankmap::detail {

struct Program {
  const char *command;            // looked up in PATH
  const char *const *arguments;   // null-terminated, or null
  const char *const *environment; // null-terminated, or null; overrides the launching process's
  const char *port;               // of the parents
  std::int32_t size;              // number of processes
  // All processes with which the job will communicate are on this machine.
  bool local;
};

// Call start, then look repeatedly, and finally either let_go or end.
class Launch {
public:
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;
  virtual ~Launch() = default;

  // Returns AVRM_OK, AVRM_ERR_NO_MEMORY or AVRM_ERR_SYSTEM. The data to which `program` points must
  // remain valid until the last call of `look`.
  [[nodiscard]] virtual avrm_status_t start(const Program &program) noexcept = 0;
  // Returns AVRM_OK, or the reason why a process failed: AVRM_ERR_BOOT (the command cannot be run),
  // AVRM_ERR_NO_MEMORY or AVRM_ERR_SYSTEM (it cannot be created), AVRM_ERR_PEER (it ended).
  [[nodiscard]] virtual avrm_status_t look() noexcept = 0;
  virtual void let_go() noexcept = 0; // the processes no longer depend on the caller
  // Kills all processes and waits until they have ended, unless they were let go.
  virtual void end() noexcept = 0;
  // How long to wait for processes that a launcher starts and whose end it need not report, if the
  // caller has no time limit; 0: no limit.
  [[nodiscard]] virtual std::chrono::seconds limit() const noexcept { return std::chrono::seconds(0); }
  // After let_go: true if this process has nothing left to reap.
  [[nodiscard]] virtual bool is_over() noexcept { return true; }

  // The rank that failed first; -1 if unknown.
  [[nodiscard]] std::int32_t failed_rank() const noexcept { return failed_rank_; }
  [[nodiscard]] avrm_status_t failure() const noexcept { return failure_; }

  Launch *next = nullptr; // in the device's list

protected:
  Launch() noexcept = default;

  // Records the first failure; later ones are ignored.
  void take_down(std::int32_t rank, avrm_status_t status) noexcept {
    if (failure_ == AVRM_OK) {
      failed_rank_ = rank;
      failure_ = status;
    }
  }

private:
  std::int32_t failed_rank_ = -1;
  avrm_status_t failure_ = AVRM_OK;
};

} // namespace avrankmap::detail

#endif
