// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/open_error.h"

namespace avrankmap::detail {

avrm_status_t fill_standard_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) {
      continue;
    }
    const int opened = open("/dev/null", O_RDWR); // gets the lowest free number
    if (opened < 0) {
      return refused_call("/dev/null");
    }
    if (opened > STDERR_FILENO) { // another thread was faster
      close(opened);
    }
  }
  return AVRM_OK;
}

} // namespace avrankmap::detail
