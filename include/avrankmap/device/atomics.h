// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic operations on windows (device.h): what MPI_Accumulate, MPI_Fetch_and_op,
// MPI_Get_accumulate and MPI_Compare_and_swap need.
//
// A counter that all members of a window share (tests/tour/atomics.c):
//
//   uint64_t ticket, one = 1;
//   avrm_request_t *request;
//   must(avrm_fetch_and_op(window, &one, &ticket, AVRM_UINT64, AVRM_OP_SUM, 0, 0, &request));
//   must(avrm_wait(&request, NULL));
//
// A lock, which is 0 while nobody has it (tests/tour/atomics.c):
//
//   do {
//     must(avrm_compare_and_swap(window, &own, &none, &old, AVRM_UINT64, 0, 8, &request));
//     must(avrm_wait(&request, NULL));
//   } while (old != none);
//
// Types are the predefined ones (datatype.h) of 1, 2, 4 and 8 bytes: integers, AVRM_BYTE,
// AVRM_CHAR, AVRM_FLOAT and AVRM_DOUBLE. Sums of integers wrap around. The minimum or maximum with
// a NaN is either operand.
//
// Unless the network carries them out (see below), each element is read and written as a whole, by
// instructions of a processor of the target's node: those of the origin where it has mapped the
// target's part (avrm_window_allocate, same node), else those of the target, which must make
// progress. Both are atomic towards each other, and towards atomics of the target's program on the
// same bytes (C11 <stdatomic.h>), but not towards puts and gets.
//
// A window that is created with AVRM_WINDOW_NETWORK_ATOMICS takes what networks have: elements of 4
// and 8 bytes, and no minimum, no maximum and no sum of AVRM_FLOAT and AVRM_DOUBLE. In return the
// network carries them out (fi_atomic of libfabric, ucp_atomic_op_nbx of UCX), if it can for all
// members, every part begins at a multiple of 8 bytes, and nobody has AVRM_ATOMICS=processor
// (../../ENVIRONMENT.md); else the processor does as above. The members agree when the window is
// created; avrm_window_has_network_atomics tells. Then the atomics of a window go over the network
// without exception, those on members of the same node and on the own part included, since they are
// atomic towards each other only: not towards <stdatomic.h>, nor towards atomics of another window
// on the same bytes. Providers that are known to emulate them (all of libfabric without hardware,
// UCX without InfiniBand or RoCE) are used with AVRM_ATOMICS=network only: the target must make
// progress all the same, and our own way is as fast, but for accumulates over UCX's TCP.
//
// Order: the atomics of one process on one target take effect in the order in which they were
// called. Nothing orders them among puts and gets but a flush.
//
// The target's address (the base of its part + offset) must be a multiple of the size of the type.
// AVRM_PROC_NULL is no rank here. Errors: AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_DATATYPE (none of
// the above, or not one of this window), AVRM_ERR_OPTION (unknown operation, or not one of this
// type or window), AVRM_ERR_SIZE (outside the target's part, too many elements, or a misplaced
// address), AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT, AVRM_ERR_UNSUPPORTED (the null
// network). After an error that a call returns nothing has changed at the target. After one that
// the outcome or a flush tells, the operation was carried out wholly, in part or not at all.
//
// Thread-safe on a device for several threads, under its lock.
#ifndef AVRANKMAP_DEVICE_ATOMICS_H
#define AVRANKMAP_DEVICE_ATOMICS_H

#include "avrankmap/device/datatype.h"
#include "avrankmap/device/device.h"

AVRM_BEGIN_DECLS

/// The new value of an element, from its old value and an operand.
typedef enum avrm_op {
  AVRM_OP_SUM = 0,
  AVRM_OP_MIN = 1,
  AVRM_OP_MAX = 2,
  AVRM_OP_BAND = 3,    ///< bitwise and; integers only, as the next two
  AVRM_OP_BOR = 4,     ///< bitwise or
  AVRM_OP_BXOR = 5,    ///< bitwise exclusive or
  AVRM_OP_REPLACE = 6, ///< the operand
  AVRM_OP_NO_OP = 7,   ///< the old value: an atomic read; the operand is not looked at
} avrm_op_t;

/// Combines `count` elements at `offset` of the target's part with those at `operand`, each
/// atomically by itself. The request completes when `operand` is free; avrm_flush waits for the
/// target.
avrm_status_t avrm_accumulate(avrm_window_t *window, const void *operand, size_t count, avrm_datatype_t type,
                              avrm_op_t op, int32_t target, uint64_t offset, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Same, and writes the old values to `result`. The request completes when they are there, and the
/// operation is over at the target.
avrm_status_t avrm_get_accumulate(avrm_window_t *window, const void *operand, void *result, size_t count,
                                  avrm_datatype_t type, avrm_op_t op, int32_t target, uint64_t offset,
                                  avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Same for one element.
avrm_status_t avrm_fetch_and_op(avrm_window_t *window, const void *operand, void *result, avrm_datatype_t type,
                                avrm_op_t op, int32_t target, uint64_t offset,
                                avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Replaces an element by `operand` if it equals `compare`. Writes its old value to `result`.
/// Integers only (AVRM_ERR_OPTION). The request completes as that of avrm_get_accumulate.
avrm_status_t avrm_compare_and_swap(avrm_window_t *window, const void *operand, const void *compare, void *result,
                                    avrm_datatype_t type, int32_t target, uint64_t offset,
                                    avrm_request_t **request_p) AVRM_NOEXCEPT;

/// True if the network carries out the atomics of this window, which must not be null. The same in
/// all members. Thread-safe.
bool avrm_window_has_network_atomics(const avrm_window_t *window) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
