// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Probes: find out who has sent, and how much, before a buffer is chosen.
//
// The next message, whatever it is (tests/tour/probes.c):
//
//   avrm_message_t *message = NULL;
//   avrm_outcome_t found;
//   must(avrm_mprobe(world, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &message, &found));
//   char *const buffer = malloc(found.bytes);
//   must(avrm_imrecv(&message, buffer, found.bytes, &request));
//
// A probe finds the message that a receive with the same arguments would take: messages from one
// sender are found in the order in which they were sent, and receives that were posted earlier take
// theirs first. All transports are looked at; between senders there is no order. avrm_iprobe and
// avrm_probe leave the message where it is, so that with several threads another one may receive
// it. avrm_improbe and avrm_mprobe take it out: only avrm_imrecv can receive it then.
//
// Probes make progress, and are thread-safe on a device for several threads. A message that nobody
// has received yet keeps its communicator busy. Cost: that of finding a message that has arrived,
// which does not depend on how many there are on posix and UCX, nor where avrankmap matches for
// libfabric; providers that match by themselves (tcp;ofi_rxm, sockets) search one by one. There a
// message that is taken out is kept in memory of its length, and copied when it is received.
//
// From AVRM_PROC_NULL there is a message at once: source AVRM_PROC_NULL, tag AVRM_ANY_TAG, 0 bytes.
//
// Errors of all: AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_TAG, AVRM_ERR_UNSUPPORTED (a provider of
// libfabric that cannot look for messages), AVRM_ERR_TRANSPORT, AVRM_ERR_NO_MEMORY, and
// AVRM_ERR_PEER: the source has died and has left no such message. From any source,
// AVRM_ERR_PEER_PENDING: there is no such message, and a possible sender has died, whose death is
// not acknowledged (ft.h). AVRM_ERR_REVOKED: the communicator was revoked (ft.h). Nothing is
// written then.
#ifndef AVRANKMAP_DEVICE_PROBE_H
#define AVRANKMAP_DEVICE_PROBE_H

#include "avrankmap/device/device.h"

AVRM_BEGIN_DECLS

/// A message that was found and taken out. It must be received.
typedef struct avrm_message avrm_message_t;

/// Looks for a message. Does not block.
/// @param source     a rank, AVRM_ANY_SOURCE or AVRM_PROC_NULL
/// @param tag        0 .. AVRM_MATCH_MAX_TAG or AVRM_ANY_TAG
/// @param found_p    receives whether there is one
/// @param outcome_p  receives its source, its tag and its length (all of it) if there is one; may
///                   be null
avrm_status_t avrm_iprobe(avrm_comm_t *comm, int32_t source, int32_t tag, bool *found_p,
                          avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Blocks until there is one.
avrm_status_t avrm_probe(avrm_comm_t *comm, int32_t source, int32_t tag, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// As avrm_iprobe, and takes the message out.
/// @param message_p  receives the message if there is one, else null
avrm_status_t avrm_improbe(avrm_comm_t *comm, int32_t source, int32_t tag, bool *found_p, avrm_message_t **message_p,
                           avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// As avrm_probe, and takes the message out.
avrm_status_t avrm_mprobe(avrm_comm_t *comm, int32_t source, int32_t tag, avrm_message_t **message_p,
                          avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;

/// Receives a message that was taken out, and sets *message_p to null. If it is longer than the
/// buffer, the request completes with AVRM_ERR_TRUNCATED. It cannot be cancelled. The request of a
/// message from AVRM_PROC_NULL is over at once, and its outcome names no source.
/// @return AVRM_OK, AVRM_ERR_NULL; other errors are the request's outcome
avrm_status_t avrm_imrecv(avrm_message_t **message_p, void *buffer, size_t bytes,
                          avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Same, into blocks in memory.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE, AVRM_ERR_NO_MEMORY
avrm_status_t avrm_imrecv_strided(avrm_message_t **message_p, void *buffer, const avrm_layout_t *layout,
                                  avrm_request_t **request_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
