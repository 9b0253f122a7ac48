// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The builds of the fast path that are functions: one body, three sets of options ("Why Is MPI So
// Slow?", section 2.1).
#include "avrankmap/device/fastpath.h"

avrm_status_t avrm_fp_isend_default(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                                    avrm_fp_comm_t *comm, avrm_request_t **request_p) {
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, AVRM_FP_CHECKS | AVRM_FP_THREADS);
}

avrm_status_t avrm_fp_isend_no_err(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                                   avrm_fp_comm_t *comm, avrm_request_t **request_p) {
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, AVRM_FP_THREADS);
}

avrm_status_t avrm_fp_isend_no_err_single(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                          int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p) {
  return avrm_i_fp_isend(buffer, count, type, dest, tag, comm, request_p, 0);
}

avrm_status_t avrm_fp_put_default(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                  int64_t displacement, avrm_fp_window_t *window) {
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, AVRM_FP_CHECKS | AVRM_FP_THREADS);
}

avrm_status_t avrm_fp_put_no_err(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                 int64_t displacement, avrm_fp_window_t *window) {
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, AVRM_FP_THREADS);
}

avrm_status_t avrm_fp_put_no_err_single(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                        int64_t displacement, avrm_fp_window_t *window) {
  return avrm_i_fp_put(buffer, count, type, target, displacement, window, 0);
}
