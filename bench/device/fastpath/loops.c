// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
// First, since the binding consists of its functions.
#include "null/null_fast.h"

#define AVRM_FP_BINDING AVRM_I_FP_NULL
#include "device/fastpath/loops.h"

// Between two operations the compiler must forget what it knows of memory, as it does between two
// calls from an application.
#define AVRM_BENCH_LOOP(name, operation)                                                                               \
  void avrm_bench_##name(avrm_bench_loop_t *loop, int64_t operations) {                                                \
    const void *const buffer = loop->buffer;                                                                           \
    avrm_fp_comm_t *const comm = loop->comm;                                                                           \
    avrm_fp_window_t *const window = loop->window;                                                                     \
    const uint32_t mask = loop->mask;                                                                                  \
    const uint64_t remote = loop->remote;                                                                              \
    (void)comm, (void)window, (void)remote;                                                                            \
    for (int64_t i = 0; i < operations; ++i) {                                                                         \
      const uint32_t at = (uint32_t)i & mask;                                                                          \
      __asm__ volatile("" : : : "memory");                                                                             \
      operation;                                                                                                       \
    }                                                                                                                  \
  }

#define RANK loop->ranks[at]
#define LPID loop->lpids[at]

AVRM_BENCH_LOOP(isend_default, avrm_fp_isend_default(buffer, 1, AVRM_BYTE, RANK, 5, comm, &loop->request))
AVRM_BENCH_LOOP(isend_no_err, avrm_fp_isend_no_err(buffer, 1, AVRM_BYTE, RANK, 5, comm, &loop->request))
AVRM_BENCH_LOOP(isend_no_err_single, avrm_fp_isend_no_err_single(buffer, 1, AVRM_BYTE, RANK, 5, comm, &loop->request))
AVRM_BENCH_LOOP(isend_inline, avrm_fp_isend_inline(buffer, 1, AVRM_BYTE, RANK, 5, comm, &loop->request))
AVRM_BENCH_LOOP(isend_global, avrm_fp_isend_global(buffer, 1, AVRM_BYTE, LPID, 5, comm, &loop->request))
AVRM_BENCH_LOOP(isend_predefined, avrm_fp_isend_inline(buffer, 1, AVRM_BYTE, RANK, 5, AVRM_COMM_1, &loop->request))
AVRM_BENCH_LOOP(isend_npn, avrm_fp_isend_npn(buffer, 1, AVRM_BYTE, RANK, 5, comm, &loop->request))
AVRM_BENCH_LOOP(isend_noreq, avrm_fp_isend_noreq(buffer, 1, AVRM_BYTE, RANK, 5, comm))
AVRM_BENCH_LOOP(isend_nomatch, avrm_fp_isend_nomatch(buffer, 1, AVRM_BYTE, RANK, comm, &loop->request))
AVRM_BENCH_LOOP(isend_all_opts, avrm_fp_isend_all_opts(buffer, 1, AVRM_BYTE, LPID, AVRM_COMM_1))
AVRM_BENCH_LOOP(isend_bare, avrm_null_tinject(buffer, 1, loop->addresses[at], loop->match, comm->net))
AVRM_BENCH_LOOP(isend_translated, avrm_null_tinject(buffer, 1, loop->addresses[RANK], loop->match, comm->net))

AVRM_BENCH_LOOP(put_default, avrm_fp_put_default(buffer, 1, AVRM_BYTE, RANK, 3, window))
AVRM_BENCH_LOOP(put_no_err, avrm_fp_put_no_err(buffer, 1, AVRM_BYTE, RANK, 3, window))
AVRM_BENCH_LOOP(put_no_err_single, avrm_fp_put_no_err_single(buffer, 1, AVRM_BYTE, RANK, 3, window))
AVRM_BENCH_LOOP(put_inline, avrm_fp_put_inline(buffer, 1, AVRM_BYTE, RANK, 3, window))
AVRM_BENCH_LOOP(put_global, avrm_fp_put_global(buffer, 1, AVRM_BYTE, LPID, 3, window))
AVRM_BENCH_LOOP(put_virtual_addr, avrm_fp_put_virtual_addr(buffer, 1, AVRM_BYTE, RANK, remote, window))
AVRM_BENCH_LOOP(put_predefined, avrm_fp_put_inline(buffer, 1, AVRM_BYTE, RANK, 3, AVRM_WIN_1))
AVRM_BENCH_LOOP(put_npn, avrm_fp_put_npn(buffer, 1, AVRM_BYTE, RANK, 3, window))
AVRM_BENCH_LOOP(put_all_opts, avrm_fp_put_all_opts(buffer, 1, AVRM_BYTE, LPID, remote, AVRM_WIN_1))
AVRM_BENCH_LOOP(put_bare, avrm_null_put_inject(buffer, 1, loop->key, remote, loop->addresses[at], comm->net))
