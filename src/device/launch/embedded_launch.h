// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches a job on this machine, without an external launcher.
//
// A separate process, the supervisor, starts the job's processes, reaps them and records in the
// job's store which of them have died. It exits after the last of them and may outlive the
// launching process. Until let_go is called, the supervisor kills all of them if one of them fails
// or if the launching process ends.
//
// The supervisor is a fork of the launching process that does not execute another program. Because
// the launching process may have threads, the supervisor calls only async-signal-safe functions. It
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
  // Makes a system call.
  [[nodiscard]] avrm_status_t look() noexcept override;
  void let_go() noexcept override;
  void end() noexcept override;
  [[nodiscard]] bool is_over() noexcept override;

private:
  void close_socket() noexcept;

  int socket_ = -1;  // to the supervisor
  pid_t keeper_ = 0; // the supervisor, until it is reaped
};

} // namespace avrankmap::detail

#endif
