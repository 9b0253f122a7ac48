// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // syscall
#endif
#include "posix/doorbell.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avrankmap::detail::posix {

namespace {

void membarrier(int command) noexcept { (void)syscall(SYS_membarrier, command, 0, 0); }

} // namespace

void Rope::pull(const PipeName &name) noexcept {
  FileDescriptor pipe = pipe_.is_open() && name == name_ ? std::move(pipe_) : open_pipe(name);
  const char byte = 0;
  (void)!write(pipe.get(), &byte, 1);
  name_ = name;
  pipe_ = std::move(pipe); // the one before is closed now, when the sleeper is on its way
}

void Doorbell::ring() noexcept {
  // One sender is enough.
  if (std::atomic_ref(*asleep_).exchange(0, std::memory_order_acq_rel) != 0) {
    rope_->pull(name_);
  }
}

avrm_status_t Bed::open(std::uint32_t *asleep) noexcept {
  // Senders must register, which each endpoint is.
  membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
  asleep_ = asleep;
  return create_pipe(&read_, &write_, &name_);
}

void Bed::lie_down() noexcept {
  // A full barrier even where the system call is none: thread sanitizers know no fences.
  (void)std::atomic_ref(*asleep_).exchange(1, std::memory_order_seq_cst);
  membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void Bed::get_up() noexcept {
  std::atomic_ref(*asleep_).store(0, std::memory_order_relaxed);
  char bytes[64];
  (void)!read(read_.get(), bytes, sizeof bytes);
}

} // namespace avrankmap::detail::posix
