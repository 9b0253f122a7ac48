// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI-shaped interface of the device and its fast path: between the call and the network's
// function, nothing is computed at run time that is known at compile time ("Why Is MPI So Slow?",
// sections 2 and 3).
//
// Create a handle for a communicator (tests/tour/fastpath.c):
//
//   must(avrm_fp_open(device, 1, &fp));
//   must(avrm_fp_comm_create(fp, world, &comm));
//
// Send messages without a request (tests/tour/fastpath.c):
//
//   must(avrm_fp_isend_noreq(out, 3, AVRM_DOUBLE, next, 7, comm)); // any number of them
//   must(avrm_fp_comm_waitall(comm));                              // out is free
//
// Put a value (tests/tour/fastpath.c):
//
//   must(avrm_fp_window_create(comm, part, sizeof part, sizeof part[0], 0, &window));
//   must(avrm_fp_put(&value, 1, AVRM_INT64, next, 5, window)); // to part[5] of the next process
//   must(avrm_fp_flush_all(window));                           // it is there
//
// All builds are compiled from one body (fastpath_inl.h), in which everything beyond MPI's
// mandatory work is an option, a compile-time constant. The archive contains the first three builds
// under their own names. The CMake option AVRM_FASTPATH selects the build that the plain names
// avrm_fp_isend and avrm_fp_put stand for.
//
//   build               argument checks   thread check   function call   inlined
//   default             yes               yes            yes             -
//   no-err              -                 yes            yes             -
//   no-err-single       -                 -              yes             -
//   no-err-single-ipo   -                 -              -               yes
//
// The last build consists of the functions avrm_fp_isend_inline and avrm_fp_put_inline. A program
// that is bound to its netmod (binding.h) also inlines the netmod's part. A constant count and
// datatype stay constants up to the network's function. bench/README.md has the rates of all
// builds.
//
// The six proposals of section 3 are options of the inline build. Each of them gives up a guarantee
// of MPI-3.1.
//
//   option                requirement for the caller                                 section
//   AVRM_FP_GLOBAL        the rank is one of MPI_COMM_WORLD                          3.1
//   AVRM_FP_VIRTUAL_ADDR  the displacement is a virtual address of the target        3.2
//   (predefined handle)   the handle is a constant: AVRM_COMM_1, AVRM_WIN_1          3.3
//   AVRM_FP_NO_PROC_NULL  the rank is not AVRM_PROC_NULL                             3.4
//   AVRM_FP_NO_REQUEST    avrm_fp_comm_waitall completes the operation               3.5
//   AVRM_FP_NO_MATCH      only the communicator is matched, neither source nor tag   3.6
//
// The fast path covers plain network addresses, predefined datatypes, sizes that the transport
// injects, and communicators of every form over address vectors of both kinds. All other operations
// branch to the device's general path, which returns the same results and does not translate the
// rank again. Small puts are also injected, by libfabric's fi_inject_write (over ofi_rxm, by
// fi_writemsg with FI_INJECT) or by UCX's ucp_put_nbx; a flush waits for them.
//
// Threads: on a device with avrm_device_options_t.threads set, the builds with a thread check are
// thread-safe. By default they share the device's lock. With several queues (avrm_fp_open), a
// communicator sends through a work queue with its own lock, so that threads on communicators of
// different queues issue small messages and puts without sharing a lock or a cache line. A queue is
// another domain and endpoint of libfabric, or another context and worker of UCX, and connects to a
// peer at the first send. It carries all messages of its communicators, including large ones, so
// that messages never overtake each other. Receives, waits and progress take the device's lock and
// also serve the queues. On a communicator that sends through one of these queues, do not use the
// builds without a thread check; the functions of device.h may be used.
#ifndef AVRANKMAP_DEVICE_FASTPATH_H
#define AVRANKMAP_DEVICE_FASTPATH_H

#include "avrankmap/device/binding.h"
#include "avrankmap/device/datatype.h"
#include "avrankmap/device/device.h"
#include "avrankmap/device/netmod.h"
#include "avrankmap/directory.h"

AVRM_BEGIN_DECLS

/// Options of a build of the fast path; the comment at the top of this header has a table.
typedef enum avrm_fp_option {
  AVRM_FP_CHECKS = 1,        ///< arguments are checked
  AVRM_FP_THREADS = 2,       ///< several threads may use the device
  AVRM_FP_GLOBAL = 4,        ///< the destination is a rank of MPI_COMM_WORLD
  AVRM_FP_VIRTUAL_ADDR = 8,  ///< the displacement is an address
  AVRM_FP_NO_PROC_NULL = 16, ///< AVRM_PROC_NULL is not a valid destination
  AVRM_FP_NO_REQUEST = 32,   ///< no request: the communicator counts what is incomplete
  AVRM_FP_NO_MATCH = 64,     ///< no match bits but those of the communicator
} avrm_fp_option_t;

// -------------------------------------------------------------------------------------------------
// Hot parts of communicators and windows. The fields are for the library and its inline functions;
// do not access them.
// -------------------------------------------------------------------------------------------------

/// State of this interface on one device.
typedef struct avrm_fp avrm_fp_t;

/// A communicator.
typedef struct avrm_fp_comm {
  const avrm_rankmap_t *map; ///< bound
  avrm_netmod_t *net;        ///< of the device
  uint64_t send_match;       ///< match bits of messages from this process, with tag 0
  uint64_t context_match;    ///< match bits of the context only
  uintptr_t world;           ///< table of the AVEs of MPI_COMM_WORLD, or its line (line.h)
  avrm_comm_t *comm;         ///< handle of device.h
  struct avrm_fp_cold *cold;
  uint32_t live;    ///< AVRM_FP_LIVE or AVRM_FP_LIVE_THREADS; 0 after free
  uint16_t threads; ///< non-zero: several threads may use the device
  uint16_t codec;   ///< avrm_codec_t of the AVEs
} avrm_fp_comm_t;

/// Value of `live` in a communicator or window that has not been freed, if `threads` is 0.
#define AVRM_FP_LIVE 0x61767263u
/// Value of `live` in a communicator or window that has not been freed, if `threads` is non-zero.
#define AVRM_FP_LIVE_THREADS 0x61767264u
/// Returns true unless the communicator or window with this value of `live` has been freed.
AVRM_INLINE bool avrm_i_fp_is_live(uint32_t live) AVRM_NOEXCEPT {
  return live == AVRM_FP_LIVE || live == AVRM_FP_LIVE_THREADS;
}

/// A window. Fields that it shares with avrm_fp_comm_t have the same meaning.
typedef struct avrm_fp_window {
  const avrm_rankmap_t *map;
  uint64_t base; ///< remote address of displacement 0, if `uniform`
  uint64_t key;  ///< of the remote memory, if `uniform`
  avrm_netmod_t *net;
  uintptr_t world;
  uint64_t unit; ///< bytes per displacement unit, the same in all members
  uint32_t live;
  uint8_t uniform; ///< non-zero: the parts of all members have the same base, key and size
  uint8_t threads;
  uint16_t codec;
  const avrm_directory_t *parts; ///< known parts of members, for put_inject
  struct avrm_fp_window_cold *cold;
} avrm_fp_window_t;

static_assert(sizeof(void *) != 8 || sizeof(avrm_fp_comm_t) == 64, "one cache line");
static_assert(sizeof(void *) != 8 || offsetof(avrm_fp_window_t, parts) <= 64,
              "what puts without checks read is in one cache line");

/// Predefined handles (proposal 3.3). Their addresses are constants of the linked program or shared
/// object; their contents are set at run time. Each program or shared object that contains the
/// library has its own set.
#define AVRM_FP_PREDEFINED 4
/// The communicators of the handles AVRM_COMM_1 to AVRM_COMM_4.
extern AVRM_I_HIDDEN avrm_fp_comm_t avrm_fp_predefined_comms[AVRM_FP_PREDEFINED];
/// The windows of the handles AVRM_WIN_1 to AVRM_WIN_4.
extern AVRM_I_HIDDEN avrm_fp_window_t avrm_fp_predefined_windows[AVRM_FP_PREDEFINED];
#define AVRM_COMM_1 (&avrm_fp_predefined_comms[0])  ///< predefined communicator 1
#define AVRM_COMM_2 (&avrm_fp_predefined_comms[1])  ///< predefined communicator 2
#define AVRM_COMM_3 (&avrm_fp_predefined_comms[2])  ///< predefined communicator 3
#define AVRM_COMM_4 (&avrm_fp_predefined_comms[3])  ///< predefined communicator 4
#define AVRM_WIN_1 (&avrm_fp_predefined_windows[0]) ///< predefined window 1
#define AVRM_WIN_2 (&avrm_fp_predefined_windows[1]) ///< predefined window 2
#define AVRM_WIN_3 (&avrm_fp_predefined_windows[2]) ///< predefined window 3
#define AVRM_WIN_4 (&avrm_fp_predefined_windows[3]) ///< predefined window 4

// -------------------------------------------------------------------------------------------------
// Setup. Not on the fast path; one thread at a time.
// -------------------------------------------------------------------------------------------------

/// Opens the interface on a device. The device must outlive it.
/// @param queues  1: communicators share the device's own work queue. More, on a device with
///                `threads` set: communicators are distributed over that many additional queues
/// @param fp_p    receives the interface
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (queues), AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED
///         (the caller's AVRM_FP_BINDING is for a netmod other than the device's; see binding.h),
///         AVRM_ERR_SYSTEM and AVRM_ERR_TRANSPORT (a queue could not be opened)
/// If the netmod does not support that many additional queues, none is used, and avrm_fp_queues
/// returns 0. Queues that were opened, even by a call that failed, stay open until the device is
/// closed, and the next avrm_fp_open reuses them. Cost per queue: an address per connected peer
/// (addresses.h), and an endpoint of the transport. An endpoint takes 70 MiB and 40 ms with
/// "tcp;ofi_rxm" of libfabric 1.17, and less than 3 MiB and 3 ms with its "sockets" and with UCX.
AVRM_INLINE avrm_status_t avrm_fp_open(avrm_device_t *device, int32_t queues, avrm_fp_t **fp_p) AVRM_NOEXCEPT;
/// Returns the number of additional work queues. 0: communicators share the device's own queue,
/// because no others were requested, `threads` is not set, or the netmod could not open them. `fp`
/// must not be null. Thread-safe, one load.
int32_t avrm_fp_queues(const avrm_fp_t *fp) AVRM_NOEXCEPT;
/// Closes the interface. Null is a no-op.
/// @return AVRM_OK, AVRM_ERR_BUSY (it has communicators or windows)
avrm_status_t avrm_fp_close(avrm_fp_t *fp) AVRM_NOEXCEPT;

/// Creates a handle of this interface for a communicator of the device. The communicator must
/// outlive the handle.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_INSTANCE (a communicator of another device),
///         AVRM_ERR_NO_MEMORY
/// A handle does not turn an implicit address vector (av.h) into a table. If the vector has become
/// a table since the communicator was created, the handle translates inline, except on a device
/// with `threads` set, where translation still calls a function of the address vector. The first
/// handle assigns a queue to the communicator for the communicator's lifetime. A communicator that
/// has already sent messages keeps the device's work queue instead.
avrm_status_t avrm_fp_comm_create(avrm_fp_t *fp, avrm_comm_t *comm, avrm_fp_comm_t **handle_p) AVRM_NOEXCEPT;
/// Creates a handle for a communicator, as avrm_fp_comm_create does, in a predefined place.
/// @param place  AVRM_COMM_1 .. AVRM_COMM_4
/// @return as avrm_fp_comm_create; also AVRM_ERR_OPTION (no such place), AVRM_ERR_BUSY (in use)
avrm_status_t avrm_fp_comm_create_predefined(avrm_fp_t *fp, avrm_comm_t *comm, avrm_fp_comm_t *place) AVRM_NOEXCEPT;
/// Completes all operations without a request, then frees the handle. Builds with argument checks
/// detect use of the freed handle until another communicator reuses its memory.
/// @return AVRM_OK, AVRM_ERR_COMM, AVRM_ERR_BUSY (it has windows), or the status of the first
///         operation without a request that failed, after which the handle is also freed
avrm_status_t avrm_fp_comm_free(avrm_fp_comm_t *handle) AVRM_NOEXCEPT;

/// Creates a window of `bytes` bytes at `base`, which the members can access. Collective, as
/// avrm_window_create.
/// @param base   must stay valid until the window is freed; may be null if bytes is 0
/// @param unit   bytes per unit of displacement, at least 1, the same in all members
/// @param flags  of avrm_window_flag_t
/// @return AVRM_OK, AVRM_ERR_COMM, AVRM_ERR_NULL, AVRM_ERR_SIZE (unit), AVRM_ERR_NO_MEMORY, and
///         errors of avrm_window_create
/// Cost: that of avrm_window_create; no additional memory per rank (directory.h).
avrm_status_t avrm_fp_window_create(avrm_fp_comm_t *comm, void *base, size_t bytes, int32_t unit, unsigned flags,
                                    avrm_fp_window_t **window_p) AVRM_NOEXCEPT;
/// Creates a window, as avrm_fp_window_create does, in a predefined place.
/// @param place  AVRM_WIN_1 .. AVRM_WIN_4
/// @return as avrm_fp_window_create; also AVRM_ERR_OPTION (no such place), AVRM_ERR_BUSY (in use)
avrm_status_t avrm_fp_window_create_predefined(avrm_fp_comm_t *comm, void *base, size_t bytes, int32_t unit,
                                               unsigned flags, avrm_fp_window_t *place) AVRM_NOEXCEPT;
/// Completes all puts of this process, then frees the window. As for avrm_window_free, all accesses
/// to this process's part must have ended before the call.
/// @return AVRM_OK, AVRM_ERR_WINDOW, or an error of avrm_fp_flush_all, after which the window is
///         also freed
avrm_status_t avrm_fp_window_free(avrm_fp_window_t *window) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Operations. Builds with argument checks return AVRM_ERR_COMM, AVRM_ERR_WINDOW, AVRM_ERR_BUFFER,
// AVRM_ERR_COUNT, AVRM_ERR_DATATYPE, AVRM_ERR_RANK, AVRM_ERR_TAG, AVRM_ERR_OUTSIDE or
// AVRM_ERR_REQUEST for an invalid argument; in builds without checks, the behaviour is undefined.
// All builds return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT,
// AVRM_ERR_SYSTEM, AVRM_ERR_UNSUPPORTED (several elements of a derived datatype with gaps),
// AVRM_ERR_LIMIT (more than 2^47 bytes), errors of a first contact (device.h), and for messages
// AVRM_ERR_REVOKED (ft.h).
// -------------------------------------------------------------------------------------------------

/// Starts to send a message (MPI_Isend). No argument checks; one thread at a time. Complete the
/// request with avrm_test or avrm_wait.
/// @param buffer     not to be changed until the request completes
/// @param count      number of elements, 0 or more
/// @param dest       0 .. size-1, or AVRM_PROC_NULL
/// @param tag        0 .. AVRM_MATCH_MAX_TAG
/// @param request_p  receives the request
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_inline(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                      avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Puts elements into a window (MPI_Put). No argument checks; one thread at a time. Origin and
/// target use the same datatype. The origin buffer may be reused on return if the data have at most
/// the netmod's inject_max bytes (netmod.h; AVRM_NETMOD_INJECT_MIN or more), otherwise after the
/// next flush.
/// @param target        0 .. size-1, or AVRM_PROC_NULL
/// @param displacement  from the start of the target's part, in units of the window
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_inline(const void *buffer, int32_t count, avrm_datatype_t type,
                                                    int32_t target, int64_t displacement,
                                                    avrm_fp_window_t *window) AVRM_NOEXCEPT;

/// MPI_Isend with all checks. Arguments as for avrm_fp_isend_inline.
avrm_status_t avrm_fp_isend_default(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                                    avrm_fp_comm_t *comm, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Isend without argument checks. Arguments as for avrm_fp_isend_inline.
avrm_status_t avrm_fp_isend_no_err(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                                   avrm_fp_comm_t *comm, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// As avrm_fp_isend_no_err, without a thread check: one thread at a time.
avrm_status_t avrm_fp_isend_no_err_single(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                          int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Put with all checks. Arguments as for avrm_fp_put_inline.
avrm_status_t avrm_fp_put_default(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                  int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// MPI_Put without argument checks. Arguments as for avrm_fp_put_inline.
avrm_status_t avrm_fp_put_no_err(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                 int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// As avrm_fp_put_no_err, without a thread check: one thread at a time.
avrm_status_t avrm_fp_put_no_err_single(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                        int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT;

/// MPI_Isend in the build that AVRM_FASTPATH selects. Arguments as for avrm_fp_isend_inline.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                               int32_t tag, avrm_fp_comm_t *comm,
                                               avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Put in the build that AVRM_FASTPATH selects. Arguments as for avrm_fp_put_inline.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                             int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT;

// The proposals, one per function, inlined and without argument checks; one thread at a time.
// Arguments that are not described are those of avrm_fp_isend_inline and avrm_fp_put_inline.

/// MPI_Isend_global. Not for intercommunicators.
/// @param dest  a rank in MPI_COMM_WORLD, or AVRM_PROC_NULL. Matching uses the communicator's
///              context
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_global(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int64_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                      avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Isend_npn.
/// @param dest  0 .. size-1; not AVRM_PROC_NULL
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_npn(const void *buffer, int32_t count, avrm_datatype_t type,
                                                   int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                   avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Isend_noreq. There is no request: avrm_fp_comm_waitall completes the operation.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_noreq(const void *buffer, int32_t count, avrm_datatype_t type,
                                                     int32_t dest, int32_t tag, avrm_fp_comm_t *comm) AVRM_NOEXCEPT;
/// MPI_Isend_nomatch. Matches receives of avrm_fp_irecv_nomatch, in order of arrival. Use no other
/// sends and receives in the same communicator: nothing in a message shows whether its send was of
/// this kind.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_nomatch(const void *buffer, int32_t count, avrm_datatype_t type,
                                                       int32_t dest, avrm_fp_comm_t *comm,
                                                       avrm_request_t **request_p) AVRM_NOEXCEPT;
/// All proposals for messages except the predefined handle. To add that one, pass a predefined
/// communicator. Matches receives of avrm_fp_irecv_nomatch; avrm_fp_comm_waitall completes the
/// operation.
/// @param dest  a rank in MPI_COMM_WORLD; not AVRM_PROC_NULL
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_all_opts(const void *buffer, int32_t count, avrm_datatype_t type,
                                                        int64_t dest, avrm_fp_comm_t *comm) AVRM_NOEXCEPT;

/// MPI_Put with a rank in MPI_COMM_WORLD.
/// @param target  a rank in MPI_COMM_WORLD, or AVRM_PROC_NULL
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_global(const void *buffer, int32_t count, avrm_datatype_t type,
                                                    int64_t target, int64_t displacement,
                                                    avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// MPI_Put_virtual_addr.
/// @param address  an address in the target's part (avrm_fp_window_address)
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_virtual_addr(const void *buffer, int32_t count, avrm_datatype_t type,
                                                          int32_t target, uint64_t address,
                                                          avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// MPI_Put to a target that is not AVRM_PROC_NULL.
/// @param target  0 .. size-1
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_npn(const void *buffer, int32_t count, avrm_datatype_t type,
                                                 int32_t target, int64_t displacement,
                                                 avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// All proposals for puts except the predefined handle. To add that one, pass a predefined window.
/// Fastest on a uniform window (avrm_fp_window_is_uniform); on others a function of the archive
/// finds the target's rank and key.
/// @param target   a rank in MPI_COMM_WORLD; not AVRM_PROC_NULL
/// @param address  an address in the target's part (avrm_fp_window_address)
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_all_opts(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int64_t target, uint64_t address,
                                                      avrm_fp_window_t *window) AVRM_NOEXCEPT;

/// Returns true if the parts of all members have the same address, key and size, and this process
/// knows that: on the null network, after AVRM_WINDOW_EXCHANGE or, if `threads` is not set, once
/// operations have reached all members.
bool avrm_fp_window_is_uniform(const avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// Returns the address of displacement 0 in a member's part. This process can pass this address,
/// plus any offset in bytes, to avrm_fp_put_virtual_addr and avrm_fp_put_all_opts; the part is
/// contiguous. If the network cannot access the part directly, addresses start at 0. If the part is
/// not known yet, asks the member and blocks until it has answered.
/// @return AVRM_OK, AVRM_ERR_WINDOW, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_PEER,
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_TRANSPORT, errors of a first contact (device.h)
avrm_status_t avrm_fp_window_address(avrm_fp_window_t *window, int32_t target, uint64_t *address_p) AVRM_NOEXCEPT;

/// Starts to receive a message (MPI_Irecv), with argument checks in all builds. A receive from
/// AVRM_PROC_NULL is complete at once; its outcome has the source AVRM_PROC_NULL, the tag
/// AVRM_ANY_TAG and 0 bytes.
/// @param buffer     not to be used until the request completes
/// @param count      number of elements, 0 or more
/// @param source     0 .. size-1, AVRM_ANY_SOURCE or AVRM_PROC_NULL
/// @param tag        0 .. AVRM_MATCH_MAX_TAG, or AVRM_ANY_TAG
/// @param request_p  receives the request
/// @return as for operations (above); AVRM_ERR_UNSUPPORTED for several elements of a datatype with
///         gaps
avrm_status_t avrm_fp_irecv(void *buffer, int32_t count, avrm_datatype_t type, int32_t source, int32_t tag,
                            avrm_fp_comm_t *comm, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to receive the next message in this communicator, whatever its source and tag. It should
/// have been sent by avrm_fp_isend_nomatch or avrm_fp_isend_all_opts. The source and tag of the
/// outcome have no meaning. Otherwise as avrm_fp_irecv.
avrm_status_t avrm_fp_irecv_nomatch(void *buffer, int32_t count, avrm_datatype_t type, avrm_fp_comm_t *comm,
                                    avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Blocks until all sends without a request have completed (MPI_Comm_waitall).
/// @return AVRM_OK, AVRM_ERR_COMM, or the status of the first send that failed
avrm_status_t avrm_fp_comm_waitall(avrm_fp_comm_t *comm) AVRM_NOEXCEPT;
/// Blocks until all puts of this process are visible in the targets' memory.
/// @return AVRM_OK, AVRM_ERR_WINDOW, the status of the first put that failed, or an error of
///         avrm_flush_all
avrm_status_t avrm_fp_flush_all(avrm_fp_window_t *window) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// For the inline functions
// -------------------------------------------------------------------------------------------------

/// A completed request, returned by operations that complete immediately.
extern AVRM_I_HIDDEN avrm_request_t avrm_i_fp_done;

/// Implements avrm_fp_open. `netmod` is the name of the netmod that the caller is bound to; null:
/// none.
avrm_status_t avrm_i_fp_open(avrm_device_t *device, int32_t queues, const char *netmod, avrm_fp_t **fp_p) AVRM_NOEXCEPT;

/// Library functions that the inline bodies call for devices with `threads` set, and for everything
/// that a transport does not inject.
/// @param dest, target  a rank in the communicator or, with AVRM_FP_GLOBAL, in the world
/// @param word  the address word of the peer, which is not translated again. Unused on a device
///              with `threads` set, which translates with its lock held
avrm_status_t avrm_i_fp_isend_general(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                      int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p, unsigned options,
                                      uint64_t word) AVRM_NOEXCEPT;
avrm_status_t avrm_i_fp_isend_locked(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                                     avrm_fp_comm_t *comm, avrm_request_t **request_p, unsigned options) AVRM_NOEXCEPT;
avrm_status_t avrm_i_fp_put_general(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                    int64_t displacement, avrm_fp_window_t *window, unsigned options,
                                    uint64_t word) AVRM_NOEXCEPT;
avrm_status_t avrm_i_fp_put_locked(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                   int64_t displacement, avrm_fp_window_t *window, unsigned options) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/device/fastpath_inl.h"

#endif
