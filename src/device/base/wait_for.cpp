// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // ppoll
#endif
#include "base/wait_for.h"

#include <time.h>

#include <algorithm>
#include <cerrno>

namespace avrankmap::detail {

namespace {

constexpr std::int64_t kSecond = 1000000000;
constexpr std::int64_t kLongestPause = 1000000;

timespec time_of(std::int64_t nanoseconds) noexcept { return {nanoseconds / kSecond, nanoseconds % kSecond}; }

} // namespace

void wait_for(pollfd *list, nfds_t count, std::int64_t nanoseconds) noexcept {
  const timespec time = time_of(nanoseconds);
  if (ppoll(list, count, &time, nullptr) >= 0 || errno == EINTR) {
    return;
  }
  const timespec pause = time_of(std::min(nanoseconds, kLongestPause));
  (void)nanosleep(&pause, nullptr);
  for (nfds_t i = 0; i < count; ++i) {
    list[i].revents = 0;
    if (list[i].fd >= 0) {
      (void)poll(&list[i], 1, 0);
    }
  }
}

bool may_be_repeated() noexcept {
  switch (errno) {
  case EAGAIN:
  case EINTR:
  case EMFILE:
  case ENFILE:
  case ENOBUFS:
  case ENOMEM: return true;
  default: return false;
  }
}

} // namespace avrankmap::detail
