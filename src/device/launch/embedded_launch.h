// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches a job on this machine, without another launcher.
//
// A process of its own, the supervisor, starts the job's processes, reaps them and writes into the
// job's store which of them died. It exits with the last of them and may outlive the launching
// process. Before let_go, a process that fails, or the end of the launching process, makes the
// supervisor kill all of them.
//
// The supervisor is a fork of the launching process that runs no program of its own. As the
// launching process may have threads, the supervisor calls async-signal-safe functions only. It
// keeps no descriptor, but shares the launching process's pages, as they were at the fork, until it
// exits. It is a child that sends no SIGCHLD, and only callers that wait with __WCLONE see it, so
// it does not disturb the program's own handling of children.
#ifndef AVRANKMAP_SRC_LAUNCH_EMBEDDED_LAUNCH_H
#define AVRANKMAP_SRC_LAUNCH_EMBEDDED_LAUNCH_H

#include <sys/types.h>

#include "launch/launch.h"

namespace avrankmap::detail {

class EmbeddedLaunch final : public Launch {
public:
  EmbeddedLaunch() noexcept = default;
  ~EmbeddedLaunch() override { end(); }

  [[nodiscard]] avrm_status_t start(const Program &program) noexcept override;
  // Costs a system call.
  [[nodiscard]] avrm_status_t look() noexcept override;
  void let_go() noexcept override;
  void end() noexcept override;
  [[nodiscard]] bool is_over() noexcept override;

private:
  void close_socket() noexcept;

  int socket_ = -1;  // to the supervisor
  pid_t keeper_ = 0; // until it is reaped
};

} // namespace avrankmap::detail

#endif
