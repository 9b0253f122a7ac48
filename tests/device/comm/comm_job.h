// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators between real processes, over several transports.
#ifndef AVRANKMAP_TESTS_COMM_COMM_JOB_H
#define AVRANKMAP_TESTS_COMM_COMM_JOB_H

#include "tests/device/comm/members.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {

class CommJob : public testing::TestWithParam<Transport> {
protected:
  void in(int size, const std::function<void(Process &)> &body) {
    run_job(GetParam(), size, [&](Process &process) {
      body(process);
      AVRM_MUST(live_contexts(process) == 0);
    });
  }
};

} // namespace avrankmap::test

#endif
