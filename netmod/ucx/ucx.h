// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The UCX netmod. A peer is an endpoint of one UCP worker, and its handle is the ucp_ep_h: two-sided messages are UCP's
// tagged ones, active messages, puts and gets are UCP's own. Creating an endpoint costs sockets or mappings at once, so
// peers should be inserted when they are first used.
//
// Provider: the configuration's, in the words of UCX_TLS ("tcp,self"), else UCX_TLS. All other UCX_* variables are
// obeyed. Four have other defaults than UCX's:
//
//   UCX_NET_DEVICES         lo      if all peers are on this machine and only TCP was asked for
//   UCX_MM_ERROR_HANDLING   y       so that shared memory notices that a peer has died
//   UCX_MM_FIFO_ELEM_SIZE   320     instead of 128: messages of 100 to 256 bytes through shared memory lie in the queue itself, 12 KiB
//                                   more per process. As in UCX, to be the same in all processes
//   UCX_KEEPALIVE_INTERVAL  1s      the same for peers that die without a trace
//
// UCX's own limits: release 1.13, built with assertions as Debian does, may abort the process if a peer dies in the very
// moment in which the two are connecting over TCP. What UCX itself logs, and where, is up to UCX_LOG_LEVEL and UCX_LOG_FILE.
#ifndef AVRANKMAP_NETMOD_UCX_UCX_H
#define AVRANKMAP_NETMOD_UCX_UCX_H

#include "avrankmap/netmod.h"

AVRM_BEGIN_DECLS

/// The operations of the UCX netmod. A constant. last_error(null) tells why the last open of this thread failed.
const avrm_netmod_ops_t *avrm_netmod_ucx(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
