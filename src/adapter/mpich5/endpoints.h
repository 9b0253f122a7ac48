// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of MPIDI_upid_hash and its three functions in ch4_proc.c: connections of a netmod that
// are objects (UCX endpoints), by upid and by lpid. A process that several lpids name, because it
// was met in several worlds, has one connection. When the last of these lpids goes, with its world
// or as MPIDIU_free_dynamic_lpid, the connection waits for a reconnect, which uses it again;
// MPIDIU_endpoints_trim closes the others.
//
// A netmod whose addresses are numbers keeps nothing here. Thread-safe.
#ifndef AVRANKMAP_ADAPTER_MPICH5_ENDPOINTS_H
#define AVRANKMAP_ADAPTER_MPICH5_ENDPOINTS_H

#include <stdbool.h>

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The endpoint of a process. Returns false if there is none.
bool MPIDIU_endpoint_find(const void *upid, int upid_len, uint64_t *endpoint);

/// Lets an lpid, which has no endpoint, refer to that of a process. Returns an error code; then the
/// endpoint is not kept.
int MPIDIU_endpoint_keep(MPIR_Lpid lpid, const void *upid, int upid_len, uint64_t endpoint);

/// The upid of an lpid, null if there is none. Valid until the lpid is dropped.
const void *MPIDIU_upid_get(MPIR_Lpid lpid, int *upid_len);

/// Of one lpid, and of all of a world. What was not kept is no error.
void MPIDIU_endpoint_drop(MPIR_Lpid lpid);
void MPIDIU_endpoints_drop_world(int world_idx);

/// Closes the endpoints that no lpid refers to. Once new connections are established, in VCI 0's
/// critical section.
void MPIDIU_endpoints_trim(void);

/// Closes all endpoints and frees all upids.
void MPIDIU_endpoints_close_all(void);

/// The function that begins to close an endpoint. Set by the netmod that keeps some.
extern void (*MPIDIU_endpoint_close)(uint64_t endpoint);

#ifdef __cplusplus
}
#endif

#endif
