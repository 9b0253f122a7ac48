// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches a job of programs, on behalf of a process that waits for them to ask for it.
#ifndef AVRANKMAP_SRC_BOOT_LAUNCH_H
#define AVRANKMAP_SRC_BOOT_LAUNCH_H

#include <sys/types.h>

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

// Started, looked at, and then let go or ended.
class Launch {
public:
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;
  virtual ~Launch() = default;

  // AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM. What `program` points to lives until look is called no more.
  [[nodiscard]] virtual avrm_status_t start(const Program &program) noexcept = 0;
  // AVRM_OK, or why a process failed: AVRM_ERR_BOOT (the command cannot be run), AVRM_ERR_SYSTEM (no more processes),
  // AVRM_ERR_PEER (it ended).
  [[nodiscard]] virtual avrm_status_t look() noexcept = 0;
  virtual void let_go() noexcept = 0;
  // Ends all processes and waits for that, unless they were let go.
  virtual void end() noexcept = 0;
  // After let_go: whether nothing is left of it that this process has to reap.
  [[nodiscard]] virtual bool is_over() noexcept { return true; }

  // Who failed first; -1 if nobody is known to.
  [[nodiscard]] std::int32_t failed_rank() const noexcept { return failed_rank_; }
  [[nodiscard]] avrm_status_t failure() const noexcept { return failure_; }

  Launch *next = nullptr; // list of the device

protected:
  Launch() noexcept = default;

  // The first failure counts.
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

// On this machine. A process of its own looks after them, which outlives the launching process if it must, and ends with the
// last of them. It starts them, reaps them, and writes into the job's book who has died. Until it is told to let them go, one
// that fails, or the end of the launching process, ends all.
//
// That process is a fork of this one and runs no program of its own: with threads about, it may do what signal handlers may.
// It keeps no descriptor, but shares this process's pages as they are now, until it ends. It is a child of this process that
// says nothing when it ends and that only those see who wait for such children (__WCLONE): the program's own waiting and its
// handler of SIGCHLD are none the wiser.
class EmbeddedLaunch final : public Launch {
public:
  EmbeddedLaunch() noexcept = default;
  ~EmbeddedLaunch() override { end(); }

  [[nodiscard]] avrm_status_t start(const Program &program) noexcept override;
  // A system call.
  [[nodiscard]] avrm_status_t look() noexcept override;
  void let_go() noexcept override;
  void end() noexcept override;
  [[nodiscard]] bool is_over() noexcept override;

private:
  void close_socket() noexcept;

  int socket_ = -1;  // to the process that looks after them
  pid_t keeper_ = 0; // that process, until it is reaped
};

} // namespace avrankmap::detail

#endif
