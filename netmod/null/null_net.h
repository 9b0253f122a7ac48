// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Null netmod: a network that is infinitely fast, so that what is left to measure is the software above it.
//
// Issuing an operation means what it means on a real NIC: a descriptor of one cache line is written into a ring of them,
// the work queue, and the producer index moves on. Here nobody reads the ring, so it never fills up and no doorbell is
// rung. Every field of a descriptor is written every time; nothing is ever read back but by tests.
//
//    produced --+
//               v
//    [..][..][..][  ][  ] ... 256 descriptors of 64 bytes, reused in turn; 16 KiB, so they stay in the L1 cache
//
//    byte  0       2       4         8          16                                         64
//          +-------+-------+---------+----------+-------------------------------------------+
//    put   | opcode| flags | index   | address  | remote, rkey, length, payload, local, ctx |
//    isend | opcode| flags | index   | address  | match, immediate, buffer, key, length, rq |
//          +-------+-------+---------+----------+-------------------------------------------+
//
// A peer that has no plain network address (shared memory, self, not connected yet) is not for the network at all: the
// caller branches to avrm_null_far, which counts it and stands for all that a device would do there.
//
// Thread-safety: none. A work queue belongs to one thread, as a NIC's does.
#ifndef AVRANKMAP_NETMOD_NULL_NULL_NET_H
#define AVRANKMAP_NETMOD_NULL_NULL_NET_H

#include "avrankmap/base.h"

#ifndef __cplusplus
#include <stdalign.h>
#endif

AVRM_BEGIN_DECLS

/// Number of descriptors in the ring; a power of two.
#define AVRM_NULL_ENTRIES 256u

typedef enum avrm_null_opcode {
  AVRM_NULL_PUT = 1,
  AVRM_NULL_ISEND = 2,
} avrm_null_opcode_t;

typedef enum avrm_null_flags {
  AVRM_NULL_INLINE = 1,     ///< the payload travels in the descriptor
  AVRM_NULL_COMPLETION = 2, ///< the caller wants to be told of completion
} avrm_null_flags_t;

/// What a put carries beside the header. At most 8 bytes, which travel in the descriptor.
typedef struct avrm_null_put_part {
  uint64_t remote;  ///< address or offset in the peer's memory
  uint64_t rkey;    ///< key of the peer's memory
  uint64_t length;  ///< bytes
  uint64_t payload; ///< the bytes themselves
  uint64_t local;   ///< where they came from
  uint64_t context; ///< handed back on completion
} avrm_null_put_part_t;

/// What a tagged message carries beside the header.
typedef struct avrm_null_isend_part {
  uint64_t match;     ///< what the receiver matches on
  uint64_t immediate; ///< delivered with the message
  uint64_t buffer;    ///< the message
  uint64_t key;       ///< key of the local memory
  uint64_t length;    ///< bytes
  uint64_t request;   ///< handed back on completion
} avrm_null_isend_part_t;

/// One descriptor: one cache line.
typedef struct avrm_null_descriptor {
  uint16_t opcode;  ///< avrm_null_opcode_t
  uint16_t flags;   ///< avrm_null_flags_t
  uint32_t index;   ///< low half of the producer index that it was written at
  uint64_t address; ///< network address of the peer
  union {
    avrm_null_put_part_t put;
    avrm_null_isend_part_t isend;
  } u;
} avrm_null_descriptor_t;

static_assert(sizeof(avrm_null_descriptor_t) == 64, "a descriptor is one cache line");
static_assert((AVRM_NULL_ENTRIES & (AVRM_NULL_ENTRIES - 1)) == 0, "indices are taken modulo a power of two");

/// A work queue of the null network, in memory that the caller provides.
typedef struct avrm_null_net {
  alignas(64) avrm_null_descriptor_t ring[AVRM_NULL_ENTRIES];
  uint64_t produced;   ///< descriptors written so far
  uint64_t far_puts;   ///< puts that went to avrm_null_far
  uint64_t far_isends; ///< messages that did
} avrm_null_net_t;

/// Empties a work queue. `net` must not be null.
void avrm_null_init(avrm_null_net_t *net) AVRM_NOEXCEPT;

/// Takes an operation for a peer that has no plain network address: counts it. Out of line on purpose, so that the
/// network path pays for it with one branch that is not taken.
void avrm_null_far(avrm_null_net_t *net, avrm_null_opcode_t opcode) AVRM_NOEXCEPT;

/// The descriptor that was written at producer index `index`, one of the AVRM_NULL_ENTRIES latest. For tests.
AVRM_INLINE const avrm_null_descriptor_t *avrm_null_at(const avrm_null_net_t *net, uint64_t index) AVRM_NOEXCEPT {
  return &net->ring[index & (AVRM_NULL_ENTRIES - 1)];
}

/// The next descriptor, with its header written.
AVRM_INLINE avrm_null_descriptor_t *avrm_null_i_next(avrm_null_net_t *net, avrm_null_opcode_t opcode, unsigned flags,
                                                     uint64_t address) AVRM_NOEXCEPT {
  AVRM_I_IN_REGISTER(address); // gcc else copies what the caller has compared
  const uint64_t index = net->produced;
  avrm_null_descriptor_t *const descriptor = &net->ring[index & (AVRM_NULL_ENTRIES - 1)];
  net->produced = index + 1;
  descriptor->opcode = (uint16_t)opcode;
  descriptor->flags = (uint16_t)flags;
  descriptor->index = (uint32_t)index;
  descriptor->address = address;
  return descriptor;
}

/// Puts up to 8 bytes into a peer's memory.
/// @param address  network address of the peer, decoded
/// @param remote   address or offset in the peer's memory, `rkey` its key
/// @param length   1 .. 8
/// @param payload  the bytes
/// @param local    where the bytes came from
/// @param context  handed back on completion
AVRM_INLINE void avrm_null_put(avrm_null_net_t *net, uint64_t address, uint64_t remote, uint64_t rkey, uint64_t length,
                               uint64_t payload, const void *local, void *context) AVRM_NOEXCEPT {
  avrm_null_put_part_t *const put = &avrm_null_i_next(net, AVRM_NULL_PUT, AVRM_NULL_INLINE, address)->u.put;
  put->remote = remote;
  put->rkey = rkey;
  put->length = length;
  put->payload = payload;
  put->local = (uint64_t)(uintptr_t)local;
  put->context = (uint64_t)(uintptr_t)context;
}

/// Sends a tagged message.
/// @param address    network address of the peer, decoded
/// @param match      what the receiver matches on
/// @param immediate  delivered with the message
/// @param key        key of the local memory that `buffer` lies in
/// @param request    handed back on completion
AVRM_INLINE void avrm_null_isend(avrm_null_net_t *net, uint64_t address, uint64_t match, uint64_t immediate,
                                 const void *buffer, uint64_t key, uint64_t length, void *request) AVRM_NOEXCEPT {
  avrm_null_isend_part_t *const isend = &avrm_null_i_next(net, AVRM_NULL_ISEND, AVRM_NULL_COMPLETION, address)->u.isend;
  isend->match = match;
  isend->immediate = immediate;
  isend->buffer = (uint64_t)(uintptr_t)buffer;
  isend->key = key;
  isend->length = length;
  isend->request = (uint64_t)(uintptr_t)request;
}

AVRM_END_DECLS

#endif
