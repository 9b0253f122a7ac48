// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device: messages and one-sided operations between the processes of a job, every one of them addressed through
// rankmap and AVE ("Why Is MPI So Slow?", section 2: a core that looks at locality, netmods between nodes, shmmods
// within one).
//
//        avrm_isend(comm, ..., rank, tag)
//              |  rankmap: rank -> AVE
//              v
//         plain network address? --yes--> netmod   (libfabric, UCX, null): native tagged messages, puts and gets
//              | no
//              +-- same node ------------> shmmod   (POSIX shared memory); matching is done by the core
//              +-- this process ---------> the core itself
//              +-- not connected yet ----> fetch the peer's card, insert it, write its AVE, start again
//
// All that opening a device does about peers is to publish its own card. A peer's card is fetched and its address
// inserted into the provider at first contact, unless the caller asks for all at once.
//
// Two devices in one process share nothing. With `threads` set, any number of threads may use a device; otherwise one at
// a time. Functions that wait make progress; nothing progresses between calls.
#ifndef AVRANKMAP_DEVICE_H
#define AVRANKMAP_DEVICE_H

#include "avrankmap/boot.h"
#include "avrankmap/instance.h"
#include "avrankmap/rankmap.h"
#include "avrankmap/request.h"
#include "avrankmap/topo.h"

AVRM_BEGIN_DECLS

typedef struct avrm_device avrm_device_t;
typedef struct avrm_comm avrm_comm_t;
typedef struct avrm_window avrm_window_t;

/// When peers are connected.
typedef enum avrm_connect_policy {
  AVRM_CONNECT_ON_DEMAND = 0, ///< each at first contact
  AVRM_CONNECT_EAGER = 1,     ///< all of them when the device is opened, in bulk
} avrm_connect_policy_t;

/// What the world's address vector is made of (av.h).
typedef enum avrm_device_av {
  AVRM_DEVICE_AV_AUTO = 0, ///< as the environment variable AVRM_AV says ("table", "implicit"); else implicit with eager
  ///< connection and a netmod whose addresses are numbers, which then come in order; else a table
  AVRM_DEVICE_AV_TABLE = 1, ///< 12 bytes per process
  AVRM_DEVICE_AV_IMPLICIT =
      2, ///< no table as long as addresses follow a pattern: with connection on demand, until the first
         ///< contact out of order
} avrm_device_av_t;

typedef struct avrm_device_options {
  avrm_boot_t *boot;    ///< required; must outlive the device
  const char *netmod;   ///< "ofi", "ucx", "null"; null: environment variable AVRM_NETMOD, else the first one built
  const char *shmmod;   ///< "posix", "none"; null: environment variable AVRM_SHMMOD, else the first one built
  const char *provider; ///< handed to the netmod; null: its own environment (FI_PROVIDER, UCX_TLS)
  avrm_connect_policy_t connect;
  bool threads;                      ///< calls may come from several threads
  bool strict;                       ///< as in avrm_instance_options_t
  const avrm_allocator_t *allocator; ///< as in avrm_instance_options_t
  /// The world's address vector lies on the NUMA node that this process runs on, if it is one, and if the system lets us
  /// bind memory; null: wherever the system puts it, as with an allocator of one's own, or if it is implicit. Used by avrm_device_open only.
  const avrm_topo_t *topo;
  /// Called once per error that a transport reports, with its own words; may be null. Must not call the library.
  void (*on_error)(void *user, avrm_status_t status, const char *text);
  void *user;
  avrm_device_av_t av;
} avrm_device_options_t;

/// What avrm_device_open calls: with the version of the headers that the caller was compiled with.
avrm_status_t avrm_i_device_open(const avrm_device_options_t *options, avrm_device_t **device_p,
                                 uint32_t headers) AVRM_NOEXCEPT;

/// Opens a device: transports, own card, world communicator. Collective over the job (one fence).
/// @return AVRM_OK, AVRM_ERR_VERSION (these headers are not those of the library), AVRM_ERR_NULL, AVRM_ERR_OPTION (unknown
///         netmod, shmmod or av, or one that was not built), AVRM_ERR_UNSUPPORTED (no such provider here),
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_BOOT, AVRM_ERR_PEER
AVRM_INLINE avrm_status_t avrm_device_open(const avrm_device_options_t *options,
                                           avrm_device_t **device_p) AVRM_NOEXCEPT {
  return avrm_i_device_open(options, device_p, AVRM_I_HEADERS);
}

/// Closes a device: waits (a fence) until no process of the job needs this one any more, then ends what is left. All its
/// communicators but the world, its windows and its requests must be gone. Null is allowed.
/// @return AVRM_OK, AVRM_ERR_BUSY (nothing is changed), AVRM_ERR_PEER (a process died; the device is closed all the same)
avrm_status_t avrm_device_close(avrm_device_t *device) AVRM_NOEXCEPT;

/// The communicator of all processes of the job, context id 0. Belongs to the device.
avrm_comm_t *avrm_device_world(avrm_device_t *device) AVRM_NOEXCEPT;
/// The instance that holds the device's address vectors and rankmaps.
avrm_instance_t *avrm_device_instance(avrm_device_t *device) AVRM_NOEXCEPT;
/// What is in use, for people: "ofi (tcp;ofi_rxm) + posix". Never null.
const char *avrm_device_describe(const avrm_device_t *device) AVRM_NOEXCEPT;

/// Makes progress on everything. Returns the number of things that happened.
int avrm_progress(avrm_device_t *device) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// Communicators
// ---------------------------------------------------------------------------------------------------------------------

/// A communicator from a map and a context id that its members have agreed on by themselves; purely local. Others: comm.h.
/// @param map      becomes the communicator's (bound here); on error it stays the caller's
/// @param context  1 .. AVRM_MATCH_MAX_CONTEXT, not in use by another communicator that shares a member with this one
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_LIMIT (context, or more ranks than match bits have), AVRM_ERR_BUSY
///         (context in use here), and what avrm_rankmap_bind returns
avrm_status_t avrm_comm_create_local(avrm_device_t *device, avrm_rankmap_t *map, int32_t rank, uint32_t context,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Frees a communicator, with its map. @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (requests or windows of it exist, or it
/// is the world)
avrm_status_t avrm_comm_free(avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Rank of this process, 0 .. size-1. `comm` must not be null, here and below. Thread-safe.
int32_t avrm_comm_rank(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Number of members, of an intercommunicator those of the own group. Thread-safe.
int32_t avrm_comm_size(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// The map of those that messages go to and come from, the members or the other group, bound; belongs to the communicator.
/// Thread-safe.
const avrm_rankmap_t *avrm_comm_map(const avrm_comm_t *comm) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// Messages. Order and matching are MPI's: messages from one sender in one communicator match in the order in which they
// were sent, receives in the order in which they were posted. Buffers belong to the device until the request is done.
// When a process dies, operations with it end with AVRM_ERR_PEER, and so do the receives from anybody that wait then,
// since it may have been its message that they wait for; later ones wait for the others.
// AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_TAG (outside 0 .. AVRM_MATCH_MAX_TAG), AVRM_ERR_SIZE (blocks that overlap, or more
// than SIZE_MAX bytes), AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER.
// A buffer of no bytes may be null.
// ---------------------------------------------------------------------------------------------------------------------

/// Regularly spaced blocks in memory.
typedef struct avrm_layout {
  size_t block; ///< bytes per block
  size_t count; ///< number of blocks
  size_t pitch; ///< bytes from the start of one block to the start of the next; at least `block` if count > 1
} avrm_layout_t;

avrm_status_t avrm_isend(avrm_comm_t *comm, const void *buffer, size_t bytes, int32_t dest, int32_t tag,
                         avrm_request_t **request_p) AVRM_NOEXCEPT;
/// source may be AVRM_ANY_SOURCE, tag AVRM_ANY_TAG.
avrm_status_t avrm_irecv(avrm_comm_t *comm, void *buffer, size_t bytes, int32_t source, int32_t tag,
                         avrm_request_t **request_p) AVRM_NOEXCEPT;
avrm_status_t avrm_isend_strided(avrm_comm_t *comm, const void *buffer, const avrm_layout_t *layout, int32_t dest,
                                 int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;
avrm_status_t avrm_irecv_strided(avrm_comm_t *comm, void *buffer, const avrm_layout_t *layout, int32_t source,
                                 int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Looks once, with progress. When the operation is over, *done_p is true, the request is gone and *request_p null.
/// outcome_p may be null. A null request is done.
/// @return AVRM_OK, AVRM_ERR_NULL; how the operation ended is in the outcome
avrm_status_t avrm_test(avrm_request_t **request_p, bool *done_p, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Waits. @return how the operation ended (outcome.status)
avrm_status_t avrm_wait(avrm_request_t **request_p, avrm_outcome_t *outcome_p) AVRM_NOEXCEPT;
/// Asks for a receive to be cancelled; the request is still to be waited for, and ends with AVRM_ERR_CANCELLED unless a
/// message had matched before. @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a receive)
avrm_status_t avrm_cancel(avrm_request_t *request) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// Windows: memory that the members of a communicator can put into and get from.
// ---------------------------------------------------------------------------------------------------------------------

/// Opens `bytes` bytes at `base` of this process to the members of `comm`; 0 bytes are allowed. Collective over `comm` in
/// the sense that every member must do it, in the same order; it does not wait for the others.
avrm_status_t avrm_window_create(avrm_comm_t *comm, void *base, size_t bytes, avrm_window_t **window_p) AVRM_NOEXCEPT;
/// The same with memory that the library provides; peers of the same node then reach it by plain loads and stores.
avrm_status_t avrm_window_allocate(avrm_comm_t *comm, size_t bytes, void **base_p,
                                   avrm_window_t **window_p) AVRM_NOEXCEPT;
/// Closes a window. No member may still be using this process's part of it: flush and synchronise first.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (requests of it exist)
avrm_status_t avrm_window_free(avrm_window_t *window) AVRM_NOEXCEPT;

/// Puts `bytes` bytes into the target's window at `offset`. The request is done when `buffer` is free again.
/// AVRM_ERR_RANK, AVRM_ERR_SIZE (outside the target's window).
avrm_status_t avrm_put(avrm_window_t *window, const void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Gets `bytes` bytes from the target's window at `offset`. The request is done when `buffer` holds them. Errors as avrm_put.
avrm_status_t avrm_get(avrm_window_t *window, void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Blocks of `layout` at `buffer` to blocks of `target_layout` at `offset`; both have the same number of bytes in all.
avrm_status_t avrm_put_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t *layout, int32_t target,
                               uint64_t offset, const avrm_layout_t *target_layout,
                               avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Waits until everything that was put to `target` is in its memory. @return AVRM_OK, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT
avrm_status_t avrm_flush(avrm_window_t *window, int32_t target) AVRM_NOEXCEPT;
/// The same for all targets; how the first that failed ended.
avrm_status_t avrm_flush_all(avrm_window_t *window) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
