// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The UCX netmod. A peer is an endpoint of one UCP worker, and its handle is the ucp_ep_h. Messages
// use UCP's tagged interface; active messages, puts and gets use UCP's own. An endpoint takes
// sockets or mappings immediately, so insert a peer only when it is first used.
//
// The transports are those of the configuration, in the notation of UCX_TLS ("tcp,self"), otherwise
// those in UCX_TLS. UCX reads its other variables (UCX_*) itself. include/ENVIRONMENT.md lists
// those for which this netmod has a different default.
//
// Limits of UCX: if built with assertions, like Debian's packages, it may abort the process if a
// peer dies while the two are connecting over TCP (1.13 to 1.17: tcp_ep.c,
// uct_tcp_ep_destroy_progress; 1.13: ucp_request.c, ucp_request_send_state_ff, also while closing;
// fixed by openucx/ucx#8175). Callers cannot see that such a connection is pending. UCX_LOG_LEVEL
// and UCX_LOG_FILE control what UCX logs.
#ifndef AVRANKMAP_NETMOD_UCX_UCX_H
#define AVRANKMAP_NETMOD_UCX_UCX_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

/// Returns the operations of the UCX netmod, a constant. last_error(null) explains why this
/// thread's last `open` failed.
const avrm_netmod_ops_t *avrm_netmod_ucx(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
