// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device: messages and one-sided operations between the processes of a job. Each operation
// finds its peer through rankmap and AVE. As in "Why Is MPI So Slow?", section 2, a core looks at
// locality and then calls a netmod (between nodes) or a shmmod (within a node).
//
//   avrm_isend(comm, ..., rank, tag)
//         |  rankmap: rank -> AVE
//         v
//   plain network address? --yes--> netmod (libfabric, UCX, null): native messages, puts and gets
//         | no
//         +-- same node ----------> shmmod (POSIX shared memory); the core matches
//         +-- this process -------> the core itself
//         +-- not connected yet --> fetches the peer's card, inserts it, writes its AVE, repeats
//
// Opening a device publishes its own card. A peer's card is fetched, and its address inserted into
// the provider, at first contact, unless the options connect all peers at once.
//
// Two devices in one process share nothing. With `threads` set, any number of threads may use a
// device; otherwise one at a time. Functions that block make progress; nothing progresses between
// calls.
//
// A thread that waits polls, then yields the processor between polls, and after the spin time
// (spin_us) without an event it sleeps until something arrives. Arrivals over posix, UCX and
// libfabric's tcp;ofi_rxm wake it; so do other threads. Providers that cannot wake it (shm, net,
// sockets) are polled at intervals of an eighth of the time waited, 2 ms at most, as are things
// that nobody announces: room in a full queue, the fence when a device is closed. event.h is for
// programs that wait in a loop of their own.
//
// When a process dies, operations with it end with AVRM_ERR_PEER, and receives from anybody that
// may wait for its message with AVRM_ERR_PEER_PENDING; later operations with it are refused. The
// launcher reports deaths. Under PMIx the device also finds out by itself: it looks at the
// processes of its node that it has contacted (at all of them once it has received from anybody; a
// file descriptor each), and a connection to a process of the same job that breaks counts as its
// death. Each process watches two others, and whoever learns of a death tells all of the world (the
// ring, ft.h). When the launcher itself dies, all other processes count as dead.
//
// Loops of small sends, puts or gets need not call avrm_progress to learn of it: some operations
// make progress, at the latest every 1,024th.
//
// The start of a process (tests/tour/job.c):
//
//   avrm_device_options_t options = {0};
//   avrm_device_t *device;
//   options.boot = boot;
//   options.on_error = on_error;
//   avrm_status_t status = avrm_device_open(&options, &device);
//
// tests/tour/job.c is the whole program, the other examples here come from its neighbours. must()
// ends the program if a call returns an error.
#ifndef AVRANKMAP_DEVICE_DEVICE_H
#define AVRANKMAP_DEVICE_DEVICE_H

#include "avrankmap/device/boot.h"
#include "avrankmap/device/request.h"
#include "avrankmap/device/topo.h"
#include "avrankmap/instance.h"
#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

typedef struct avrm_device avrm_device_t;
typedef struct avrm_comm avrm_comm_t;
typedef struct avrm_window avrm_window_t;

/// When peers are connected.
typedef enum avrm_connect_policy {
  AVRM_CONNECT_ON_DEMAND = 0, ///< each at first contact
  AVRM_CONNECT_EAGER = 1,     ///< all at once when the device is opened
} avrm_connect_policy_t;

/// Kind of the world's address vector (av.h).
typedef enum avrm_device_av {
  /// AVRM_AV of the environment decides (../../ENVIRONMENT.md). Without it: implicit with eager
  /// connection and a netmod whose addresses are numbers, which then come in order; else a table.
  AVRM_DEVICE_AV_AUTO = 0,
  AVRM_DEVICE_AV_TABLE = 1, ///< 12 bytes per process
  /// No table while addresses follow a pattern. With connection on demand the pattern ends at the
  /// first contact out of order.
  AVRM_DEVICE_AV_IMPLICIT = 2,
} avrm_device_av_t;

struct avrm_netmod_ops; // netmod.h
struct avrm_shmmod_ops; // shmmod.h

typedef struct avrm_device_options {
  avrm_boot_t *boot; ///< required; must outlive the device
  /// Name of a netmod of this build, such as "ofi", or of netmod_ops. Null: AVRM_NETMOD of the
  /// environment, else netmod_ops, else the preferred one (../../ENVIRONMENT.md).
  const char *netmod;
  /// Name of a shmmod, such as "posix", or of shmmod_ops, or "none". Null: AVRM_SHMMOD of the
  /// environment, else shmmod_ops, else the preferred one. The network takes over for processes of
  /// the node that cannot share memory with this one (other namespaces, users or capabilities, as
  /// in containers), which is reported once; the node ids stay as they are. Without a network they
  /// are unreachable.
  const char *shmmod;
  /// Passed to the netmod. Null: the transport's own environment (FI_PROVIDER, UCX_TLS).
  const char *provider;
  avrm_connect_policy_t connect;
  bool threads;                      ///< several threads may call
  bool strict;                       ///< as in avrm_instance_options_t
  const avrm_allocator_t *allocator; ///< as in avrm_instance_options_t
  /// Binds the world's address vector to the NUMA node that this process runs on, if it is a single
  /// one and the system allows binding. Null: the system chooses, as it does with an allocator of
  /// the caller's or an implicit address vector. Used by avrm_device_open only.
  const avrm_topo_t *topo;
  /// Called once per error that a transport reports, with its text; may be null. It must not call
  /// the library. avrm_device_open_error has the last text of a device that could not be opened.
  void (*on_error)(void *user, avrm_status_t status, const char *text);
  void *user;
  avrm_device_av_t av;
  /// Network interface, such as "ib0", at which ports listen (avrm_port_open); at most 15 bytes.
  /// Null: AVRM_PORT_INTERFACE of the environment, else loopback if the launcher says that the job
  /// is on one machine, else all interfaces.
  const char *port_interface;
  /// How many microseconds a thread that waits goes on polling without an event before it sleeps.
  /// 0: AVRM_SPIN_US of the environment, else 1000; AVRM_SPIN_FOREVER: it never sleeps. A device
  /// that may sleep pays for it over libfabric's tcp;ofi_rxm: 1 us of 6 to 8 per message.
  int32_t spin_us;
  /// Operations of a netmod and of a shmmod of the caller's, in addition to those of this build,
  /// under names of their own (tests/tour/datagram). They must outlive the device. Null: none.
  const struct avrm_netmod_ops *netmod_ops;
  const struct avrm_shmmod_ops *shmmod_ops;
} avrm_device_options_t;

/// Of a device whose waiting threads never sleep.
#define AVRM_SPIN_FOREVER (-1)

/// Called by avrm_device_open, with the version of the headers that the caller was compiled with.
avrm_status_t avrm_i_device_open(const avrm_device_options_t *options, avrm_device_t **device_p,
                                 uint64_t headers) AVRM_NOEXCEPT;

/// Opens a device: transports, own card, world communicator. Collective over the job (one fence).
/// Cost: that of the network's library, and some milliseconds. libfabric 1.17 takes 0.15 s of a
/// processor per process to initialise itself, since its verbs provider reads /proc/kallsyms twice,
/// whichever provider is asked for. Its ofi_rxm takes another 0.1 s to clear 65 MB of buffers
/// (FI_OFI_RXM_BUFFER_SIZE). UCX and posix take a few milliseconds.
/// @return AVRM_OK, AVRM_ERR_VERSION (headers and library differ, or the size or version of a table
///         of operations), AVRM_ERR_NULL, AVRM_ERR_OPTION (a netmod, shmmod or av that is unknown
///         or was not built, a table whose name is that of a transport of this build or that lacks
///         an operation, a port_interface that is too long, a spin_us below AVRM_SPIN_FOREVER),
///         AVRM_ERR_UNSUPPORTED (no such provider here, or its messages are too short for us:
///         FI_OFI_RXM_BUFFER_SIZE in ENVIRONMENT.md), AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM,
///         AVRM_ERR_BOOT, AVRM_ERR_PEER
AVRM_INLINE avrm_status_t avrm_device_open(const avrm_device_options_t *options,
                                           avrm_device_t **device_p) AVRM_NOEXCEPT {
  return avrm_i_device_open(options, device_p, AVRM_I_HEADERS);
}

/// Returns the last text of avrm_device_open, avrm_boot_open and avrm_boot_fork_run in this thread,
/// "" if none since the last of them began. It names the option or variable that is wrong and the
/// values that it may have, or the system call that failed, or is what a transport says of its
/// error; not every error has a text. Holds until the next of these calls in this thread, or until
/// another call of the device in it meets a system call that fails.
const char *avrm_device_open_error(void) AVRM_NOEXCEPT;

/// Closes a device: blocks in a fence until no process of the job needs this one any more, then
/// ends pending operations. Once a process of the job has died no fence completes, and it does not
/// block: survivors that still need one another synchronise before (avrm_comm_agree). Operations
/// with one that has closed its device may not end as long as it lives. Free its communicators
/// (except the world), windows and requests first. Null is allowed.
/// @return AVRM_OK, AVRM_ERR_BUSY (nothing changes); AVRM_ERR_PEER (a process died) and
///         AVRM_ERR_BOOT (the launcher is gone), with which the device is closed all the same
avrm_status_t avrm_device_close(avrm_device_t *device) AVRM_NOEXCEPT;

/// Returns the communicator of all processes of the job, with context id 0. The device owns it.
avrm_comm_t *avrm_device_world(avrm_device_t *device) AVRM_NOEXCEPT;
/// Returns the instance that holds the device's address vectors and rankmaps.
avrm_instance_t *avrm_device_instance(avrm_device_t *device) AVRM_NOEXCEPT;
/// Returns a description for users: "ofi (tcp;ofi_rxm) + posix". Never null.
const char *avrm_device_describe(const avrm_device_t *device) AVRM_NOEXCEPT;

/// Makes progress; looks at a quiet network every 4 us at least. Returns the number of events.
int avrm_progress(avrm_device_t *device) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Communicators
// -------------------------------------------------------------------------------------------------

/// Creates a communicator from a map and a context id on which the members have agreed; purely
/// local. comm.h has other ways.
/// @param map      not bound; moves into the communicator, which binds it, and is no rankmap then.
///                 After an error it is as it was
/// @param context  1 .. most - 1 (avrm_device_contexts in comm.h), not used by another communicator
///                 that shares a member with this one
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_LIMIT (the context is out of range, or
///         there are more ranks than match bits allow), AVRM_ERR_BUSY (the context is in use here),
///         and what avrm_rankmap_bind returns
avrm_status_t avrm_comm_create_local(avrm_device_t *device, avrm_rankmap_t *map, int32_t rank, uint32_t context,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Frees a communicator and its map.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (requests or windows of it exist, or it is the
///         world)
avrm_status_t avrm_comm_free(avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the rank of this process, 0 .. size-1. `comm` must not be null, here and below.
/// Thread-safe.
int32_t avrm_comm_rank(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the number of members; for an intercommunicator that of the local group. Thread-safe.
int32_t avrm_comm_size(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the bound map of the processes that messages go to and come from: the members, or the
/// remote group. The communicator owns it. Thread-safe.
const avrm_rankmap_t *avrm_comm_map(const avrm_comm_t *comm) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Messages. Order and matching are MPI's: messages from one sender in one communicator match in the
// order in which they were sent, receives in the order in which they were posted. A buffer belongs
// to the device until its request completes. A buffer of 0 bytes may be null.
//
// When a process dies, operations with it complete with AVRM_ERR_PEER. Receives from any source
// complete with AVRM_ERR_PEER_PENDING until the death is acknowledged, if no message has arrived
// for them (ft.h). On a revoked communicator all of them end with AVRM_ERR_REVOKED (ft.h).
//
// Errors: AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_TAG (outside 0 .. AVRM_MATCH_MAX_TAG),
// AVRM_ERR_SIZE (blocks that overlap, or more than SIZE_MAX bytes), AVRM_ERR_NO_MEMORY,
// AVRM_ERR_PEER, AVRM_ERR_REVOKED.
//
// A ring (tests/tour/messages.c):
//
//   double out[3] = {rank, rank, rank}, in[3];
//   avrm_request_t *sent, *received;
//   avrm_outcome_t outcome;
//   must(avrm_irecv(world, in, sizeof in, AVRM_ANY_SOURCE, 7, &received));
//   must(avrm_isend(world, out, sizeof out, next, 7, &sent));
//   must(avrm_wait(&received, &outcome)); // outcome.source has sent outcome.bytes bytes
//   must(avrm_wait(&sent, NULL));
//
// A column of a matrix of 4 rows (tests/tour/messages.c):
//
//   const avrm_layout_t second = {sizeof(double), 4, sizeof matrix[0]}; // block, count, pitch
//   must(avrm_irecv(world, column, sizeof column, outcome.source, 8, &received));
//   must(avrm_isend_strided(world, &matrix[0][1], &second, next, 8, &sent));
// -------------------------------------------------------------------------------------------------

/// Blocks in memory at equal distances.
typedef struct avrm_layout {
  size_t block; ///< bytes per block
  size_t count; ///< number of blocks
  /// Bytes from the start of one block to the start of the next; at least `block` if count > 1.
  size_t pitch;
} avrm_layout_t;

avrm_status_t avrm_isend(avrm_comm_t *comm, const void *buffer, size_t bytes, int32_t dest, int32_t tag,
                         avrm_request_t **request_p) AVRM_NOEXCEPT;
/// `source` may be AVRM_ANY_SOURCE, `tag` AVRM_ANY_TAG.
avrm_status_t avrm_irecv(avrm_comm_t *comm, void *buffer, size_t bytes, int32_t source, int32_t tag,
                         avrm_request_t **request_p) AVRM_NOEXCEPT;
avrm_status_t avrm_isend_strided(avrm_comm_t *comm, const void *buffer, const avrm_layout_t *layout, int32_t dest,
                                 int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;
avrm_status_t avrm_irecv_strided(avrm_comm_t *comm, void *buffer, const avrm_layout_t *layout, int32_t source,
                                 int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Makes progress and tests whether the operation is over. If so, writes true to *done_p, frees the
/// request and sets *request_p to null. outcome_p may be null. A null request is over.
/// @return AVRM_OK, AVRM_ERR_NULL; the outcome has the status of the operation
avrm_status_t avrm_test(avrm_request_t **request_p, bool *done_p, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Blocks until the operation is over.
/// @return the status of the operation (outcome.status)
avrm_status_t avrm_wait(avrm_request_t **request_p, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Same, for at least so many nanoseconds.
/// @return the status of the operation, AVRM_ERR_TIMEOUT (the request is as it was),
///         AVRM_ERR_OPTION (a negative time)
avrm_status_t avrm_wait_for(avrm_request_t **request_p, int64_t nanoseconds, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;

// Several requests, as in MPI. Each call makes progress on the devices of all of them. Requests
// that are over are freed and become null; null requests are passed over. `outcomes` may be null.
// Errors: AVRM_ERR_COUNT (negative), AVRM_ERR_NULL. Cost: a look at each request per poll.
//
// All of them, each as soon as it is over (tests/tour/requests.c):
//
//   for (;;) {
//     must(avrm_waitsome(count, requests, &finished, indices, outcomes));
//     if (finished == AVRM_UNDEFINED)
//       break; // all are null
//     for (int32_t i = 0; i < finished; ++i)
//       printf("%d has sent\n", outcomes[i].source);
//   }

/// Tests whether one of the requests is over. If so, or if all are null, writes true to *done_p.
/// @param index_p  receives the place of the request that was freed, AVRM_UNDEFINED if none was
avrm_status_t avrm_testany(int32_t count, avrm_request_t **requests, int32_t *index_p, bool *done_p,
                           avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Frees those that are over.
/// @param finished_p  receives their number, AVRM_UNDEFINED if all are null
/// @param indices     receives their places, in ascending order; room for `count`
/// @param outcomes    receives their outcomes, in the order of `indices`
avrm_status_t avrm_testsome(int32_t count, avrm_request_t **requests, int32_t *finished_p, int32_t *indices,
                            avrm_outcome_t *outcomes) AVRM_NOEXCEPT;
/// Tests whether all are over. If so, frees them and writes true to *done_p, else frees none.
/// @param outcomes  receives the outcome of each at its place; not written for null requests
avrm_status_t avrm_testall(int32_t count, avrm_request_t **requests, bool *done_p,
                           avrm_outcome_t *outcomes) AVRM_NOEXCEPT;
/// Blocks until one of the requests is over, and frees it. Does not block if all are null.
/// @return the status of the operation
avrm_status_t avrm_waitany(int32_t count, avrm_request_t **requests, int32_t *index_p,
                           avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Blocks until at least one is over; otherwise as avrm_testsome.
avrm_status_t avrm_waitsome(int32_t count, avrm_request_t **requests, int32_t *finished_p, int32_t *indices,
                            avrm_outcome_t *outcomes) AVRM_NOEXCEPT;
/// Blocks until all are over, and frees them.
/// @return the status of the first operation that failed
avrm_status_t avrm_waitall(int32_t count, avrm_request_t **requests, avrm_outcome_t *outcomes) AVRM_NOEXCEPT;

/// Cancels a receive. The caller must still wait for the request, which completes with
/// AVRM_ERR_CANCELLED unless a message has matched before.
/// A receive that waits for a time (tests/tour/requests.c):
///
///   avrm_status_t status = avrm_wait_for(&request, 1000000, &outcome); // a millisecond
///   if (status == AVRM_ERR_TIMEOUT) {
///     must(avrm_cancel(request));
///     status = avrm_wait(&request, &outcome); // AVRM_ERR_CANCELLED, or a message came after all
///   }
///
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a receive)
avrm_status_t avrm_cancel(avrm_request_t *request) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Windows: memory that the members of a communicator can put to and get from.
//
// To the next process and back (tests/tour/windows.c):
//
//   int64_t value = rank, back = -1;
//   must(avrm_put(window, &value, sizeof value, next, 5 * sizeof value, &request));
//   must(avrm_wait(&request, NULL)); // the buffer is free
//   must(avrm_flush(window, next));  // the value is in the window
//   must(avrm_get(window, &back, sizeof back, next, 5 * sizeof back, &request));
// -------------------------------------------------------------------------------------------------

/// Of the creation of windows; all members give the same.
typedef enum avrm_window_flag {
  /// The members tell one another how their parts are reached, so that no operation has to ask. One
  /// collective, which waits for the others: O(log P) messages per process, whose length depends on
  /// how regular the parts are, not on their number. The members share one random key. Where keys
  /// hold for one peer only (UCX), parts are asked for nevertheless.
  AVRM_WINDOW_EXCHANGE = 1,
  /// avrm_window_allocate: all members have their parts at the same address, if one can be found
  /// that is free in all of them. Includes AVRM_WINDOW_EXCHANGE.
  AVRM_WINDOW_SYMMETRIC = 2,
  /// The atomics of this window are of the narrow kind that networks have (atomics.h), and the
  /// network carries them out if it can for all members. Includes AVRM_WINDOW_EXCHANGE.
  AVRM_WINDOW_NETWORK_ATOMICS = 4,
} avrm_window_flag_t;

/// Opens `bytes` bytes at `base` to the members of `comm`; 0 bytes are allowed. Collective: all
/// members must call it, in the same order. It does not wait for the others.
///
/// A window keeps nothing for members whose parts are all alike, or a rule of their ranks, once it
/// knows all of them: after AVRM_WINDOW_EXCHANGE, or after operations on each. Else it keeps at
/// most 40 bytes per member that operations reached, and a record of some 150 bytes more per one
/// that the network does not reach itself (directory.h). Keys cannot be guessed where the transport
/// lets us choose them: of as many bits as it has room for, the members of a job derive one key per
/// window from the job's secret, or draw keys at random in builds without libsodium.
/// @param flags  of avrm_window_flag_t
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (unknown flags, AVRM_WINDOW_SYMMETRIC here, or
///         flags with an intercommunicator), AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (no random
///         numbers), AVRM_ERR_TRANSPORT; with flags also AVRM_ERR_PEER and, in all members, what
///         one of them met
avrm_status_t avrm_window_create(avrm_comm_t *comm, void *base, size_t bytes, unsigned flags,
                                 avrm_window_t **window_p) AVRM_NOEXCEPT;
/// Same, with memory that the library allocates. Peers on the same node reach it by loads and
/// stores.
avrm_status_t avrm_window_allocate(avrm_comm_t *comm, size_t bytes, unsigned flags, void **base_p,
                                   avrm_window_t **window_p) AVRM_NOEXCEPT;
/// Closes a window. No member may still access this process's part of it: flush and synchronise
/// first.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (requests of it exist)
avrm_status_t avrm_window_free(avrm_window_t *window) AVRM_NOEXCEPT;

/// Puts `bytes` bytes into the target's window at `offset`. The request completes when `buffer` is
/// free. Errors: AVRM_ERR_RANK, AVRM_ERR_SIZE (outside the target's window).
avrm_status_t avrm_put(avrm_window_t *window, const void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Gets `bytes` bytes from the target's window at `offset`. The request completes when `buffer`
/// holds them. Errors as avrm_put.
avrm_status_t avrm_get(avrm_window_t *window, void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Puts blocks of `layout` at `buffer` to blocks of `target_layout` at `offset`. Both layouts have
/// the same number of bytes in all.
avrm_status_t avrm_put_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t *layout, int32_t target,
                               uint64_t offset, const avrm_layout_t *target_layout,
                               avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Gets blocks of `target_layout` at `offset` to blocks of `layout` at `buffer`. Both layouts have
/// the same number of bytes in all. Blocks with gaps travel by active message where the target's
/// part is not mapped, as those of puts do: the target must make progress. Errors: as
/// avrm_put_strided.
avrm_status_t avrm_get_strided(avrm_window_t *window, void *buffer, const avrm_layout_t *layout, int32_t target,
                               uint64_t offset, const avrm_layout_t *target_layout,
                               avrm_request_t **request_p) AVRM_NOEXCEPT;
/// As avrm_put and avrm_put_strided, but the request completes when the data are in the target's
/// memory, for its own loads and for gets of others. Cost: where the network tells only of the
/// buffer (UCX), a flush of the target's endpoint, which waits for earlier puts, too. Errors and
/// thread-safety: as avrm_put.
avrm_status_t avrm_rput(avrm_window_t *window, const void *buffer, size_t bytes, int32_t target, uint64_t offset,
                        avrm_request_t **request_p) AVRM_NOEXCEPT;
avrm_status_t avrm_rput_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t *layout, int32_t target,
                                uint64_t offset, const avrm_layout_t *target_layout,
                                avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Blocks until all earlier operations of this process with `target` are over, and its puts are in
/// the target's memory. Requests of operations still have to be tested or waited for, and tell
/// their errors themselves.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER,
///         AVRM_ERR_TRANSPORT
avrm_status_t avrm_flush(avrm_window_t *window, int32_t target) AVRM_NOEXCEPT;
/// Same for all targets. Returns the first error.
avrm_status_t avrm_flush_all(avrm_window_t *window) AVRM_NOEXCEPT;
/// Blocks until the buffers of all earlier operations of this process with `target` are free or
/// filled. Does not wait for the target where the operations themselves do not. Cost: a look at
/// each request of the device, whenever an operation of the window ends.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK
avrm_status_t avrm_flush_local(avrm_window_t *window, int32_t target) AVRM_NOEXCEPT;
/// Same for all targets.
avrm_status_t avrm_flush_local_all(avrm_window_t *window) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
