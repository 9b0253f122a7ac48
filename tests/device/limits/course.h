// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_TESTS_LIMITS_COURSE_H
#define AVRANKMAP_TESTS_LIMITS_COURSE_H

#include "avrankmap/status.h"

namespace avrankmap::test {

// Makes calls until one returns a status.
class Course {
public:
  template <typename Call> Course &then(Call call) noexcept {
    status_ = status_ == AVRM_OK ? call() : status_;
    return *this;
  }
  [[nodiscard]] avrm_status_t status() const noexcept { return status_; }

private:
  avrm_status_t status_ = AVRM_OK;
};

} // namespace avrankmap::test

#endif
