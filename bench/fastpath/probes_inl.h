// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fastpath/probes.h"

#define AVRM_FP_BINDING                                                                                                \
  { AVRM_CODEC_OFI, avrm_probe_tinject, avrm_probe_put_inject }
#include "avrankmap/fastpath.h"

avrm_status_t avrm_probe_isend(const void *buffer, int32_t count, int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                               avrm_request_t **request_p) {
  return avrm_fp_isend_inline(buffer, count, AVRM_BYTE, dest, tag, comm, request_p);
}

avrm_status_t avrm_probe_isend_global(const void *buffer, int32_t count, int64_t dest, int32_t tag,
                                      avrm_fp_comm_t *comm, avrm_request_t **request_p) {
  return avrm_fp_isend_global(buffer, count, AVRM_BYTE, dest, tag, comm, request_p);
}

avrm_status_t avrm_probe_isend_predefined(const void *buffer, int32_t count, int32_t dest, int32_t tag,
                                          avrm_request_t **request_p) {
  return avrm_fp_isend_inline(buffer, count, AVRM_BYTE, dest, tag, AVRM_COMM_1, request_p);
}

avrm_status_t avrm_probe_isend_npn(const void *buffer, int32_t count, int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                   avrm_request_t **request_p) {
  return avrm_fp_isend_npn(buffer, count, AVRM_BYTE, dest, tag, comm, request_p);
}

avrm_status_t avrm_probe_isend_noreq(const void *buffer, int32_t count, int32_t dest, int32_t tag,
                                     avrm_fp_comm_t *comm) {
  return avrm_fp_isend_noreq(buffer, count, AVRM_BYTE, dest, tag, comm);
}

avrm_status_t avrm_probe_isend_nomatch(const void *buffer, int32_t count, int32_t dest, avrm_fp_comm_t *comm,
                                       avrm_request_t **request_p) {
  return avrm_fp_isend_nomatch(buffer, count, AVRM_BYTE, dest, comm, request_p);
}

avrm_status_t avrm_probe_isend_all_opts(const void *buffer, int32_t count, int64_t dest) {
  return avrm_fp_isend_all_opts(buffer, count, AVRM_BYTE, dest, AVRM_COMM_1);
}

avrm_status_t avrm_probe_isend_all_opts_one(const void *buffer, int64_t dest) {
  return avrm_fp_isend_all_opts(buffer, 1, AVRM_BYTE, dest, AVRM_COMM_1);
}

avrm_status_t avrm_probe_put(const void *buffer, int32_t count, int32_t target, int64_t displacement,
                             avrm_fp_window_t *window) {
  return avrm_fp_put_inline(buffer, count, AVRM_BYTE, target, displacement, window);
}

avrm_status_t avrm_probe_put_global(const void *buffer, int32_t count, int64_t target, int64_t displacement,
                                    avrm_fp_window_t *window) {
  return avrm_fp_put_global(buffer, count, AVRM_BYTE, target, displacement, window);
}

avrm_status_t avrm_probe_put_virtual_addr(const void *buffer, int32_t count, int32_t target, uint64_t address,
                                          avrm_fp_window_t *window) {
  return avrm_fp_put_virtual_addr(buffer, count, AVRM_BYTE, target, address, window);
}

avrm_status_t avrm_probe_put_predefined(const void *buffer, int32_t count, int32_t target, int64_t displacement) {
  return avrm_fp_put_inline(buffer, count, AVRM_BYTE, target, displacement, AVRM_WIN_1);
}

avrm_status_t avrm_probe_put_npn(const void *buffer, int32_t count, int32_t target, int64_t displacement,
                                 avrm_fp_window_t *window) {
  return avrm_fp_put_npn(buffer, count, AVRM_BYTE, target, displacement, window);
}

avrm_status_t avrm_probe_put_all_opts(const void *buffer, int32_t count, int64_t target, uint64_t address) {
  return avrm_fp_put_all_opts(buffer, count, AVRM_BYTE, target, address, AVRM_WIN_1);
}

avrm_status_t avrm_probe_put_all_opts_one(const void *buffer, int64_t target, uint64_t address) {
  return avrm_fp_put_all_opts(buffer, 1, AVRM_BYTE, target, address, AVRM_WIN_1);
}

avrm_status_t avrm_probe_isend_typed(const void *buffer, int32_t count, uintptr_t type, int32_t dest, int32_t tag,
                                     avrm_fp_comm_t *comm, avrm_request_t **request_p) {
  return avrm_fp_isend_inline(buffer, count, type, dest, tag, comm, request_p);
}

avrm_status_t avrm_probe_put_typed(const void *buffer, int32_t count, uintptr_t type, int32_t target,
                                   int64_t displacement, avrm_fp_window_t *window) {
  return avrm_fp_put_inline(buffer, count, type, target, displacement, window);
}
