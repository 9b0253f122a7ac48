// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A request is a pending operation. The device takes it from a pool, the transport that carries the
// operation completes it, and the test or wait that finds it complete returns it to the pool.
// device.h has the functions and examples.
#ifndef AVRANKMAP_DEVICE_REQUEST_H
#define AVRANKMAP_DEVICE_REQUEST_H

#include "avrankmap/status.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

/// An operation in progress.
typedef struct avrm_request avrm_request_t;

/// Wildcard of a receive: any sender. It differs from AVRM_PROC_NULL: it is -2 if AVRM_PROC_NULL is
/// -1, as in MPICH, and -1 otherwise.
#define AVRM_ANY_SOURCE (AVRM_PROC_NULL == -1 ? -2 : -1)
/// Wildcard of a receive: any tag.
#define AVRM_ANY_TAG (-1)

/// Result of an operation.
typedef struct avrm_outcome {
  /// Status of the operation: AVRM_OK, AVRM_ERR_TRUNCATED, AVRM_ERR_CANCELLED, AVRM_ERR_PEER,
  /// AVRM_ERR_PEER_PENDING and AVRM_ERR_REVOKED (ft.h), AVRM_ERR_TRANSPORT, AVRM_ERR_SYSTEM (no
  /// file descriptor for a connection), AVRM_ERR_NO_MEMORY (creations, one-sided operations,
  /// avrm_imrecv), AVRM_ERR_SIZE (atomics: misaligned address at the target). Nonblocking creations
  /// of communicators also have the errors of their blocking variants (comm.h, ft.h).
  avrm_status_t status;
  int32_t source; ///< receive: rank of the sender
  int32_t tag;    ///< receive: tag of the message
  /// Receive: number of bytes that arrived in the buffer. After AVRM_ERR_TRUNCATED, the length of
  /// the buffer; its contents then depend on the transport. Unspecified for other operations.
  uint64_t bytes;
} avrm_outcome_t;

// -------------------------------------------------------------------------------------------------
// For transports
// -------------------------------------------------------------------------------------------------

/// The 64 match bits of a message:
///
///     plane 2 | synchronous 1 | context id 20 | source rank 24 | tag 17
///
/// They allow 16,777,216 ranks, 1,015,808 concurrent communicators, and tags up to 131,071 (MPI
/// guarantees 32,767). In a larger job the rank takes as many bits of the context id as it needs: 3
/// bits for 100,000,000 processes, which leaves 126,976 communicators; at most 7 bits, for 2^31 - 1
/// processes, which leaves 7,936. The macros below are for smaller jobs; plane, synchronous bit and
/// tag have the same positions in all jobs. The highest 1/32 of the context ids is for the messages
/// of avrm_comm_create_from_group, in which plane and tag have no meaning of their own.
///
/// The synchronous bit is set in messages of avrm_issend whose transport cannot tell the sender
/// that they were matched: the receiving core acknowledges them. Receives that such a transport
/// matches ignore this bit.
///
/// A plane separates a library's own messages from the user's without another context id: 0 is for
/// the user's messages, 1 for collectives and creation, 2 for messages between the groups of an
/// intercommunicator or in the node communicator, and 3 for the node-roots communicator.
#define AVRM_MATCH_PLANE_SHIFT 62
/// The synchronous bit.
#define AVRM_MATCH_SYNC ((uint64_t)1 << 61)
#define AVRM_MATCH_CONTEXT_SHIFT 41 ///< position of the context id
#define AVRM_MATCH_SOURCE_SHIFT 17  ///< position of the source rank
/// Bits of the source rank.
#define AVRM_MATCH_SOURCE_MASK ((((uint64_t)1 << 24) - 1) << AVRM_MATCH_SOURCE_SHIFT)
/// Bits of the tag.
#define AVRM_MATCH_TAG_MASK (((uint64_t)1 << AVRM_MATCH_SOURCE_SHIFT) - 1)
/// The greatest tag.
#define AVRM_MATCH_MAX_TAG ((int32_t)AVRM_MATCH_TAG_MASK)
/// The greatest context id.
#define AVRM_MATCH_MAX_CONTEXT ((1 << 20) - 1)

/// Returns the match bits. Arguments are not checked. Thread-safe.
/// @param context  context id, or plane << 21 | context id
/// @param source   rank, less than 2^24
/// @param tag      0 .. AVRM_MATCH_MAX_TAG
AVRM_INLINE uint64_t avrm_match_pack(uint32_t context, int32_t source, int32_t tag) AVRM_NOEXCEPT {
  return (uint64_t)context << AVRM_MATCH_CONTEXT_SHIFT | (uint64_t)(uint32_t)source << AVRM_MATCH_SOURCE_SHIFT |
         (uint32_t)tag;
}
/// Returns the tag in match bits.
AVRM_INLINE int32_t avrm_match_tag(uint64_t match) AVRM_NOEXCEPT { return (int32_t)(match & AVRM_MATCH_TAG_MASK); }

/// The part of a request that transports see.
struct avrm_request {
  /// Free for use by the transport until it completes the request.
  uint64_t scratch[16];
  /// The transport's record of the operation, in a cache line that the core touches anyway.
  void *op;
  /// Completes the request. The transport calls it once, with the status of the operation. For a
  /// receive, `match` is the message's match bits, and `bytes` its length.
  void (*complete)(avrm_request_t *request, avrm_status_t status, uint64_t match, uint64_t bytes);
  avrm_outcome_t outcome; ///< for the core only
  uint32_t done;          ///< for the core only; set last, with release order
};

AVRM_END_DECLS

#endif
