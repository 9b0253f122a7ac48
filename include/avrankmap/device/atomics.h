// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic operations on windows (device.h): what MPI_Accumulate, MPI_Fetch_and_op,
// MPI_Get_accumulate and MPI_Compare_and_swap need.
//
// Increment a counter that all members of a window share (tests/tour/atomics.c):
//
//   uint64_t ticket, one = 1;
//   avrm_request_t *request;
//   must(avrm_fetch_and_op(window, &one, &ticket, AVRM_UINT64, AVRM_OP_SUM, 0, 0, &request));
//   must(avrm_wait(&request, NULL));
//
// Take a lock, which is 0 while it is free (tests/tour/atomics.c):
//
//   do {
//     must(avrm_compare_and_swap(window, &own, &none, &old, AVRM_UINT64, 0, 8, &request));
//     must(avrm_wait(&request, NULL));
//   } while (old != none);
//
// Types: the predefined datatypes (datatype.h) except AVRM_BOOL and AVRM_LONG_DOUBLE, that is, the
// integers, AVRM_BYTE, AVRM_CHAR, AVRM_FLOAT and AVRM_DOUBLE. Sums of integers wrap around. The
// minimum or maximum with a NaN is either operand.
//
// Execution by a processor (default): each element is read and written as a whole, by instructions
// of a processor of the target's node. If the origin has mapped the target's part
// (avrm_window_allocate, same node), the origin's processor executes them; otherwise the target's
// does, and the target must make progress. Both kinds of execution are atomic with respect to each
// other and to atomics of the target's program on the same bytes (C11 <stdatomic.h>), but not to
// puts and gets.
//
// Execution by the network: a window created with AVRM_WINDOW_NETWORK_ATOMICS has only those
// atomics that networks support: elements of 4 and 8 bytes, no minimum, no maximum, and no sum of
// AVRM_FLOAT and AVRM_DOUBLE. In return, the network executes the atomics (libfabric's fi_atomic,
// UCX's ucp_atomic_op_nbx), provided that it can do so for all members, that every part begins at a
// multiple of 8 bytes, and that no member has AVRM_ATOMICS=processor (../../ENVIRONMENT.md).
// Otherwise a processor does, as above. The members agree on this when the window is created;
// avrm_window_has_network_atomics returns the result.
//
// If the network executes them, all atomics of the window use it, including those on members of the
// same node and on this process's own part, since they are atomic only with respect to each other:
// not to <stdatomic.h>, nor to another window's atomics on these bytes. Transports known to emulate
// atomics (libfabric without hardware atomics, UCX without InfiniBand or RoCE) execute atomics only
// with AVRM_ATOMICS=network: emulation also needs a target that makes progress, and is no faster
// than execution by a processor, except for accumulates over UCX's TCP.
//
// Order: atomics of one process on one target take effect in the order in which they were called.
// Only a flush orders them with respect to puts and gets.
//
// Addresses and errors: the target's address (base of its part + offset) must be a multiple of the
// type's size. AVRM_PROC_NULL is not a valid target. All operations return:
//
//   AVRM_OK
//   AVRM_ERR_NULL         a required pointer is null
//   AVRM_ERR_RANK         `target` is out of range
//   AVRM_ERR_DATATYPE     not one of the types above, or not supported by this window
//   AVRM_ERR_OPTION       unknown operation, or not supported for this type or by this window
//   AVRM_ERR_SIZE         outside the target's part, too many elements, or a misaligned address; if
//                         only the target can see that the address is misaligned, the request's
//                         outcome or avrm_flush has this error instead
//   AVRM_ERR_UNSUPPORTED  the null network
//   AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT, and errors of a first contact (device.h)
//
// If a call returns an error, nothing has changed at the target, except that the first elements of
// a long avrm_accumulate that the target's processor executes may have been updated. If an outcome
// or a flush has an error, the operation was executed wholly, in part or not at all.
//
// Thread-safe on a device with `threads` set, under the device's lock.
#ifndef AVRANKMAP_DEVICE_ATOMICS_H
#define AVRANKMAP_DEVICE_ATOMICS_H

#include "avrankmap/device/datatype.h"
#include "avrankmap/device/device.h"

AVRM_BEGIN_DECLS

/// Operations: how the new value of an element depends on its old value and an operand.
typedef enum avrm_op {
  AVRM_OP_SUM = 0,     ///< sum; integers wrap around
  AVRM_OP_MIN = 1,     ///< minimum
  AVRM_OP_MAX = 2,     ///< maximum
  AVRM_OP_BAND = 3,    ///< bitwise and; integers only, as are the next two
  AVRM_OP_BOR = 4,     ///< bitwise or
  AVRM_OP_BXOR = 5,    ///< bitwise exclusive or
  AVRM_OP_REPLACE = 6, ///< the operand
  AVRM_OP_NO_OP = 7,   ///< the old value: an atomic read; the operand is not read
} avrm_op_t;

/// Starts to combine `count` elements in the target's part with those at `operand`. Each element is
/// updated atomically, but not all of them as a unit. The request completes when `operand` may be
/// reused; avrm_flush waits until the target has been updated.
/// @param operand  not to be changed until the request completes; may be null for AVRM_OP_NO_OP or
///                 if count is 0
/// @param count    number of elements, 0 or more
/// @param offset   of the first element, in bytes from the start of the target's part
avrm_status_t avrm_accumulate(avrm_window_t *window, const void *operand, size_t count, avrm_datatype_t type,
                              avrm_op_t op, int32_t target, uint64_t offset, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to combine `count` elements as avrm_accumulate does, and to fetch their old values. The
/// request completes when `result` holds the old values and the target has been updated.
/// @param operand, count, offset  as for avrm_accumulate
/// @param result  receives `count` old values; not to be used until the request completes
avrm_status_t avrm_get_accumulate(avrm_window_t *window, const void *operand, void *result, size_t count,
                                  avrm_datatype_t type, avrm_op_t op, int32_t target, uint64_t offset,
                                  avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to combine one element with an operand, and to fetch its old value. Same as
/// avrm_get_accumulate with a count of 1.
avrm_status_t avrm_fetch_and_op(avrm_window_t *window, const void *operand, void *result, avrm_datatype_t type,
                                avrm_op_t op, int32_t target, uint64_t offset,
                                avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to replace an element of integer type by `operand` if it equals `compare`, and to fetch
/// its old value. The request completes when `result` holds the old value and the operation has
/// finished at the target.
/// @param operand, compare  one element each
/// @param result  receives the old value; not to be used until the request completes
/// @return as above; AVRM_ERR_OPTION also for AVRM_FLOAT and AVRM_DOUBLE
avrm_status_t avrm_compare_and_swap(avrm_window_t *window, const void *operand, const void *compare, void *result,
                                    avrm_datatype_t type, int32_t target, uint64_t offset,
                                    avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Returns true if the network executes the atomics of this window; the same in all members.
/// `window` must not be null. Thread-safe.
bool avrm_window_has_network_atomics(const avrm_window_t *window) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
