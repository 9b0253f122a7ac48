// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that are counted: application functions into which the fast path is inlined, once
// per network. The datatype is a constant, all else an argument; in those that end in _one the
// count is also 1, and in those that end in _typed the datatype is an argument as well.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_PROBES_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_PROBES_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

struct avrm_fp_comm;
struct avrm_fp_window;

typedef struct avrm_probes {
  avrm_status_t (*isend)(const void *buffer, int32_t count, int32_t dest, int32_t tag, struct avrm_fp_comm *comm,
                         avrm_request_t **request_p);
  avrm_status_t (*isend_global)(const void *buffer, int32_t count, int64_t dest, int32_t tag, struct avrm_fp_comm *comm,
                                avrm_request_t **request_p);
  avrm_status_t (*isend_predefined)(const void *buffer, int32_t count, int32_t dest, int32_t tag,
                                    avrm_request_t **request_p);
  avrm_status_t (*isend_npn)(const void *buffer, int32_t count, int32_t dest, int32_t tag, struct avrm_fp_comm *comm,
                             avrm_request_t **request_p);
  avrm_status_t (*isend_noreq)(const void *buffer, int32_t count, int32_t dest, int32_t tag, struct avrm_fp_comm *comm);
  avrm_status_t (*isend_nomatch)(const void *buffer, int32_t count, int32_t dest, struct avrm_fp_comm *comm,
                                 avrm_request_t **request_p);
  avrm_status_t (*isend_all_opts)(const void *buffer, int32_t count, int64_t dest);
  avrm_status_t (*isend_all_opts_one)(const void *buffer, int64_t dest);
  avrm_status_t (*put)(const void *buffer, int32_t count, int32_t target, int64_t displacement,
                       struct avrm_fp_window *window);
  avrm_status_t (*put_global)(const void *buffer, int32_t count, int64_t target, int64_t displacement,
                              struct avrm_fp_window *window);
  avrm_status_t (*put_virtual_addr)(const void *buffer, int32_t count, int32_t target, uint64_t address,
                                    struct avrm_fp_window *window);
  avrm_status_t (*put_predefined)(const void *buffer, int32_t count, int32_t target, int64_t displacement);
  avrm_status_t (*put_npn)(const void *buffer, int32_t count, int32_t target, int64_t displacement,
                           struct avrm_fp_window *window);
  avrm_status_t (*put_all_opts)(const void *buffer, int32_t count, int64_t target, uint64_t address);
  avrm_status_t (*put_all_opts_one)(const void *buffer, int64_t target, uint64_t address);
  avrm_status_t (*isend_typed)(const void *buffer, int32_t count, uintptr_t type, int32_t dest, int32_t tag,
                               struct avrm_fp_comm *comm, avrm_request_t **request_p);
  avrm_status_t (*put_typed)(const void *buffer, int32_t count, uintptr_t type, int32_t target, int64_t displacement,
                             struct avrm_fp_window *window);
} avrm_probes_t;

/// Bound to a network whose functions are those below, so that the path up to them is what the
/// device does for the null network.
extern const avrm_probes_t avrm_probes_null;
extern const avrm_probes_t avrm_probes_ofi; ///< if this build has libfabric
extern const avrm_probes_t avrm_probes_ucx; ///< if this build has UCX

avrm_status_t avrm_probe_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match, avrm_netmod_t *net);
avrm_status_t avrm_probe_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote, uint64_t handle,
                                    avrm_netmod_t *net);

AVRM_END_DECLS

#endif
