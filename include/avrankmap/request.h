// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Requests: operations that are under way. They come from a pool of the device, are completed by whatever transport
// carries the operation, and go back to the pool when the caller has seen the completion.
#ifndef AVRANKMAP_REQUEST_H
#define AVRANKMAP_REQUEST_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

typedef struct avrm_request avrm_request_t;

/// Any source, any tag.
#define AVRM_ANY_SOURCE (-1)
#define AVRM_ANY_TAG (-1)

/// What became of an operation.
typedef struct avrm_outcome {
  avrm_status_t status; ///< AVRM_OK, AVRM_ERR_TRUNCATED, AVRM_ERR_CANCELLED, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT
  int32_t source;       ///< receive: rank of the sender
  int32_t tag;          ///< receive: tag of the message
  uint64_t bytes;       ///< bytes that arrived in the buffer (receive, get); truncated: its length, while what is in it
                        ///< is up to the transport
} avrm_outcome_t;

// ---------------------------------------------------------------------------------------------------------------------
// For transports
// ---------------------------------------------------------------------------------------------------------------------

/// The 64 match bits of a message: plane 2 | context id 21 | source rank 24 | tag 17. 24 bits of rank are 16,777,216
/// processes, the largest job that we were asked for; 17 bits of tag four times what MPI guarantees; 21 bits of context
/// id two million communicators at once. A context id names four planes, so that what a library sends for itself within a
/// communicator needs no id of its own: 0 the user's messages, 1 collectives and creation, 2 between the groups of an
/// intercommunicator, or the node communicator, 3 the node-roots communicator.
#define AVRM_MATCH_PLANE_SHIFT 62
#define AVRM_MATCH_CONTEXT_SHIFT 41
#define AVRM_MATCH_SOURCE_SHIFT 17
#define AVRM_MATCH_SOURCE_MASK ((((uint64_t)1 << 24) - 1) << AVRM_MATCH_SOURCE_SHIFT)
#define AVRM_MATCH_TAG_MASK (((uint64_t)1 << AVRM_MATCH_SOURCE_SHIFT) - 1)
#define AVRM_MATCH_MAX_TAG ((int32_t)AVRM_MATCH_TAG_MASK)
#define AVRM_MATCH_MAX_RANK ((1 << 24) - 1)
#define AVRM_MATCH_MAX_CONTEXT ((1 << 21) - 1)

/// `context` may have the plane in front of the context id: plane << 21 | context id.
AVRM_INLINE uint64_t avrm_match_pack(uint32_t context, int32_t source, int32_t tag) AVRM_NOEXCEPT {
  return (uint64_t)context << AVRM_MATCH_CONTEXT_SHIFT | (uint64_t)(uint32_t)source << AVRM_MATCH_SOURCE_SHIFT |
         (uint32_t)tag;
}
AVRM_INLINE int32_t avrm_match_source(uint64_t match) AVRM_NOEXCEPT {
  return (int32_t)((match & AVRM_MATCH_SOURCE_MASK) >> AVRM_MATCH_SOURCE_SHIFT);
}
AVRM_INLINE int32_t avrm_match_tag(uint64_t match) AVRM_NOEXCEPT { return (int32_t)(match & AVRM_MATCH_TAG_MASK); }

/// A request, as transports see it. `scratch` belongs to the transport that the request was handed to, until it completes it.
struct avrm_request {
  uint64_t scratch[16];
  /// Also the transport's, in the cache line that the core touches anyway: its record of the operation.
  void *op;
  /// Called once by the transport: hands the request back to the core. `match` is that of the message (receive), `bytes`
  /// its length.
  void (*complete)(avrm_request_t *request, avrm_status_t status, uint64_t match, uint64_t bytes);
  avrm_outcome_t outcome; ///< the core's
  uint32_t done;          ///< the core's; set last, with release order
};

AVRM_END_DECLS

#endif
