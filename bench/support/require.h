// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of a measurement end it by an exception: a figure obtained despite an error is none.
#ifndef AVRANKMAP_BENCH_SUPPORT_REQUIRE_H
#define AVRANKMAP_BENCH_SUPPORT_REQUIRE_H

#include "avrankmap/status.h"

#include <new>
#include <stdexcept>
#include <string>

namespace avrankmap::bench {

/// Throws std::bad_alloc or std::runtime_error. Never inlined: require() is part of loops that are
/// timed.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(avrm_status_t status, const char *what) {
  if (status == AVRM_ERR_NO_MEMORY) {
    throw std::bad_alloc();
  }
  throw std::runtime_error(*what == '\0' ? avrm_status_text(status)
                                         : std::string(what) + ": " + avrm_status_text(status));
}

/// Throws unless the status is AVRM_OK. `what` was asked for, and stands in front of the reason.
inline void require(avrm_status_t status, const char *what = "") {
  if (status != AVRM_OK) [[unlikely]] {
    fail(status, what);
  }
}

/// Throws std::runtime_error unless the condition holds.
inline void require(bool holds, const char *what) {
  if (!holds) [[unlikely]] {
    throw std::runtime_error(what);
  }
}

} // namespace avrankmap::bench

#endif
