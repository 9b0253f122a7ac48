// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches a job of programs, on this machine. A process of its own looks after them, which outlives the launching process if
// it must, is no child of it, and ends with the last of them. It starts them, reaps them, and writes into the job's book who
// has died. Until it is told to let them go, one that fails, or the end of the launching process, ends all.
//
// That process is a fork of this one and runs no program of its own: with threads about, it may do what signal handlers may.
// It keeps no descriptor, but shares this process's pages as they are now, until it ends.
#ifndef AVRANKMAP_SRC_BOOT_LAUNCH_H
#define AVRANKMAP_SRC_BOOT_LAUNCH_H

#include <cstdint>

#include "avrankmap/status.h"

namespace avrankmap::detail {

struct Program {
  const char *command;            // looked for in PATH
  const char *const *arguments;   // null-terminated, or null
  const char *const *environment; // the same; put before the launching process's
  const char *port;               // of the parents
  std::int32_t size;              // processes
  bool local;                     // nobody that they will talk to is on another machine
};

class Launch {
public:
  Launch() noexcept = default;
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;
  // Ends all processes and waits for that, unless they were let go.
  ~Launch() { end(); }

  // AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM.
  [[nodiscard]] avrm_status_t start(const Program &program) noexcept;
  // AVRM_OK, or why a process failed: AVRM_ERR_BOOT (the command cannot be run), AVRM_ERR_SYSTEM (no more processes),
  // AVRM_ERR_PEER (it ended). A system call.
  [[nodiscard]] avrm_status_t look() noexcept;
  void let_go() noexcept;
  void end() noexcept;

  // Who failed first; -1 if nobody is known to.
  [[nodiscard]] std::int32_t failed_rank() const noexcept { return failed_rank_; }
  [[nodiscard]] avrm_status_t failure() const noexcept { return failure_; }

private:
  void take_down(std::int32_t rank, std::int32_t status) noexcept;
  void close_socket() noexcept;

  int socket_ = -1; // to the process that looks after them
  std::int32_t failed_rank_ = -1;
  avrm_status_t failure_ = AVRM_OK;
};

} // namespace avrankmap::detail

#endif
