// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/builds.h"

#include "support/require.h"

namespace avrankmap::bench {
namespace {

#define AVRM_BENCH_ISSUE(operation)                                                                                    \
  [](OutgoingMessage *messages, std::size_t count, avrm_fp_comm_t *comm) {                                             \
    (void)comm;                                                                                                        \
    for (OutgoingMessage *p = messages; p != messages + count; ++p) {                                                  \
      require(operation);                                                                                              \
    }                                                                                                                  \
  }
#define AVRM_BENCH_ISEND(function)                                                                                     \
  AVRM_BENCH_ISSUE(function(p->data, p->count, AVRM_DOUBLE, p->rank, p->tag, comm, &p->request))

} // namespace

const std::array<MessageBuild, kMessageBuildCount> kMessageBuilds{{
    {"default", AVRM_BENCH_ISEND(avrm_fp_isend_default), true},
    {"no-err", AVRM_BENCH_ISEND(avrm_fp_isend_no_err), true},
    {"no-err-single", AVRM_BENCH_ISEND(avrm_fp_isend_no_err_single), true},
    {"no-err-single-ipo", AVRM_BENCH_ISEND(avrm_fp_isend_inline), true},
    {"all proposals", AVRM_BENCH_ISSUE(avrm_fp_isend_all_opts(p->data, p->count, AVRM_DOUBLE, p->rank, AVRM_COMM_1)),
     false},
}};

} // namespace avrankmap::bench
