// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI-shaped interface of the device, and its fast path: from the call to the network in the fewest instructions
// ("Why Is MPI So Slow?", sections 2 and 3).
//
// One body (fastpath_inl.h) serves every build. What it does besides what MPI makes mandatory is an option, a constant at
// compile time:
//
//   default              argument checks, look whether threads are in use, function call
//   no-err               no argument checks
//   no-err-single        nor threads
//   no-err-single-ipo    nor a function call: avrm_fp_isend_inline and avrm_fp_put_inline
//
// The CMake option AVRM_FASTPATH chooses which of them the plain names avrm_fp_isend and avrm_fp_put stand for. All four builds are in every archive under their own names, so they can be compared.
//
// The six proposals of section 3 are options, too. Each drops something that MPI-3.1 does not allow to be dropped:
//
//   AVRM_FP_GLOBAL        the rank is one of MPI_COMM_WORLD                                  3.1
//   AVRM_FP_VIRTUAL_ADDR  the displacement is the target's virtual address                   3.2
//   (predefined handle)   the communicator or window is a constant: AVRM_COMM_1, AVRM_WIN_1  3.3
//   AVRM_FP_NO_PROC_NULL  the rank is not AVRM_PROC_NULL                                     3.4
//   AVRM_FP_NO_REQUEST    no request; avrm_fp_comm_waitall completes all                     3.5
//   AVRM_FP_NO_MATCH      neither source nor tag are matched, the communicator is            3.6
//
// Cost, in instructions from the call to the network, gcc 12 on x86-64, affine communicator, constant datatype (put / isend):
// default 73 / 66, no-err 48 / 48, no-err-single 46 / 47, these three up to the look into the netmod's table; inlined and bound
// to a netmod 29 / 25; global rank 22 / 20, virtual address 26, predefined handle 28 / 23, no PROC_NULL 28 / 24, no request 21,
// no match 22; all 12 / 13, with a constant count of at most AVRM_NETMOD_INJECT_MIN bytes 10 / 9. Tests pin them.
//
// The fast path is for plain network addresses, predefined datatypes, sizes that the transport injects, and communicators whose
// map is regular, a lut or an mlut. All else branches to the device's general path, with the same results.
//
// Over libfabric and UCX small puts are injected, too (fi_inject_write, or FI_INJECT over ofi_rxm; ucp_put_nbx); a flush waits
// for them.
//
// Thread-safety: with avrm_device_options_t.threads the two builds that look at it may be called from any thread. They share
// the device's lock, or, with avrm_fp_open(device, queues, ...) of more than one queue, communicators have work queues with locks
// of their own beside the device's: threads on different communicators then issue small messages and puts without sharing a lock
// or a cache line. Such a queue is a second domain and endpoint of libfabric, a second context and worker of UCX, which is
// connected to a peer when that is first sent to; it carries all that its communicators send, large messages too, so that none
// overtakes another. Receives, waiting and progress take the device's lock, and serve the queues. Only the two builds that look
// at threads, and device.h, may be used on a communicator with such a queue: the others know the device's alone.
#ifndef AVRANKMAP_FASTPATH_H
#define AVRANKMAP_FASTPATH_H

#include "avrankmap/datatype.h"
#include "avrankmap/device.h"
#include "avrankmap/netmod.h"

AVRM_BEGIN_DECLS

/// A rank to which operations do nothing.
#define AVRM_PROC_NULL (-2)

typedef enum avrm_fp_option {
  AVRM_FP_CHECKS = 1,
  AVRM_FP_THREADS = 2,
  AVRM_FP_GLOBAL = 4,
  AVRM_FP_VIRTUAL_ADDR = 8,
  AVRM_FP_NO_PROC_NULL = 16,
  AVRM_FP_NO_REQUEST = 32,
  AVRM_FP_NO_MATCH = 64,
} avrm_fp_option_t;

// ---------------------------------------------------------------------------------------------------------------------
// Hot parts of communicators and windows. The fields are for the inline functions.
// ---------------------------------------------------------------------------------------------------------------------

/// Everything that this interface keeps for a device.
typedef struct avrm_fp avrm_fp_t;

/// A communicator.
typedef struct avrm_fp_comm {
  const avrm_rankmap_t *map; ///< bound
  avrm_netmod_t *net;        ///< the device's
  uint64_t send_match;       ///< match bits of what this process sends here, tag 0
  uint64_t context_match;    ///< match bits of the communicator alone
  const avrm_ave_t *world;   ///< AVEs of MPI_COMM_WORLD
  avrm_comm_t *comm;         ///< the communicator as device.h knows it
  struct avrm_fp_cold *cold;
  uint32_t live;    ///< AVRM_FP_LIVE, else freed
  uint16_t threads; ///< the device was opened for several threads
  uint16_t codec;   ///< avrm_codec_t of the AVEs
} avrm_fp_comm_t;

#define AVRM_FP_LIVE 0x61767263u

/// How peers' parts of a window are reached natively. All zero for a peer that was not reached yet.
typedef struct avrm_fp_targets {
  uint64_t *bases_plus_1; ///< remote address of displacement 0, plus 1
  uint64_t *keys;         ///< key of the remote memory
} avrm_fp_targets_t;

/// A window.
typedef struct avrm_fp_window {
  const avrm_rankmap_t *map;       ///< as in the communicator, like all that has the name of one of its fields
  avrm_fp_targets_t targets;       ///< by rank in the communicator
  avrm_fp_targets_t world_targets; ///< by rank in MPI_COMM_WORLD
  avrm_netmod_t *net;
  const avrm_ave_t *world;
  const avrm_ave_t *uniform_world; ///< `world` if `uniform`, else AVEs of which none is connected
  uint64_t unit;                   ///< bytes per displacement unit, the same in all members
  uint64_t key;                    ///< key of every member's memory, if `uniform`
  uint64_t *sizes;                 ///< bytes of a target's part, by rank in the communicator; for checks
  uint32_t live;
  uint8_t uniform; ///< every member's memory has the same key
  uint8_t threads;
  uint16_t codec;
  struct avrm_fp_window_cold *cold;
} avrm_fp_window_t;

static_assert(sizeof(void *) != 8 || sizeof(avrm_fp_comm_t) == 64, "one cache line");

/// Predefined handles (proposal 3.3): their places are known when a program or shared object is linked, what is in them is
/// decided at run time. Each program or shared object that contains the library has one set of them.
#define AVRM_FP_PREDEFINED 4
extern AVRM_I_HIDDEN avrm_fp_comm_t avrm_fp_predefined_comms[AVRM_FP_PREDEFINED];
extern AVRM_I_HIDDEN avrm_fp_window_t avrm_fp_predefined_windows[AVRM_FP_PREDEFINED];
#define AVRM_COMM_1 (&avrm_fp_predefined_comms[0])
#define AVRM_COMM_2 (&avrm_fp_predefined_comms[1])
#define AVRM_COMM_3 (&avrm_fp_predefined_comms[2])
#define AVRM_COMM_4 (&avrm_fp_predefined_comms[3])
#define AVRM_WIN_1 (&avrm_fp_predefined_windows[0])
#define AVRM_WIN_2 (&avrm_fp_predefined_windows[1])
#define AVRM_WIN_3 (&avrm_fp_predefined_windows[2])
#define AVRM_WIN_4 (&avrm_fp_predefined_windows[3])

// ---------------------------------------------------------------------------------------------------------------------
// Setting up. Cold; one thread at a time.
// ---------------------------------------------------------------------------------------------------------------------

/// Opens the interface on a device. The device must outlive it.
/// @param queues  1: communicators share the device's own work queue. More, on a device for several threads: they are spread over
///                so many further ones, where the netmod can open them (avrm_fp_queues says so; libfabric's shm before 1.19 and
///                ofi_rxd cannot). These stay until the device is closed, and serve the next avrm_fp_open, too.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (queues), AVRM_ERR_NO_MEMORY
/// Cost of a further queue: 8 bytes of untouched memory per process of the world, and what the network's library takes for an
/// endpoint: 70 MiB and 40 ms with "tcp;ofi_rxm" of libfabric 1.17, less than 3 MiB and 3 ms with its "sockets" and with UCX.
avrm_status_t avrm_fp_open(avrm_device_t *device, int32_t queues, avrm_fp_t **fp_p) AVRM_NOEXCEPT;
/// Work queues beside the device's own that communicators are spread over; 0: they share that one, because no others were asked
/// for, the device is for one thread, or the netmod could not open them. `fp` must not be null. Thread-safe, one load.
int32_t avrm_fp_queues(const avrm_fp_t *fp) AVRM_NOEXCEPT;
/// Closes it. Null is allowed. @return AVRM_OK, AVRM_ERR_BUSY (communicators or windows exist)
avrm_status_t avrm_fp_close(avrm_fp_t *fp) AVRM_NOEXCEPT;

/// Gives a communicator of the device a handle of this interface. It must outlive the handle. If the world's address vector is
/// implicit (av.h), it gets its table, which the operations read in place. A communicator by which this process has sent already
/// keeps the device's work queue; else the first handle settles which one it has, until it is freed.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_INSTANCE (of another device), AVRM_ERR_NO_MEMORY
avrm_status_t avrm_fp_comm_create(avrm_fp_t *fp, avrm_comm_t *comm, avrm_fp_comm_t **handle_p) AVRM_NOEXCEPT;
/// The same in a predefined place, for example AVRM_COMM_1. AVRM_ERR_OPTION (no such place), AVRM_ERR_BUSY (taken).
avrm_status_t avrm_fp_comm_create_predefined(avrm_fp_t *fp, avrm_comm_t *comm, avrm_fp_comm_t *place) AVRM_NOEXCEPT;
/// Frees a handle, and completes what was sent without a request before. Checked builds recognise the freed handle until its
/// memory serves another communicator. @return AVRM_OK, AVRM_ERR_COMM, AVRM_ERR_BUSY (windows of it exist), or how an
/// operation without request ended
avrm_status_t avrm_fp_comm_free(avrm_fp_comm_t *handle) AVRM_NOEXCEPT;

/// Opens `bytes` bytes at `base` to the members. Collective over the communicator, as avrm_window_create.
/// @param unit  bytes per unit of displacement, at least 1, the same in all members
/// @return AVRM_OK, AVRM_ERR_COMM, AVRM_ERR_NULL, AVRM_ERR_SIZE (unit), AVRM_ERR_NO_MEMORY, and what avrm_window_create returns
/// Cost: 52 bytes of untouched, zero-filled memory per rank, besides the device's window.
avrm_status_t avrm_fp_window_create(avrm_fp_comm_t *comm, void *base, size_t bytes, int32_t unit,
                                    avrm_fp_window_t **window_p) AVRM_NOEXCEPT;
/// The same in a predefined place, for example AVRM_WIN_1. AVRM_ERR_OPTION (no such place), AVRM_ERR_BUSY (taken).
avrm_status_t avrm_fp_window_create_predefined(avrm_fp_comm_t *comm, void *base, size_t bytes, int32_t unit,
                                               avrm_fp_window_t *place) AVRM_NOEXCEPT;
/// Completes all puts of this process, then frees. @return AVRM_OK, AVRM_ERR_WINDOW, and what avrm_fp_flush_all returns
avrm_status_t avrm_fp_window_free(avrm_fp_window_t *window) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// Operations. With argument checks: AVRM_ERR_COMM, AVRM_ERR_WINDOW, AVRM_ERR_BUFFER, AVRM_ERR_COUNT, AVRM_ERR_DATATYPE,
// AVRM_ERR_RANK, AVRM_ERR_TAG, AVRM_ERR_OUTSIDE, AVRM_ERR_REQUEST, each for the argument of that name; without, wrong arguments
// have no defined effect. In all builds: AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT, and
// AVRM_ERR_UNSUPPORTED for several elements of a derived datatype that has gaps.
// ---------------------------------------------------------------------------------------------------------------------

/// MPI_Isend, without checks, for one thread. The request is to be tested or waited for by avrm_test and avrm_wait.
/// @param dest  0 .. size-1, or AVRM_PROC_NULL
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_inline(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                      avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Put. The origin buffer is free again on return, or after the next flush if `count` elements are more than the
/// transport injects. There is one datatype, for both sides.
/// @param displacement  in units of the window
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_inline(const void *buffer, int32_t count, avrm_datatype_t type,
                                                    int32_t target, int64_t displacement,
                                                    avrm_fp_window_t *window) AVRM_NOEXCEPT;

// The other builds: functions of the archive.
avrm_status_t avrm_fp_isend_default(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                                    avrm_fp_comm_t *comm, avrm_request_t **request_p) AVRM_NOEXCEPT;
avrm_status_t avrm_fp_isend_no_err(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                                   avrm_fp_comm_t *comm, avrm_request_t **request_p) AVRM_NOEXCEPT;
avrm_status_t avrm_fp_isend_no_err_single(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                          int32_t tag, avrm_fp_comm_t *comm, avrm_request_t **request_p) AVRM_NOEXCEPT;
avrm_status_t avrm_fp_put_default(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                  int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT;
avrm_status_t avrm_fp_put_no_err(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                 int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT;
avrm_status_t avrm_fp_put_no_err_single(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                        int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT;

/// The build that AVRM_FASTPATH chose: MPI_Isend and MPI_Put.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest,
                                               int32_t tag, avrm_fp_comm_t *comm,
                                               avrm_request_t **request_p) AVRM_NOEXCEPT;
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                             int64_t displacement, avrm_fp_window_t *window) AVRM_NOEXCEPT;

// The proposals, inlined and unchecked, each alone.

/// MPI_Isend_global: `dest` is a rank in MPI_COMM_WORLD, the communicator isolates as before. Not for intercommunicators.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_global(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int64_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                      avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Isend_npn: `dest` is not AVRM_PROC_NULL.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_npn(const void *buffer, int32_t count, avrm_datatype_t type,
                                                   int32_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                                   avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Isend_noreq: complete after avrm_fp_comm_waitall.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_noreq(const void *buffer, int32_t count, avrm_datatype_t type,
                                                     int32_t dest, int32_t tag, avrm_fp_comm_t *comm) AVRM_NOEXCEPT;
/// MPI_Isend_nomatch: matches receives by avrm_fp_irecv_nomatch, in order of arrival.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_nomatch(const void *buffer, int32_t count, avrm_datatype_t type,
                                                       int32_t dest, avrm_fp_comm_t *comm,
                                                       avrm_request_t **request_p) AVRM_NOEXCEPT;
/// All that apply to messages; with a predefined communicator, that is all but virtual addresses.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_isend_all_opts(const void *buffer, int32_t count, avrm_datatype_t type,
                                                        int64_t dest, avrm_fp_comm_t *comm) AVRM_NOEXCEPT;

/// MPI_Put with a rank in MPI_COMM_WORLD.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_global(const void *buffer, int32_t count, avrm_datatype_t type,
                                                    int64_t target, int64_t displacement,
                                                    avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// MPI_Put_virtual_addr: `address` is what avrm_fp_window_address gave to the target.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_virtual_addr(const void *buffer, int32_t count, avrm_datatype_t type,
                                                          int32_t target, uint64_t address,
                                                          avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// MPI_Put to a target that is not AVRM_PROC_NULL.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_npn(const void *buffer, int32_t count, avrm_datatype_t type,
                                                 int32_t target, int64_t displacement,
                                                 avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// All that apply to puts; with a predefined window to have all of the effect, and a uniform one (avrm_fp_window_is_uniform).
/// On others, as over libfabric and UCX, a function of the archive looks up the target's key, in 39 instructions from its entry
/// to the look into the netmod's table, if avrm_fp_window_address was asked for that target.
AVRM_INLINE_ALWAYS avrm_status_t avrm_fp_put_all_opts(const void *buffer, int32_t count, avrm_datatype_t type,
                                                      int64_t target, uint64_t address,
                                                      avrm_fp_window_t *window) AVRM_NOEXCEPT;

/// True if the keys of all members' memory are the same number, as on the null network.
bool avrm_fp_window_is_uniform(const avrm_fp_window_t *window) AVRM_NOEXCEPT;
/// The address by which this process reaches displacement 0 of a member's part; the bytes of the part follow it. Where the
/// network does not reach the part itself, addresses start from 0.
/// @return AVRM_OK, AVRM_ERR_WINDOW, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_PEER, AVRM_ERR_NO_MEMORY
avrm_status_t avrm_fp_window_address(avrm_fp_window_t *window, int32_t target, uint64_t *address_p) AVRM_NOEXCEPT;

/// MPI_Irecv, with argument checks in all builds. AVRM_ERR_UNSUPPORTED for several elements of a datatype with gaps.
/// @param source  a rank, AVRM_ANY_SOURCE or AVRM_PROC_NULL
/// @param tag     a tag or AVRM_ANY_TAG
avrm_status_t avrm_fp_irecv(void *buffer, int32_t count, avrm_datatype_t type, int32_t source, int32_t tag,
                            avrm_fp_comm_t *comm, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Receives what comes next in this communicator.
avrm_status_t avrm_fp_irecv_nomatch(void *buffer, int32_t count, avrm_datatype_t type, avrm_fp_comm_t *comm,
                                    avrm_request_t **request_p) AVRM_NOEXCEPT;
/// MPI_Comm_waitall: completes all sends without request. @return AVRM_OK, AVRM_ERR_COMM, or how the first that failed ended
avrm_status_t avrm_fp_comm_waitall(avrm_fp_comm_t *comm) AVRM_NOEXCEPT;
/// Waits until all puts of this process are in the targets' memory. @return AVRM_OK, AVRM_ERR_WINDOW, AVRM_ERR_PEER,
/// AVRM_ERR_TRANSPORT, or how the first put that failed ended
avrm_status_t avrm_fp_flush_all(avrm_fp_window_t *window) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// For the inline functions
// ---------------------------------------------------------------------------------------------------------------------

/// A request that is done: what operations return that end at once.
extern AVRM_I_HIDDEN avrm_request_t avrm_i_fp_done;

/// The netmod's tinject and put_inject, repeated until they do not return AVRM_ERR_AGAIN.
avrm_status_t avrm_i_fp_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                avrm_netmod_t *net) AVRM_NOEXCEPT;
avrm_status_t avrm_i_fp_put_inject(const void *buffer, size_t bytes, uint64_t key, uint64_t remote, uint64_t handle,
                                   avrm_netmod_t *net) AVRM_NOEXCEPT;

// The arguments that are not constants come first, where a caller has them.
avrm_status_t avrm_i_fp_isend_general(const void *buffer, int32_t count, int64_t dest, int32_t tag,
                                      avrm_fp_comm_t *comm, avrm_request_t **request_p, avrm_datatype_t type,
                                      unsigned options) AVRM_NOEXCEPT;
avrm_status_t avrm_i_fp_isend_locked(const void *buffer, int32_t count, int64_t dest, int32_t tag, avrm_fp_comm_t *comm,
                                     avrm_request_t **request_p, avrm_datatype_t type, unsigned options) AVRM_NOEXCEPT;
avrm_status_t avrm_i_fp_put_general(const void *buffer, int32_t count, int64_t target, int64_t displacement,
                                    avrm_fp_window_t *window, avrm_datatype_t type, unsigned options) AVRM_NOEXCEPT;
avrm_status_t avrm_i_fp_put_locked(const void *buffer, int32_t count, int64_t target, int64_t displacement,
                                   avrm_fp_window_t *window, avrm_datatype_t type, unsigned options) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/fastpath_inl.h"

#endif
