// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // syscall
#endif
#include "posix/doorbell.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace avrankmap::detail::posix {

namespace {

void membarrier(int command) noexcept { (void)syscall(SYS_membarrier, command, 0, 0); }

} // namespace

avrm_status_t WakeupPipe::open(const PipeName &own) noexcept {
  pipe_ = open_pipe(own);
  name_ = own;
  return pipe_.is_open() ? AVRM_OK : AVRM_ERR_SYSTEM;
}

void WakeupPipe::wake(const PipeName &name) noexcept {
  FileDescriptor pipe; // closed on return, after the sleeper was woken
  if (name != name_) {
    pipe = open_pipe(name);
    if (!pipe.is_open() && (errno == EMFILE || errno == ENFILE)) {
      pipe_ = {}; // frees a descriptor
      name_ = {-1, -1, 0};
      pipe = open_pipe(name);
    }
    if (!pipe.is_open()) {
      return;
    }
    pipe_ = std::move(pipe); // exchanges the two
    name_ = name;
  }
  const char byte = 0;
  (void)!write(pipe_.get(), &byte, 1);
}

void Doorbell::ring() noexcept {
  // Only one sender wakes the process.
  if (std::atomic_ref(*asleep_).exchange(0, std::memory_order_acq_rel) != 0) {
    wakeup_pipe_->wake(name_);
  }
}

avrm_status_t WakeupReceiver::open(std::uint32_t *asleep) noexcept {
  // Senders must register; every endpoint is a sender.
  membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
  asleep_ = asleep;
  return create_pipe(&read_, &write_, &name_);
}

void WakeupReceiver::begin_sleep() noexcept {
  // A full barrier even if the system does not support membarrier. It is an exchange because
  // ThreadSanitizer does not support fences.
  (void)std::atomic_ref(*asleep_).exchange(1, std::memory_order_seq_cst);
  membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void WakeupReceiver::end_sleep() noexcept {
  std::atomic_ref(*asleep_).store(0, std::memory_order_relaxed);
  char bytes[64];
  (void)!read(read_.get(), bytes, sizeof bytes);
}

} // namespace avrankmap::detail::posix
