// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The null network is infinitely fast, so that a measurement over it shows the software above it.
//
// Issuing an operation costs what it costs with a NIC: it writes a descriptor of one cache line
// into a ring, the work queue, and advances the producer index. But the ring has no reader, so it
// is never full, and no doorbell is rung. Every field of a descriptor is written every time. Only
// tests read them.
//
//    produced --+
//               v
//    [..][..][..][  ][  ] ... 256 descriptors of 64 bytes, reused in turn: 16 KiB fit the L1 cache
//
//    byte  0       2       4         8          16                                         64
//          +-------+-------+---------+----------+-------------------------------------------+
//    put   | opcode| flags | index   | address  | remote, rkey, length, payload, local, ctx |
//    isend | opcode| flags | index   | address  | match, immediate, buffer, key, length, rq |
//          +-------+-------+---------+----------+-------------------------------------------+
//
// A peer without a plain network address (shared memory, self, not connected) is not reached over
// the network. The caller branches to avrm_null_far, which counts the operation and stands in for
// what a device would do.
//
// Threads: a work queue belongs to one thread, like a NIC's.
#ifndef AVRANKMAP_NETMOD_NULL_NULL_NET_H
#define AVRANKMAP_NETMOD_NULL_NULL_NET_H

#include "avrankmap/base.h"

#ifndef __cplusplus
#include <stdalign.h>
#endif

AVRM_BEGIN_DECLS

/// Number of descriptors in the ring; a power of two.
#define AVRM_NULL_ENTRIES 256u

/// Operation of a descriptor.
typedef enum avrm_null_opcode {
  AVRM_NULL_PUT = 1,   ///< a put
  AVRM_NULL_ISEND = 2, ///< a tagged message
} avrm_null_opcode_t;

/// Flags of a descriptor.
typedef enum avrm_null_flags {
  AVRM_NULL_INLINE = 1,     ///< the payload travels in the descriptor
  AVRM_NULL_COMPLETION = 2, ///< the caller wants a completion
} avrm_null_flags_t;

/// Fields of a put. It has at most 8 bytes, which travel in the descriptor.
typedef struct avrm_null_put_part {
  uint64_t remote;  ///< address or offset in the peer's memory
  uint64_t rkey;    ///< key of the peer's memory
  uint64_t length;  ///< bytes
  uint64_t payload; ///< the bytes themselves
  uint64_t local;   ///< address that the bytes came from
  uint64_t context; ///< returned on completion
} avrm_null_put_part_t;

/// Fields of a tagged message.
typedef struct avrm_null_isend_part {
  uint64_t match;     ///< match bits
  uint64_t immediate; ///< delivered with the message
  uint64_t buffer;    ///< the message
  uint64_t key;       ///< key of the local memory
  uint64_t length;    ///< bytes
  uint64_t request;   ///< returned on completion
} avrm_null_isend_part_t;

/// A descriptor: one cache line.
typedef struct avrm_null_descriptor {
  uint16_t opcode;  ///< avrm_null_opcode_t
  uint16_t flags;   ///< avrm_null_flags_t
  uint32_t index;   ///< low half of the producer index of this descriptor
  uint64_t address; ///< network address of the peer
  union {
    avrm_null_put_part_t put;
    avrm_null_isend_part_t isend;
  } u;
} avrm_null_descriptor_t;

static_assert(sizeof(avrm_null_descriptor_t) == 64, "a descriptor is one cache line");
static_assert((AVRM_NULL_ENTRIES & (AVRM_NULL_ENTRIES - 1)) == 0, "indices are taken modulo a power of two");

/// A work queue, in memory that the caller provides.
typedef struct avrm_null_net {
  alignas(64) avrm_null_descriptor_t ring[AVRM_NULL_ENTRIES];
  uint64_t produced;   ///< number of descriptors written
  uint64_t far_puts;   ///< puts that avrm_null_far counted
  uint64_t far_isends; ///< messages that avrm_null_far counted
} avrm_null_net_t;

/// Empties a work queue. `net` must not be null.
void avrm_null_init(avrm_null_net_t *net) AVRM_NOEXCEPT;

/// Counts an operation with a peer that has no plain network address. Not inlined, so that it costs
/// the network path one branch that is not taken.
void avrm_null_far(avrm_null_net_t *net, avrm_null_opcode_t opcode) AVRM_NOEXCEPT;

/// Returns the descriptor at producer index `index`, one of the latest AVRM_NULL_ENTRIES. For
/// tests.
AVRM_INLINE const avrm_null_descriptor_t *avrm_null_at(const avrm_null_net_t *net, uint64_t index) AVRM_NOEXCEPT {
  return &net->ring[index & (AVRM_NULL_ENTRIES - 1)];
}

/// Returns the next descriptor, with its header written.
AVRM_INLINE avrm_null_descriptor_t *avrm_null_i_next(avrm_null_net_t *net, avrm_null_opcode_t opcode, unsigned flags,
                                                     uint64_t address) AVRM_NOEXCEPT {
  const uint64_t index = net->produced;
  avrm_null_descriptor_t *const descriptor = &net->ring[index & (AVRM_NULL_ENTRIES - 1)];
  descriptor->opcode = (uint16_t)opcode;
  descriptor->flags = (uint16_t)flags;
  descriptor->index = (uint32_t)index;
  descriptor->address = address;
  net->produced = index + 1;
  return descriptor;
}

/// Puts up to 8 bytes into a peer's memory.
/// @param address  network address of the peer, decoded
/// @param remote   address or offset in the peer's memory, whose key is `rkey`
/// @param length   1 .. 8
/// @param payload  the bytes
/// @param local    address that the bytes came from
/// @param context  returned on completion
AVRM_INLINE void avrm_null_put(avrm_null_net_t *net, uint64_t address, uint64_t remote, uint64_t rkey, uint64_t length,
                               uint64_t payload, const void *local, void *context) AVRM_NOEXCEPT {
  avrm_null_put_part_t *const put = &avrm_null_i_next(net, AVRM_NULL_PUT, AVRM_NULL_INLINE, address)->u.put;
  put->remote = remote;
  put->rkey = rkey;
  put->length = length;
  put->payload = payload;
  put->local = (uintptr_t)local;
  put->context = (uintptr_t)context;
}

/// Sends a tagged message.
/// @param address    network address of the peer, decoded
/// @param match      match bits
/// @param immediate  delivered with the message
/// @param key        key of the local memory that `buffer` lies in
/// @param request    returned on completion
AVRM_INLINE void avrm_null_isend(avrm_null_net_t *net, uint64_t address, uint64_t match, uint64_t immediate,
                                 const void *buffer, uint64_t key, uint64_t length, void *request) AVRM_NOEXCEPT {
  avrm_null_isend_part_t *const isend = &avrm_null_i_next(net, AVRM_NULL_ISEND, AVRM_NULL_COMPLETION, address)->u.isend;
  isend->match = match;
  isend->immediate = immediate;
  isend->buffer = (uintptr_t)buffer;
  isend->key = key;
  isend->length = length;
  isend->request = (uintptr_t)request;
}

AVRM_END_DECLS

#endif
