// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces MPIDI_upid_hash and its three functions in ch4_proc.c: looks up connections that are
// objects of a netmod (UCX endpoints), by upid and by lpid. A process with several lpids, because
// it belongs to several worlds, has one connection. When the last of these lpids is freed, with its
// world or by MPIDIU_free_dynamic_lpid, the connection is kept for a reconnect;
// MPIDIU_endpoints_trim closes those that are not reused.
//
// A netmod whose addresses are numbers keeps nothing here. Thread-safe.
#ifndef AVRANKMAP_ADAPTER_MPICH5_ENDPOINTS_H
#define AVRANKMAP_ADAPTER_MPICH5_ENDPOINTS_H

#include <stdbool.h>

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Finds the endpoint of a process. Returns false if there is none.
bool MPIDIU_endpoint_find(const void *upid, int upid_len, uint64_t *endpoint);

/// Makes an lpid that has no endpoint refer to the endpoint of a process. Returns an error if out
/// of memory; the endpoint is then not kept.
int MPIDIU_endpoint_keep(MPIR_Lpid lpid, const void *upid, int upid_len, uint64_t endpoint);

/// Returns the upid of an lpid, or null if there is none. Valid until the lpid is dropped.
const void *MPIDIU_upid_get(MPIR_Lpid lpid, int *upid_len);

/// Drop the reference of one lpid, or of every lpid of a world. An lpid without a reference is
/// ignored.
void MPIDIU_endpoint_drop(MPIR_Lpid lpid);
void MPIDIU_endpoints_drop_world(int world_idx);

/// Closes the endpoints that no lpid refers to. Called once new connections are established, in VCI
/// 0's critical section.
void MPIDIU_endpoints_trim(void);

/// Closes all endpoints and frees all upids.
void MPIDIU_endpoints_close_all(void);

/// Begins to close an endpoint. Set by a netmod that keeps endpoints here.
extern void (*MPIDIU_endpoint_close)(uint64_t endpoint);

#ifdef __cplusplus
}
#endif

#endif
