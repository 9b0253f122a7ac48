// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Status codes. Every function that can fail returns one. 0 is success. Errors are negative and
// grouped by cause:
//
//     -1 ..   arguments
//    -20 ..   address vectors and addresses
//    -40 ..   state of an object
//    -60 ..   system and limits
//    -80 ..   communication
//   -100 ..   arguments of the MPI-shaped interface (fastpath.h)
//
// A function that returns an error has written no output, and has changed and leaked nothing,
// unless its contract says otherwise.
//
// Exit on an error (tests/tour/tour.h):
//
//   if (status != AVRM_OK) {
//     fprintf(stderr, "%s\n", avrm_status_name(status));
//     exit(status == AVRM_ERR_UNSUPPORTED ? TOUR_SKIPPED : 1);
//   }
#ifndef AVRANKMAP_STATUS_H
#define AVRANKMAP_STATUS_H

#include "avrankmap/base.h"

/// X(name, value, text), in descending order of value. The enum, names, texts and tests are
/// generated from this list.
#define AVRM_STATUS_LIST(X)                                                                                            \
  X(AVRM_OK, 0, "success")                                                                                             \
  X(AVRM_ERR_NULL, -1, "a required pointer is null")                                                                   \
  X(AVRM_ERR_SIZE, -2, "a size is out of range")                                                                       \
  X(AVRM_ERR_RANK, -3, "a rank is outside 0..size-1")                                                                  \
  X(AVRM_ERR_STRIDE, -4, "a stride is zero")                                                                           \
  X(AVRM_ERR_BLOCK, -5, "a block length is zero or negative")                                                          \
  X(AVRM_ERR_OVERFLOW, -6, "an lpid is outside 0..2^31-2")                                                             \
  X(AVRM_ERR_DUPLICATE, -7, "a process occurs twice in a group")                                                       \
  X(AVRM_ERR_OPTION, -8, "an option is unknown or not allowed here")                                                   \
  X(AVRM_ERR_INSTANCE, -9, "an object belongs to another instance")                                                    \
  X(AVRM_ERR_RANGE, -10, "a range of ranks does not begin or end where it must, or an index is out of range")          \
  X(AVRM_ERR_DIMENSIONS, -11, "the given extents do not divide the number of processes")                               \
  X(AVRM_ERR_PORT, -12, "a port name is malformed or names no open port")                                              \
  X(AVRM_ERR_LPID, -20, "an lpid is outside its address vector")                                                       \
  X(AVRM_ERR_PGID_UNKNOWN, -21, "no process group has ever had this pgid")                                             \
  X(AVRM_ERR_PGID_RELEASED, -22, "the process group with this pgid was released")                                      \
  X(AVRM_ERR_ADDRESS_BIT, -23, "the network address uses the bit that marks the transport")                            \
  X(AVRM_ERR_ADDRESS_SENTINEL, -24, "the network address is the reserved value that means no address")                 \
  X(AVRM_ERR_NOT_NETWORK, -25, "the element holds no network address")                                                 \
  X(AVRM_ERR_NOT_BOUND, -40, "the rankmap is not bound to its address vectors")                                        \
  X(AVRM_ERR_ALREADY_BOUND, -41, "the rankmap is already bound")                                                       \
  X(AVRM_ERR_BUSY, -42, "the object is still in use")                                                                  \
  X(AVRM_ERR_MISMATCH, -43, "arguments contradict those of other members or earlier ones")                             \
  X(AVRM_ERR_NO_MEMORY, -60, "out of memory")                                                                          \
  X(AVRM_ERR_LIMIT, -61, "a limit was reached")                                                                        \
  X(AVRM_ERR_UNSUPPORTED, -62, "not supported by this system or this build")                                           \
  X(AVRM_ERR_SYSTEM, -63, "a system call failed")                                                                      \
  X(AVRM_ERR_TIMEOUT, -64, "the operation timed out")                                                                  \
  X(AVRM_ERR_VERSION, -65, "the headers and the library differ in version")                                            \
  X(AVRM_ERR_BOOT, -80, "the launcher refused a request or does not answer")                                           \
  X(AVRM_ERR_PEER, -81, "the peer has failed or is unreachable")                                                       \
  X(AVRM_ERR_TRANSPORT, -82, "the transport reported an error")                                                        \
  X(AVRM_ERR_AGAIN, -83, "queues are full; make progress and try again")                                               \
  X(AVRM_ERR_TRUNCATED, -84, "the message is longer than the buffer")                                                  \
  X(AVRM_ERR_CANCELLED, -85, "the operation was cancelled")                                                            \
  X(AVRM_ERR_PEER_PENDING, -86, "a possible sender has failed; acknowledge the failure first")                         \
  X(AVRM_ERR_REVOKED, -87, "the communicator was revoked")                                                             \
  X(AVRM_ERR_BUFFER, -100, "the buffer is null")                                                                       \
  X(AVRM_ERR_COUNT, -101, "a count is negative")                                                                       \
  X(AVRM_ERR_DATATYPE, -102, "the datatype is null or not committed")                                                  \
  X(AVRM_ERR_TAG, -103, "the tag is out of range")                                                                     \
  X(AVRM_ERR_COMM, -104, "the communicator is null or was freed")                                                      \
  X(AVRM_ERR_WINDOW, -105, "the window is null or was freed")                                                          \
  X(AVRM_ERR_OUTSIDE, -106, "the operation reaches outside the target's window")                                       \
  X(AVRM_ERR_REQUEST, -107, "the pointer for the request is null")

AVRM_BEGIN_DECLS

/// Result of a call.
typedef enum avrm_status {
#define AVRM_I_STATUS_ENUM(name, value, text) name = value,
  AVRM_STATUS_LIST(AVRM_I_STATUS_ENUM)
#undef AVRM_I_STATUS_ENUM
} avrm_status_t;

/// Returns the name of a status, for example "AVRM_ERR_RANK", or "AVRM_ERR_?" for any other value.
/// The string is a constant. Thread-safe.
const char *avrm_status_name(avrm_status_t status) AVRM_NOEXCEPT;

/// Returns a one-line description of a status, without a full stop, or "unknown status" for any
/// other value. The string is a constant. Thread-safe.
const char *avrm_status_text(avrm_status_t status) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
