// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Probes: find the source and length of a message before choosing a buffer for it.
//
// Receive the next message, whatever its source, tag and length (tests/tour/probes.c):
//
//   avrm_message_t *message = NULL;
//   avrm_outcome_t found;
//   must(avrm_mprobe(world, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &message, &found));
//   char *const buffer = (char *)malloc(found.bytes);
//   must(avrm_imrecv(&message, buffer, found.bytes, &request));
//
// A probe finds the message that a receive with the same arguments would take: messages from one
// sender are found in the order in which they were sent, and a message that matches a receive
// posted earlier goes to that receive. All transports are searched; messages from different senders
// are found in no particular order. avrm_iprobe and avrm_probe leave the message in place, so that
// another thread may receive it. avrm_improbe and avrm_mprobe take it out, so that only avrm_imrecv
// or one of its variants can receive it.
//
// Probes make progress. Thread-safe on a device with `threads` set. A communicator with a message
// that was taken out but not received is busy (AVRM_ERR_BUSY from avrm_comm_free).
//
// Cost: with posix, the time to find a message that has arrived does not depend on the number of
// messages. UCX and libfabric's providers (tcp;ofi_rxm, sockets) search their messages one by one.
// With libfabric, a message that is taken out is first received into a buffer of its length, and
// copied from there by avrm_imrecv.
//
// Unlike receives, probes accept the source AVRM_PROC_NULL. They then find a message at once, with
// source AVRM_PROC_NULL, tag AVRM_ANY_TAG and 0 bytes.
//
// The four probes return AVRM_OK, or one of these errors, in which case no result is written:
//
//   AVRM_ERR_NULL           a required pointer is null
//   AVRM_ERR_RANK, _TAG     `source` or `tag` is out of range
//   AVRM_ERR_PEER           the source has failed, and either no matching message from it has
//                           arrived, or this process had not communicated with it before (a message
//                           that has arrived is then found only with AVRM_ANY_SOURCE)
//   AVRM_ERR_PEER_PENDING   `source` is AVRM_ANY_SOURCE, no matching message has arrived, and the
//                           failure of a possible sender is not acknowledged (ft.h)
//   AVRM_ERR_REVOKED        the communicator was revoked (ft.h)
//   AVRM_ERR_UNSUPPORTED    the netmod or its provider cannot search messages
//   AVRM_ERR_TRANSPORT, AVRM_ERR_NO_MEMORY, and the errors of a first contact (device.h)
#ifndef AVRANKMAP_DEVICE_PROBE_H
#define AVRANKMAP_DEVICE_PROBE_H

#include "avrankmap/device/device.h"

AVRM_BEGIN_DECLS

/// A message that was found and taken out. It must be received with avrm_imrecv,
/// avrm_imrecv_strided or avrm_imrecv_blocks (blocks.h).
typedef struct avrm_message avrm_message_t;

/// Searches for a message. Does not block.
/// @param source     a rank, AVRM_ANY_SOURCE or AVRM_PROC_NULL
/// @param tag        0 .. AVRM_MATCH_MAX_TAG or AVRM_ANY_TAG
/// @param found_p    receives true if there is a message, otherwise false
/// @param outcome_p  receives the message's source, tag and full length in bytes if there is one;
///                   may be null
avrm_status_t avrm_iprobe(avrm_comm_t *comm, int32_t source, int32_t tag, bool *found_p,
                          avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Blocks until there is a message.
/// @param source, tag, outcome_p  as for avrm_iprobe
avrm_status_t avrm_probe(avrm_comm_t *comm, int32_t source, int32_t tag, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Searches for a message, and takes it out if there is one. Does not block.
/// @param source, tag, found_p, outcome_p  as for avrm_iprobe
/// @param message_p  receives the message if there is one, otherwise null
avrm_status_t avrm_improbe(avrm_comm_t *comm, int32_t source, int32_t tag, bool *found_p, avrm_message_t **message_p,
                           avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Blocks until there is a message, and takes it out.
/// @param source, tag, outcome_p  as for avrm_iprobe
/// @param message_p  receives the message
avrm_status_t avrm_mprobe(avrm_comm_t *comm, int32_t source, int32_t tag, avrm_message_t **message_p,
                          avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;

/// Starts to receive a message that was taken out. If the message is longer than the buffer, the
/// request completes with AVRM_ERR_TRUNCATED. The request cannot be cancelled. For a message from
/// AVRM_PROC_NULL the request is already complete, with source AVRM_PROC_NULL, tag AVRM_ANY_TAG and
/// 0 bytes.
/// @param message_p  set to null; unchanged after an error
/// @param buffer     in use until the request completes; may be null if bytes is 0
/// @param bytes      length of the buffer
/// @return AVRM_OK, AVRM_ERR_NULL; other errors are in the request's outcome
avrm_status_t avrm_imrecv(avrm_message_t **message_p, void *buffer, size_t bytes,
                          avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to receive a message that was taken out, into blocks in memory. Otherwise as avrm_imrecv.
/// @param buffer  start of the first block
/// @param layout  not needed after the call
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (blocks overlap, or more than SIZE_MAX bytes),
///         AVRM_ERR_NO_MEMORY
avrm_status_t avrm_imrecv_strided(avrm_message_t **message_p, void *buffer, const avrm_layout_t *layout,
                                  avrm_request_t **request_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
