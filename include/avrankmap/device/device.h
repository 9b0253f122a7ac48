// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device: messages and one-sided operations between the processes of a job. Each operation
// finds its peer through the communicator's rankmap and the peer's element in an address vector
// (AVE, ave.h). As in "Why Is MPI So Slow?", section 2, the device's core layer decides by locality
// whether to call a netmod (between nodes) or a shmmod (within a node).
//
//   plain network address? --yes--> netmod (libfabric, UCX, null): native messages, puts and gets
//         | no
//         +-- same node ----------> shmmod (POSIX shared memory); the core matches messages
//         +-- this process -------> the core itself
//         +-- not connected yet --> fetches the peer's card, inserts it, writes its AVE, repeats
//
// Opening a device publishes the card of this process: its node and its addresses in the transports
// (boot.h). A peer's card is fetched, and its address inserted into the provider, at first contact,
// unless the options connect all peers at once.
//
// Threads: two devices in one process share nothing. With `threads` set, any number of threads may
// use a device; otherwise only one at a time. Functions that block make progress. There is no
// progress between calls.
//
// Waiting: a thread polls the transports, at first without pause, then yielding between polls.
// After the spin time (spin_us) without an event it sleeps until something arrives. Arrivals over
// posix, UCX and libfabric's tcp;ofi_rxm wake it, and so does another thread that gives it work to
// do. Other providers (shm, net, sockets) cannot wake it and are polled at intervals of an eighth
// of the time waited, 2 ms at most. The same applies to conditions without a notification, such as
// room in a full queue or the fence when a device is closed. Programs that wait in their own event
// loop use event.h.
//
// Failures: when a process fails, operations with it complete with AVRM_ERR_PEER. Pending receives
// with AVRM_ANY_SOURCE for which it is a possible sender complete with AVRM_ERR_PEER_PENDING. Later
// sends and one-sided operations to it return AVRM_ERR_PEER; later receives from it still take
// messages that have arrived, and otherwise complete with AVRM_ERR_PEER. The embedded launcher and
// some PMIx launchers report failures. Under PMIx and PMI-2 the device also detects them itself, by
// pidfds of processes on its node, broken connections, and a ring in which each process watches two
// others. The process that detects a failure informs all processes of the world (ft.h). When the
// launcher itself fails, all other processes count as failed.
//
// Loops of small sends, puts or gets need not call avrm_progress to learn of failures: at least
// every 1,024th operation makes progress.
//
// Open a device (tests/tour/job.c):
//
//   avrm_device_options_t options = {0};
//   avrm_device_t *device;
//   options.boot = boot;
//   options.on_error = on_error;
//   avrm_status_t status = avrm_device_open(&options, &device);
//
// tests/tour/job.c is the whole program; the other examples in this header are in the same folder.
// must() ends the program if a call returns an error.
#ifndef AVRANKMAP_DEVICE_DEVICE_H
#define AVRANKMAP_DEVICE_DEVICE_H

#include "avrankmap/device/boot.h"
#include "avrankmap/device/request.h"
#include "avrankmap/device/topo.h"
#include "avrankmap/instance.h"
#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

/// A device: the transports of one process, its address vectors, communicators and windows.
typedef struct avrm_device avrm_device_t;
/// A communicator.
typedef struct avrm_comm avrm_comm_t;
/// A window.
typedef struct avrm_window avrm_window_t;

/// When peers are connected.
typedef enum avrm_connect_policy {
  AVRM_CONNECT_ON_DEMAND = 0, ///< each at first contact
  AVRM_CONNECT_EAGER = 1,     ///< all at once when the device is opened
} avrm_connect_policy_t;

/// Kind of the world's address vector (av.h).
typedef enum avrm_device_av {
  /// The environment variable AVRM_AV decides (../../ENVIRONMENT.md). Without it: implicit if all
  /// peers are connected at once over a netmod that then numbers addresses consecutively, in order
  /// of rank (ofi); otherwise a table.
  AVRM_DEVICE_AV_AUTO = 0,
  AVRM_DEVICE_AV_TABLE = 1, ///< 12 bytes per process
  /// No table as long as addresses follow a pattern; when they no longer do, a table is made. With
  /// connection on demand, the first contact out of order has this effect.
  AVRM_DEVICE_AV_IMPLICIT = 2,
} avrm_device_av_t;

struct avrm_netmod_ops; // netmod.h
struct avrm_shmmod_ops; // shmmod.h

/// Options of avrm_device_open. All zero: the defaults.
typedef struct avrm_device_options {
  avrm_boot_t *boot; ///< required; must outlive the device
  /// Name of a netmod: one of this build, such as "ofi", or the one in netmod_ops. Null: that in
  /// the environment variable AVRM_NETMOD, otherwise netmod_ops, otherwise the preferred netmod
  /// (../../ENVIRONMENT.md).
  const char *netmod;
  /// Name of a shmmod, such as "posix" or the one in shmmod_ops, or "none". Null: that in the
  /// environment variable AVRM_SHMMOD, otherwise shmmod_ops, otherwise the preferred shmmod.
  /// Processes of the node that cannot share memory with this one (other namespaces, users or
  /// capabilities, as in containers) are reached over the network, and on_error is called once;
  /// their node ids do not change. Without a network they are unreachable.
  const char *shmmod;
  /// Passed to the netmod. Null: the transport's own environment (FI_PROVIDER, UCX_TLS).
  const char *provider;
  avrm_connect_policy_t connect;
  bool threads;                      ///< several threads may use the device at the same time
  bool strict;                       ///< as in avrm_instance_options_t
  const avrm_allocator_t *allocator; ///< as in avrm_instance_options_t
  /// Binds the world's address vector to the NUMA node that this process runs on, if that is a
  /// single node and the system allows it. Null: the system chooses, as it does with a
  /// user-supplied allocator or an implicit address vector. Only used by avrm_device_open.
  const avrm_topo_t *topo;
  /// Called for each error of a transport or of the device that has a description, such as an
  /// invalid option, with that description; may be null. It must not call the library. If a device
  /// cannot be opened, avrm_device_open_error also returns the text.
  void (*on_error)(void *user, avrm_status_t status, const char *text);
  void *user;
  avrm_device_av_t av;
  /// Network interface, such as "ib0", on which ports listen (avrm_port_open); at most 15 bytes.
  /// Null: that in the environment variable AVRM_PORT_INTERFACE; without it, loopback if the
  /// launcher reports that the job runs on one machine, else all interfaces.
  const char *port_interface;
  /// Microseconds for which a waiting thread polls without an event before it sleeps. 0: the value
  /// of the environment variable AVRM_SPIN_US, otherwise 1000. AVRM_SPIN_FOREVER: it never sleeps.
  /// Over libfabric's tcp;ofi_rxm, a device that may sleep takes about 1 us longer for a message.
  int32_t spin_us;
  /// Operations of a user-supplied netmod and shmmod, in addition to those of this build and under
  /// names of their own (tests/tour/datagram). They must outlive the device. Null: none.
  const struct avrm_netmod_ops *netmod_ops;
  const struct avrm_shmmod_ops *shmmod_ops;
} avrm_device_options_t;

/// Value of spin_us with which waiting threads never sleep.
#define AVRM_SPIN_FOREVER (-1)

/// Implements avrm_device_open. `headers` is the version of the headers that the caller was
/// compiled with.
avrm_status_t avrm_i_device_open(const avrm_device_options_t *options, avrm_device_t **device_p,
                                 uint64_t headers) AVRM_NOEXCEPT;

/// Opens a device: its transports, the card of this process, and the world communicator. Collective
/// over the job; blocks in one fence. If a process has ended before it called this, and the
/// launcher does not report that, the others return AVRM_ERR_TIMEOUT after the time in the
/// environment variable AVRM_OPEN_TIMEOUT (PMIx and PMI-2; boot.h). Then the device cannot be
/// opened with this boot any more.
/// @param options   required, as is options->boot
/// @param device_p  receives the device
/// @return AVRM_OK, AVRM_ERR_VERSION (headers and library differ, or a table of operations has an
///         unsupported size or version), AVRM_ERR_NULL, AVRM_ERR_OPTION (a netmod, shmmod or av
///         that is unknown or was not built, a table that lacks an operation or has the name of a
///         transport of this build, a port_interface that is too long, an invalid spin_us or
///         environment variable), AVRM_ERR_UNSUPPORTED (no such provider here, or its messages are
///         shorter than the device needs: FI_OFI_RXM_BUFFER_SIZE in ENVIRONMENT.md), AVRM_ERR_SIZE
///         (the transports' addresses do not fit into a card), AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM,
///         AVRM_ERR_BOOT, AVRM_ERR_PEER, AVRM_ERR_TIMEOUT, AVRM_ERR_TRANSPORT; with
///         AVRM_CONNECT_EAGER also the errors of a first contact (see Messages)
/// Cost: that of the network library, and a few milliseconds. libfabric 1.17 takes 0.15 s of
/// processor time per process to initialise itself, whichever provider is requested, as its verbs
/// provider reads /proc/kallsyms twice. Its ofi_rxm takes another 0.1 s to clear 65 MB of buffers
/// (FI_OFI_RXM_BUFFER_SIZE). UCX and posix take a few milliseconds.
AVRM_INLINE avrm_status_t avrm_device_open(const avrm_device_options_t *options,
                                           avrm_device_t **device_p) AVRM_NOEXCEPT {
  return avrm_i_device_open(options, device_p, AVRM_I_HEADERS);
}

/// Returns the last error text of avrm_device_open, avrm_boot_open and avrm_boot_fork_run in this
/// thread; "" if the last of these calls produced none. The text names the invalid option or
/// variable and its valid values, or the system call that failed, or is the transport's own
/// description of the error. Some errors have no text. Valid until the next of these calls in this
/// thread, or until a system call fails in another call of the library in this thread. Thread-safe.
const char *avrm_device_open_error(void) AVRM_NOEXCEPT;

/// Closes a device: blocks in a fence until no process of the job needs this one any more, lets the
/// transports deliver what was sent, and closes them. Once a process of the job has failed, fences
/// cannot complete; the call then waits only until the transports have accepted its answers to
/// other processes, for at most one second. Survivors that still need each other synchronise first
/// (avrm_comm_agree). Operations with a process that has closed its device may stay pending for as
/// long as that process lives. Free communicators (except the world), windows and requests first.
/// Null is a no-op.
/// @return AVRM_OK, AVRM_ERR_BUSY (nothing changes). After any other error the device is also
///         closed: AVRM_ERR_PEER (a process has failed), AVRM_ERR_BOOT (the launcher has ended),
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM; under PMI-2 also AVRM_ERR_REVOKED (the world was
///         revoked), AVRM_ERR_TRANSPORT and errors of a first contact (see Messages)
avrm_status_t avrm_device_close(avrm_device_t *device) AVRM_NOEXCEPT;

/// Returns the communicator of all processes of the job, which has context id 0. The device owns
/// it. `device` must not be null here and in the next two functions. Thread-safe.
avrm_comm_t *avrm_device_world(avrm_device_t *device) AVRM_NOEXCEPT;
/// Returns the instance that holds the device's address vectors and rankmaps. The device owns it.
/// Thread-safe.
avrm_instance_t *avrm_device_instance(avrm_device_t *device) AVRM_NOEXCEPT;
/// Returns a description for users, such as "ofi (tcp;ofi_rxm) + posix". Never null. Valid until
/// the device is closed. Thread-safe.
const char *avrm_device_describe(const avrm_device_t *device) AVRM_NOEXCEPT;

/// Makes progress: polls the transports and advances pending operations. While messages arrive
/// through shared memory only, calls may skip the network, for at most 4 us. Returns the number of
/// events; 0 for null. Thread-safe on a device with `threads` set.
int avrm_progress(avrm_device_t *device) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Communicators
// -------------------------------------------------------------------------------------------------

/// Creates a communicator from a map and a context id on which the members have agreed. Local: no
/// messages. comm.h has collective constructors.
/// @param map      not bound; no process may occur twice in it, which is not checked. Moved into
///                 the communicator, which binds it; afterwards it is no longer a valid rankmap.
///                 Unchanged after an error
/// @param rank     rank of this process in the map
/// @param context  1 .. n - 1, where n is the maximum that avrm_device_contexts returns (comm.h);
///                 not used by another communicator that shares a member with this one
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_INSTANCE (a map of another instance), AVRM_ERR_RANK,
///         AVRM_ERR_LIMIT (the context is out of range, or there are more ranks than match bits
///         allow), AVRM_ERR_BUSY (the context is in use in this process), AVRM_ERR_NO_MEMORY, and
///         the errors of avrm_rankmap_bind
avrm_status_t avrm_comm_create_local(avrm_device_t *device, avrm_rankmap_t *map, int32_t rank, uint32_t context,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Frees a communicator and its map. Local. If a member has failed, the context id remains in use
/// (ft.h).
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (it has requests or windows, is the world, or is
///         an internal communicator (comm.h), which its owner frees)
avrm_status_t avrm_comm_free(avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the rank of this process, 0 .. size-1. `comm` must not be null, in this function and the
/// next two. Thread-safe.
int32_t avrm_comm_rank(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the number of members; the size of the local group for an intercommunicator.
/// Thread-safe.
int32_t avrm_comm_size(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the bound map of the processes that messages are sent to and received from: the members,
/// or the remote group. The communicator owns it. Thread-safe.
const avrm_rankmap_t *avrm_comm_map(const avrm_comm_t *comm) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Messages. Order and matching are those of MPI: messages from one sender in one communicator match
// in the order in which they were sent, and receives in the order in which they were posted. A
// buffer belongs to the device until its request completes. A buffer of 0 bytes may be null.
//
// A message through shared memory that arrives before its receive is posted is kept in the device's
// memory. If that memory is exhausted, the message and later ones of its sender wait until there is
// room, or until its receive is posted.
//
// When a process fails, operations with it complete with AVRM_ERR_PEER. Until the failure is
// acknowledged (ft.h), receives with AVRM_ANY_SOURCE, including those posted later, complete with
// AVRM_ERR_PEER_PENDING if no message for them has arrived. On a revoked communicator, all
// operations complete with AVRM_ERR_REVOKED (ft.h).
//
// The calls return AVRM_OK or an error; after an error there is no request. Common errors:
// AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_TAG, AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_REVOKED,
// AVRM_ERR_TRANSPORT, AVRM_ERR_LIMIT (internal communicators over a provider of libfabric whose
// tags have 63 bits).
//
// Errors of a first contact: the first operation of any kind with a peer may also return
// AVRM_ERR_SYSTEM (no file descriptor), AVRM_ERR_UNSUPPORTED (its memory cannot be attached, and
// there is no network) or, if its card cannot be fetched or is invalid, AVRM_ERR_BOOT,
// AVRM_ERR_TIMEOUT (PMI-2, boot.h) or AVRM_ERR_SIZE. Errors after the call are in the request's
// outcome. All functions of this section are thread-safe on a device with `threads` set.
//
// Send around a ring (tests/tour/messages.c):
//
//   double out[3] = {rank, rank, rank}, in[3];
//   avrm_request_t *sent, *received;
//   avrm_outcome_t outcome;
//   must(avrm_irecv(world, in, sizeof in, AVRM_ANY_SOURCE, 7, &received));
//   must(avrm_isend(world, out, sizeof out, next, 7, &sent));
//   must(avrm_wait(&received, &outcome)); // outcome.source sent outcome.bytes bytes
//   must(avrm_wait(&sent, NULL));
//
// Send and wait until the message is matched (tests/tour/messages.c):
//
//   must(avrm_issend(world, out, sizeof out, next, 9, &sent));
//   must(avrm_irecv(world, in, sizeof in, outcome.source, 9, &received));
//   must(avrm_wait(&sent, NULL)); // the next process has begun to receive it
//   must(avrm_wait(&received, NULL));
//
// Send a column of a matrix of 4 rows (tests/tour/messages.c):
//
//   const avrm_layout_t second = {sizeof(double), 4, sizeof matrix[0]}; // block, count, pitch
//   must(avrm_irecv(world, column, sizeof column, outcome.source, 8, &received));
//   must(avrm_isend_strided(world, &matrix[0][1], &second, next, 8, &sent));
//   must(avrm_wait(&received, NULL));
//   must(avrm_wait(&sent, NULL));
// -------------------------------------------------------------------------------------------------

/// Blocks of memory at equal distances.
typedef struct avrm_layout {
  size_t block; ///< bytes per block
  size_t count; ///< number of blocks
  /// Bytes from the start of one block to the start of the next; at least `block` if count > 1.
  size_t pitch;
} avrm_layout_t;

/// Starts to send `bytes` bytes to a rank. The request completes when the buffer may be reused; the
/// message need not have been received by then.
/// @param buffer     not to be changed until the request completes
/// @param bytes      length of the message, 0 or more
/// @param dest       rank in the communicator; in the remote group for an intercommunicator.
///                   AVRM_PROC_NULL is not a valid rank
/// @param tag        0 .. AVRM_MATCH_MAX_TAG
/// @param request_p  receives the request; free it with avrm_wait, avrm_test or their variants
/// @return the common errors
/// Cost: one lookup in the rankmap and one call of the transport; with the first message to a peer
/// also the connection. A message to this process itself is copied.
avrm_status_t avrm_isend(avrm_comm_t *comm, const void *buffer, size_t bytes, int32_t dest, int32_t tag,
                         avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to receive a message. The request completes when the message is in the buffer; its
/// outcome has the source, tag and length. If the message is longer than the buffer, the request
/// completes with AVRM_ERR_TRUNCATED.
/// @param buffer     not to be used until the request completes
/// @param bytes      length of the buffer
/// @param source     rank of the sender, or AVRM_ANY_SOURCE; AVRM_PROC_NULL is not a valid rank
/// @param tag        0 .. AVRM_MATCH_MAX_TAG, or AVRM_ANY_TAG
/// @param request_p  receives the request; may be cancelled with avrm_cancel
/// @return the common errors
avrm_status_t avrm_irecv(avrm_comm_t *comm, void *buffer, size_t bytes, int32_t source, int32_t tag,
                         avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to send a synchronous message. The request completes once a receive of the destination
/// has matched the message, whatever the lengths of the message and of the receive. The buffer may
/// then be reused. Messages of avrm_isend and avrm_issend keep their order. After the failure of
/// the destination or the revocation of the communicator it is not known whether the message was
/// matched. The request cannot be cancelled.
/// @param comm, buffer, bytes, dest, tag, request_p  as for avrm_isend
/// @return the common errors
/// Cost: as avrm_isend, but even a short message takes a request of its own, and one message is
/// sent back. UCX, posix and libfabric providers with FI_MATCH_COMPLETE notify the sender
/// themselves. Over other networks the receiving process sends an active message when the receive
/// completes; the sender handles it in constant time.
avrm_status_t avrm_issend(avrm_comm_t *comm, const void *buffer, size_t bytes, int32_t dest, int32_t tag,
                          avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to send blocks of memory as one message of block * count bytes. Otherwise as avrm_isend.
/// @param buffer  start of the first block
/// @param layout  the blocks; not needed after the call
/// @return the common errors; also AVRM_ERR_SIZE (blocks overlap, or more than SIZE_MAX bytes)
avrm_status_t avrm_isend_strided(avrm_comm_t *comm, const void *buffer, const avrm_layout_t *layout, int32_t dest,
                                 int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to send blocks of memory as one synchronous message. Otherwise as avrm_issend.
/// @param buffer, layout  as for avrm_isend_strided
/// @return as avrm_isend_strided
avrm_status_t avrm_issend_strided(avrm_comm_t *comm, const void *buffer, const avrm_layout_t *layout, int32_t dest,
                                  int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to receive a message into blocks of memory, in order. Otherwise as avrm_irecv.
/// @param buffer  start of the first block
/// @param layout  the blocks; not needed after the call
/// @return the common errors; also AVRM_ERR_SIZE (blocks overlap, or more than SIZE_MAX bytes)
avrm_status_t avrm_irecv_strided(avrm_comm_t *comm, void *buffer, const avrm_layout_t *layout, int32_t source,
                                 int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Tests whether an operation has completed; if not, makes progress and tests again. A completed
/// request is freed, and *request_p is set to null. Does not block.
/// @param request_p  a null request counts as complete
/// @param done_p     receives true if the operation has completed, otherwise false
/// @param outcome_p  receives the outcome of an operation that has completed; not written for a
///                   null request; may be null
/// @return AVRM_OK, AVRM_ERR_NULL; the outcome has the status of the operation
avrm_status_t avrm_test(avrm_request_t **request_p, bool *done_p, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Blocks until an operation has completed, frees the request and sets *request_p to null.
/// @param request_p  for a null request the call returns at once
/// @param outcome_p  as in avrm_test
/// @return the status of the operation (outcome.status), AVRM_OK for a null request, AVRM_ERR_NULL
avrm_status_t avrm_wait(avrm_request_t **request_p, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Blocks until an operation has completed or a time limit has expired. A completed request is
/// freed and set to null.
/// @param nanoseconds  minimum time before AVRM_ERR_TIMEOUT, 0 or more
/// @param outcome_p    as in avrm_test
/// @return the status of the operation, AVRM_OK for a null request, AVRM_ERR_TIMEOUT (the request
///         is unchanged), AVRM_ERR_OPTION (a negative time), AVRM_ERR_NULL
avrm_status_t avrm_wait_for(avrm_request_t **request_p, int64_t nanoseconds, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;

// Several requests, as in MPI. The calls make progress on the devices of all pending requests.
// Completed requests are freed, and their entries in `requests` are set to null; null entries are
// skipped. `requests` may be null if count is 0; `outcome_p` and `outcomes` may be null. Errors:
// AVRM_ERR_COUNT (a negative count), AVRM_ERR_NULL. Only avrm_waitany and avrm_waitall return the
// status of an operation; the other calls return AVRM_OK even if an operation failed, and its
// outcome has the status. Cost: O(count) per poll.
//
// Handle all requests, each as soon as it completes (tests/tour/requests.c):
//
//   for (;;) {
//     must(avrm_waitsome(count, requests, &finished, indices, outcomes));
//     if (finished == AVRM_UNDEFINED)
//       break; // all are null
//     for (int32_t i = 0; i < finished; ++i)
//       printf("message from %d\n", outcomes[i].source);
//   }

/// Tests whether one of the requests has completed, and frees it.
/// @param index_p    receives the index of the request that was freed, or AVRM_UNDEFINED
/// @param done_p     receives true if a request was freed or all are null, otherwise false
/// @param outcome_p  receives the outcome of the request that was freed
avrm_status_t avrm_testany(int32_t count, avrm_request_t **requests, int32_t *index_p, bool *done_p,
                           avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Frees the requests that have completed. Does not block.
/// @param finished_p  receives the number of requests that were freed, or AVRM_UNDEFINED if all are
///                    null
/// @param indices     receives their indices, in ascending order; has room for `count`
/// @param outcomes    receives their outcomes, in the order of `indices`; has room for `count`
avrm_status_t avrm_testsome(int32_t count, avrm_request_t **requests, int32_t *finished_p, int32_t *indices,
                            avrm_outcome_t *outcomes) AVRM_NOEXCEPT;
/// Tests whether all requests have completed. If so, frees all of them, otherwise none.
/// @param done_p    receives true if all have completed, otherwise false
/// @param outcomes  receives the outcome of each request at its index; not written for null
///                  requests
avrm_status_t avrm_testall(int32_t count, avrm_request_t **requests, bool *done_p,
                           avrm_outcome_t *outcomes) AVRM_NOEXCEPT;
/// Blocks until one of the requests has completed, and frees it. Returns at once if all are null.
/// @param index_p    receives the index of the request that was freed, AVRM_UNDEFINED if all are
///                   null
/// @param outcome_p  receives its outcome
/// @return the status of the operation
avrm_status_t avrm_waitany(int32_t count, avrm_request_t **requests, int32_t *index_p,
                           avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Blocks until at least one request has completed, and frees all that have. Returns at once if all
/// are null.
/// @param finished_p, indices, outcomes  as in avrm_testsome
avrm_status_t avrm_waitsome(int32_t count, avrm_request_t **requests, int32_t *finished_p, int32_t *indices,
                            avrm_outcome_t *outcomes) AVRM_NOEXCEPT;
/// Blocks until all requests have completed, and frees them.
/// @param outcomes  as in avrm_testall
/// @return the status of the first operation, by index, that failed
avrm_status_t avrm_waitall(int32_t count, avrm_request_t **requests, avrm_outcome_t *outcomes) AVRM_NOEXCEPT;

/// Cancels a receive. The caller must still wait for the request, which completes with
/// AVRM_ERR_CANCELLED unless the receive has already matched a message, as every receive of
/// avrm_imrecv has, or has ended with another error. Thread-safe on a device with `threads` set.
///
/// Receive with a time limit (tests/tour/requests.c):
///
///   avrm_status_t status = avrm_wait_for(&request, 1000000, &outcome); // a millisecond
///   if (status == AVRM_ERR_TIMEOUT) {
///     must(avrm_cancel(request));
///     status = avrm_wait(&request, &outcome); // AVRM_ERR_CANCELLED, or a message came after all
///   }
///
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a receive; or a receive of avrm_fp_irecv or
///         avrm_imrecv from AVRM_PROC_NULL, which is already complete)
avrm_status_t avrm_cancel(avrm_request_t *request) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Windows: memory that the members of a communicator can put to and get from.
//
// Put to the next process and get back (tests/tour/windows.c):
//
//   int64_t value = rank, back = -1;
//   must(avrm_put(window, &value, sizeof value, next, 5 * sizeof value, &request));
//   must(avrm_wait(&request, NULL)); // the buffer is free
//   must(avrm_flush(window, next));  // the value is in the window
//   must(avrm_get(window, &back, sizeof back, next, 5 * sizeof back, &request));
//   must(avrm_wait(&request, NULL));
// -------------------------------------------------------------------------------------------------

/// Window creation flags; identical on all members.
typedef enum avrm_window_flag {
  /// The members exchange the addresses and keys of their parts, so that the first operation on a
  /// target need not ask it. Creation then blocks until all members have called it. Cost: O(log P)
  /// messages per process, whose length depends on how regular the parts are, not on their number.
  /// The members share one random key. If keys are valid for one peer only (UCX), or if the target
  /// is on this node and not reached over the network, the first operation must still ask the
  /// target.
  AVRM_WINDOW_EXCHANGE = 1,
  /// For avrm_window_allocate: all members have their parts at the same address, if one is found
  /// that is free in all of them. Includes AVRM_WINDOW_EXCHANGE.
  AVRM_WINDOW_SYMMETRIC = 2,
  /// The atomics of this window are restricted to those that networks have (atomics.h), and the
  /// network executes them if it can for all members. Includes AVRM_WINDOW_EXCHANGE.
  AVRM_WINDOW_NETWORK_ATOMICS = 4,
} avrm_window_flag_t;

/// Creates a window of `bytes` bytes at `base`, which the members of `comm` can access. Collective:
/// all members must call it, in the same order relative to other collective calls on `comm`.
/// Without flags it does not wait for the other members; the first operation on a member blocks
/// until that member has created its part and, by making progress, has answered. Other threads may
/// use the device meanwhile.
/// @param base   must stay valid until the window is freed; may be null if bytes is 0
/// @param flags  of avrm_window_flag_t; the same in all members
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (unknown flags, AVRM_WINDOW_SYMMETRIC, or flags
///         with an intercommunicator or an internal communicator), AVRM_ERR_NO_MEMORY,
///         AVRM_ERR_SYSTEM (no random numbers), AVRM_ERR_TRANSPORT; with flags also AVRM_ERR_PEER,
///         AVRM_ERR_REVOKED, AVRM_ERR_MISMATCH and errors of a first contact (see Messages); an
///         error of one member is then returned by all
///
/// Memory: none per member once the parts of all members are known (after AVRM_WINDOW_EXCHANGE, or
/// after an operation on every member) and are equal or linear functions of the rank. Otherwise at
/// most 40 bytes for each member that was accessed, and about 150 bytes more if the network's own
/// operations do not reach that member's part (directory.h).
///
/// If the transport lets the library choose keys, they are unpredictable, with as many bits as the
/// transport has room for. Without flags, the members of a job derive one key per window from the
/// job's secret (in builds without libsodium, each member draws a random key). With flags, one
/// member draws a random key for all.
avrm_status_t avrm_window_create(avrm_comm_t *comm, void *base, size_t bytes, unsigned flags,
                                 avrm_window_t **window_p) AVRM_NOEXCEPT;
/// Creates a window as avrm_window_create does, with memory that the library allocates. Peers with
/// which this process shares memory (shmmod) access it by loads and stores; if the memory cannot be
/// shared, on_error is called, and they access it by active messages.
/// @param bytes   size of this process's part; 0 is allowed
/// @param flags   of avrm_window_flag_t, including AVRM_WINDOW_SYMMETRIC; the same in all members
/// @param base_p  receives the address of the part; the window owns it
/// @return as avrm_window_create; AVRM_ERR_SYSTEM also if no file descriptor is left
avrm_status_t avrm_window_allocate(avrm_comm_t *comm, size_t bytes, unsigned flags, void **base_p,
                                   avrm_window_t **window_p) AVRM_NOEXCEPT;
/// Frees a window. No member may still access this process's part: flush and synchronise first.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (it has requests, or the first operation on a
///         member still blocks another thread)
avrm_status_t avrm_window_free(avrm_window_t *window) AVRM_NOEXCEPT;

/// Starts to copy `bytes` bytes to the target's part of a window. The request completes when the
/// buffer may be reused; avrm_flush waits until the data are in the target's memory. As with all
/// one-sided operations, the target's process need not call a matching function. It must make
/// progress, however, to answer the first access (unless AVRM_WINDOW_EXCHANGE was given). It must
/// do so for every access if the network requires it (TCP), or if its part is neither mapped by
/// this process nor reached by the network's own operations (avrm_window_create, same node).
/// Thread-safe on a device with `threads` set.
/// @param buffer     not to be changed until the request completes; may be null if bytes is 0
/// @param target     rank in the window's communicator
/// @param offset     bytes from the start of the target's part
/// @param request_p  receives the request
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_SIZE (outside the target's part),
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT, errors of a first contact (see
///         Messages)
avrm_status_t avrm_put(avrm_window_t *window, const void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to copy `bytes` bytes from the target's part of a window. The request completes when the
/// buffer holds them. Thread-safe on a device with `threads` set.
/// @param buffer  not to be used until the request completes; may be null if bytes is 0
/// @param target, offset, request_p  as for avrm_put
/// @return as avrm_put
avrm_status_t avrm_get(avrm_window_t *window, void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to copy blocks of memory to blocks in the target's part. The request completes as for
/// avrm_put.
/// @param buffer         start of the first block
/// @param layout         blocks at `buffer`
/// @param offset         start of the first block in the target's part, in bytes
/// @param target_layout  blocks in the target's part; as many bytes in total as `layout`
/// @return as avrm_put; AVRM_ERR_SIZE also if blocks overlap or the numbers of bytes differ;
///         AVRM_ERR_UNSUPPORTED (gaps, over the null network)
/// Cost: see avrm_get_strided.
avrm_status_t avrm_put_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t *layout, int32_t target,
                               uint64_t offset, const avrm_layout_t *target_layout,
                               avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to copy blocks in the target's part to blocks of memory. The request completes as for
/// avrm_get.
/// @param buffer, layout, offset, target_layout  as for avrm_put_strided
/// @return as avrm_put_strided
/// Cost: if the target's part is not mapped, blocks with gaps are transferred by active message,
/// and the target must make progress.
avrm_status_t avrm_get_strided(avrm_window_t *window, void *buffer, const avrm_layout_t *layout, int32_t target,
                               uint64_t offset, const avrm_layout_t *target_layout,
                               avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to copy `bytes` bytes to the target's part, like avrm_put. The request completes when the
/// data are in the target's memory, visible to its own loads and to gets of other processes.
/// @param buffer, bytes, target, offset, request_p  as for avrm_put
/// @return as avrm_put
/// Cost: if the network only reports that the buffer is free (UCX), a flush of the target's
/// endpoint, which also waits for earlier puts.
avrm_status_t avrm_rput(avrm_window_t *window, const void *buffer, size_t bytes, int32_t target, uint64_t offset,
                        avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to copy blocks of memory to blocks in the target's part, like avrm_put_strided. The
/// request completes as for avrm_rput.
/// @param buffer, layout, offset, target_layout  as for avrm_put_strided
/// @return as avrm_put_strided
avrm_status_t avrm_rput_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t *layout, int32_t target,
                                uint64_t offset, const avrm_layout_t *target_layout,
                                avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Blocks until all earlier operations of this process on `target` have completed, and its puts are
/// in the target's memory. Requests of operations must still be tested or waited for. An error that
/// becomes known before a request completes is in its outcome; one that becomes known later, for
/// example at the target of an accumulate, is returned here.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_SIZE (an accumulate to an address that
///         is misaligned at the target), AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT,
///         AVRM_ERR_SYSTEM
avrm_status_t avrm_flush(avrm_window_t *window, int32_t target) AVRM_NOEXCEPT;
/// Blocks until all earlier operations of this process on all targets have completed, and its puts
/// are in the targets' memory.
/// @return AVRM_OK, AVRM_ERR_NULL, or the first error that avrm_flush would return for a target on
///         which operations were pending
avrm_status_t avrm_flush_all(avrm_window_t *window) AVRM_NOEXCEPT;
/// Blocks until the buffers of all earlier operations of this process on `target` may be reused,
/// and those of gets are filled. Waits for the target only if an operation does so itself, such as
/// a get by active message.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK
/// Cost: O(requests of the device), in addition to the progress.
avrm_status_t avrm_flush_local(avrm_window_t *window, int32_t target) AVRM_NOEXCEPT;
/// Blocks until the buffers of all earlier operations of this process may be reused, and those of
/// gets are filled. Otherwise as avrm_flush_local.
/// @return AVRM_OK, AVRM_ERR_NULL
avrm_status_t avrm_flush_local_all(avrm_window_t *window) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
