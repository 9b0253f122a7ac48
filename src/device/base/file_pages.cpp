// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // fallocate
#endif
#include "base/file_pages.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace avrankmap::detail {

namespace {

sigset_t file_size_signal() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

bool is_pending() noexcept {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

bool counts_memory() noexcept {
  const int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  char digit = 0;
  const bool counts = read(file, &digit, 1) == 1 && digit == '2';
  close(file);
  return counts;
}

int allocate(int descriptor, std::size_t bytes) noexcept {
  // An interrupted call allocates nothing, so a long one would never end under a profiler's timer.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (std::size_t from = 0; from < bytes;) {
    const std::size_t piece = std::min(kPiece, bytes - from);
    if (fallocate(descriptor, 0, static_cast<off_t>(from), static_cast<off_t>(piece)) == 0) {
      from += piece;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

} // namespace

// pthread_sigmask fails only for invalid arguments.
NoFileSizeSignal::NoFileSizeSignal() noexcept : was_pending_(is_pending()) {
  const sigset_t held = file_size_signal();
  (void)pthread_sigmask(SIG_BLOCK, &held, &before_);
}

NoFileSizeSignal::~NoFileSizeSignal() {
  const int error = errno;
  const sigset_t held = file_size_signal();
  const timespec now{};
  while (!was_pending_ && sigtimedwait(&held, nullptr, &now) < 0 && errno == EINTR) {
  }
  (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

int make_pages(int descriptor, std::size_t bytes) noexcept {
  const NoFileSizeSignal held;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    return errno;
  }
  return counts_memory() ? allocate(descriptor, bytes) : 0;
}

} // namespace avrankmap::detail
