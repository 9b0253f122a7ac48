// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>

#include "base/open_error.h"

namespace avrankmap::detail {

avrm_status_t fill_random(void *bytes, std::size_t count) noexcept {
  const auto whole = static_cast<ssize_t>(count);
  if (getrandom(bytes, count, 0) == whole) {
    return AVRM_OK;
  }
  if (errno != ENOSYS && errno != EPERM) {
    return refused_call("getrandom");
  }
  const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  const bool has_read = file >= 0 && read(file, bytes, count) == whole;
  const avrm_status_t status = has_read ? AVRM_OK : refused_call("getrandom is refused, and /dev/urandom");
  if (file >= 0) {
    close(file);
  }
  return status;
}

} // namespace avrankmap::detail
