// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/open_error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace avrankmap::detail {

namespace {

struct Text {
  char bytes[256];
};

Text &thread_text() noexcept {
  static thread_local Text text;
  return text;
}

} // namespace

void clear_open_error() noexcept { thread_text().bytes[0] = '\0'; }

void set_open_error(const char *text) noexcept {
  if (text != open_error()) {
    (void)std::snprintf(thread_text().bytes, sizeof(Text), "%s", text);
  }
}

const char *open_error() noexcept { return thread_text().bytes; }

avrm_status_t refused_call(const char *call) noexcept {
  const int error = errno;
  char room[64];
  (void)std::snprintf(thread_text().bytes, sizeof(Text), "%s: %s", call, strerror_r(error, room, sizeof room));
  errno = error;
  return AVRM_ERR_SYSTEM;
}

} // namespace avrankmap::detail
