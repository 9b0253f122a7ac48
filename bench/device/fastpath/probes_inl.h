// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of the probes (probes.h), for a file that defines AVRM_FP_BINDING and AVRM_PROBES, the
// name of their table.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_PROBES_INL_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_PROBES_INL_H

#include "avrankmap/device/fastpath.h"
#include "device/fastpath/probes.h"

static avrm_status_t isend(const void *buffer, int32_t count, int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                           avrm_request_t **request_p) {
  return avrm_fp_isend_inline(buffer, count, AVRM_BYTE, dest, tag, comm, request_p);
}

static avrm_status_t isend_global(const void *buffer, int32_t count, int64_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                  avrm_request_t **request_p) {
  return avrm_fp_isend_global(buffer, count, AVRM_BYTE, dest, tag, comm, request_p);
}

static avrm_status_t isend_predefined(const void *buffer, int32_t count, int32_t dest, int32_t tag,
                                      avrm_request_t **request_p) {
  return avrm_fp_isend_inline(buffer, count, AVRM_BYTE, dest, tag, AVRM_COMM_1, request_p);
}

static avrm_status_t isend_npn(const void *buffer, int32_t count, int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                               avrm_request_t **request_p) {
  return avrm_fp_isend_npn(buffer, count, AVRM_BYTE, dest, tag, comm, request_p);
}

static avrm_status_t isend_noreq(const void *buffer, int32_t count, int32_t dest, int32_t tag, avrm_fp_comm_t *comm) {
  return avrm_fp_isend_noreq(buffer, count, AVRM_BYTE, dest, tag, comm);
}

static avrm_status_t isend_nomatch(const void *buffer, int32_t count, int32_t dest, avrm_fp_comm_t *comm,
                                   avrm_request_t **request_p) {
  return avrm_fp_isend_nomatch(buffer, count, AVRM_BYTE, dest, comm, request_p);
}

static avrm_status_t isend_all_opts(const void *buffer, int32_t count, int64_t dest) {
  return avrm_fp_isend_all_opts(buffer, count, AVRM_BYTE, dest, AVRM_COMM_1);
}

static avrm_status_t isend_all_opts_one(const void *buffer, int64_t dest) {
  return avrm_fp_isend_all_opts(buffer, 1, AVRM_BYTE, dest, AVRM_COMM_1);
}

static avrm_status_t put(const void *buffer, int32_t count, int32_t target, int64_t displacement,
                         avrm_fp_window_t *window) {
  return avrm_fp_put_inline(buffer, count, AVRM_BYTE, target, displacement, window);
}

static avrm_status_t put_global(const void *buffer, int32_t count, int64_t target, int64_t displacement,
                                avrm_fp_window_t *window) {
  return avrm_fp_put_global(buffer, count, AVRM_BYTE, target, displacement, window);
}

static avrm_status_t put_virtual_addr(const void *buffer, int32_t count, int32_t target, uint64_t address,
                                      avrm_fp_window_t *window) {
  return avrm_fp_put_virtual_addr(buffer, count, AVRM_BYTE, target, address, window);
}

static avrm_status_t put_predefined(const void *buffer, int32_t count, int32_t target, int64_t displacement) {
  return avrm_fp_put_inline(buffer, count, AVRM_BYTE, target, displacement, AVRM_WIN_1);
}

static avrm_status_t put_npn(const void *buffer, int32_t count, int32_t target, int64_t displacement,
                             avrm_fp_window_t *window) {
  return avrm_fp_put_npn(buffer, count, AVRM_BYTE, target, displacement, window);
}

static avrm_status_t put_all_opts(const void *buffer, int32_t count, int64_t target, uint64_t address) {
  return avrm_fp_put_all_opts(buffer, count, AVRM_BYTE, target, address, AVRM_WIN_1);
}

static avrm_status_t put_all_opts_one(const void *buffer, int64_t target, uint64_t address) {
  return avrm_fp_put_all_opts(buffer, 1, AVRM_BYTE, target, address, AVRM_WIN_1);
}

static avrm_status_t isend_typed(const void *buffer, int32_t count, uintptr_t type, int32_t dest, int32_t tag,
                                 avrm_fp_comm_t *comm, avrm_request_t **request_p) {
  return avrm_fp_isend_inline(buffer, count, type, dest, tag, comm, request_p);
}

static avrm_status_t put_typed(const void *buffer, int32_t count, uintptr_t type, int32_t target, int64_t displacement,
                               avrm_fp_window_t *window) {
  return avrm_fp_put_inline(buffer, count, type, target, displacement, window);
}

const avrm_probes_t AVRM_PROBES = {
    isend,       isend_global,  isend_predefined, isend_npn,
    isend_noreq, isend_nomatch, isend_all_opts,   isend_all_opts_one,
    put,         put_global,    put_virtual_addr, put_predefined,
    put_npn,     put_all_opts,  put_all_opts_one, isend_typed,
    put_typed,
};

#endif
