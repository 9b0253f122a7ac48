// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops that issue 1-byte operations on the null network, one per build and proposal of the fast
// path. Those that are inlined are bound to the null netmod, so that nothing but the descriptor is
// left of the network.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_LOOPS_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_LOOPS_H

#include "avrankmap/device/fastpath.h"

AVRM_BEGIN_DECLS

/// The objects that the loops work on. The predefined handles are AVRM_COMM_1 and AVRM_WIN_1.
typedef struct avrm_bench_loop {
  const void *buffer;
  avrm_fp_comm_t *comm;
  avrm_fp_window_t *window;
  const int32_t *ranks;      ///< targets, in the communicator
  const int64_t *lpids;      ///< the same, in MPI_COMM_WORLD
  const uint64_t *addresses; ///< the same, as network addresses
  uint64_t match;            ///< of the messages
  uint64_t remote;           ///< virtual address that is put to
  uint64_t key;
  uint32_t mask; ///< number of targets, a power of two, minus 1
  avrm_request_t *request;
} avrm_bench_loop_t;

typedef void avrm_bench_loop_fn(avrm_bench_loop_t *loop, int64_t operations);

avrm_bench_loop_fn avrm_bench_isend_default, avrm_bench_isend_no_err, avrm_bench_isend_no_err_single,
    avrm_bench_isend_inline, avrm_bench_isend_global, avrm_bench_isend_predefined, avrm_bench_isend_npn,
    avrm_bench_isend_noreq, avrm_bench_isend_nomatch, avrm_bench_isend_all_opts, avrm_bench_isend_bare,
    avrm_bench_isend_translated; ///< addresses by rank, not in the order of the targets
avrm_bench_loop_fn avrm_bench_put_default, avrm_bench_put_no_err, avrm_bench_put_no_err_single, avrm_bench_put_inline,
    avrm_bench_put_global, avrm_bench_put_virtual_addr, avrm_bench_put_predefined, avrm_bench_put_npn,
    avrm_bench_put_all_opts, avrm_bench_put_bare;

AVRM_END_DECLS

#endif
