// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators: every way of making one that MPI has, between real processes, with maps in their smallest form.
//
//   from            function                     collective over          map of the result, as a rule
//   a communicator  avrm_comm_dup, _idup         it (both groups)         the parent's own
//                   avrm_comm_split              it (both groups)         offset, stride, blocked, cart where there is a pattern
//                   avrm_comm_split_type         it                       offset
//                   avrm_comm_split_guided       it                       offset
//                   avrm_comm_create             it                       that of the group
//                   avrm_comm_create_group       the group only           that of the group
//                   avrm_cart_create, _cart_sub  it                       offset; offset to cart
//   two of them     avrm_intercomm_create        both local groups        their own and the other's
//                   avrm_intercomm_merge         both groups              regular or segments
//
// A communicator has a context id, a rank, and a map; an intercommunicator has a map of either group, and messages go to
// ranks of the other one. Context ids are agreed on by the members (device.h says how many there may be); the agreement
// carries every member's verdict, so a creation succeeds in all members or in none. A member without memory takes part to
// say so: its messages have a few requests in reserve, and those that it cannot keep wait in the ring that they came in.
// (A transport's own memory is the transport's affair.) A message that the transport refuses is tried again, up to a thousand
// times; then this process gets AVRM_ERR_TRANSPORT, and the others wait for it until it ends. When a member dies meanwhile,
// the others get AVRM_ERR_PEER; some may then have the new communicator already, as in MPI.
//
// All functions that are collective must be called by all members in the same order, from one thread at a time per
// communicator; on different communicators threads may create at once (device with `threads`). Results are written on
// success only. Common errors: AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT, AVRM_ERR_LIMIT (no
// context id is free in all members), AVRM_ERR_OPTION (an intercommunicator where the other kind is needed, or the reverse),
// AVRM_ERR_MISMATCH (members ask for different things, where that shows).
#ifndef AVRANKMAP_COMM_H
#define AVRANKMAP_COMM_H

#include "avrankmap/device.h"
#include "avrankmap/group.h"

AVRM_BEGIN_DECLS

// ---------------------------------------------------------------------------------------------------------------------
// Of one communicator. Cost: one reduction over the members (of both groups, with an exchange between them and a broadcast),
// and what is said below. Temporary memory: 4 KiB, and what is said below.
// ---------------------------------------------------------------------------------------------------------------------

/// The same processes in a new context. Shares tables.
avrm_status_t avrm_comm_dup(avrm_comm_t *comm, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// The same without waiting: *comm_p is written when the request is done, and must live until then. Goes on in any call of
/// this process that makes progress. Without memory the request ends with AVRM_ERR_NO_MEMORY in all members; if even the
/// device's reserve is in use, by other idups, this call itself returns it, after it has waited for the other members.
avrm_status_t avrm_comm_idup(avrm_comm_t *comm, avrm_comm_t **comm_p, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// One communicator per colour, its ranks in order of key, then of rank in `comm`.
/// @param colour  0 or more, or AVRM_UNDEFINED: this process gets null. AVRM_ERR_OPTION for anything else.
/// Of an intercommunicator both groups are split; who has nobody of the same colour on the other side gets null.
/// Cost: up to 16,384 processes each learns all colours and keys, 12 bytes per process of temporary memory; beyond that they
/// are sorted where they are in O(log^2 P) messages, each group looks for its pattern, and only a group without one gathers
/// a table of its ranks.
avrm_status_t avrm_comm_split(avrm_comm_t *comm, int32_t colour, int32_t key, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// What the members of a communicator of avrm_comm_split_type have in common.
typedef enum avrm_comm_type {
  AVRM_COMM_NODE = 0 ///< a node, that is, they can share memory (MPI_COMM_TYPE_SHARED)
} avrm_comm_type_t;
avrm_status_t avrm_comm_split_type(avrm_comm_t *comm, avrm_comm_type_t type, int32_t key,
                                   avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// One communicator per instance of a hardware resource (MPI_COMM_TYPE_HW_GUIDED), of the processes that are bound to it. A
/// process of which any thread may run in several instances, or on a machine that has none, gets null.
/// @param resource  the value of MPI's info key mpi_hw_resource_type: "mpi_shared_memory" (the node), or a kind of object in
///                  hwloc's words, such as "core", "L2", "L3Cache", "NUMANode", "package" or "hwloc://NUMANode"; the same in
///                  all members
/// @return also AVRM_ERR_OPTION (hwloc does not know it), AVRM_ERR_UNSUPPORTED (built without hwloc, or hwloc's environment
///         shows another machine than this one); in all members alike
/// Cost: two splits with one agreement, and some milliseconds, since hwloc reads /sys.
avrm_status_t avrm_comm_split_guided(avrm_comm_t *comm, const char *resource, int32_t key,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// The processes of `group`, a part of the communicator (else AVRM_ERR_RANK). Processes outside get null; disjoint groups
/// may be made in one call. AVRM_ERR_INSTANCE for a group of another instance than the device's.
avrm_status_t avrm_comm_create(avrm_comm_t *comm, const avrm_group_t *group, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// The same, called by the members of the group only ("Noncollective Communicator Creation in MPI", 5.1). No other process
/// of `comm` takes part, so they may be busy, or dead. Calls of several threads at once are told apart by their tags.
/// @param group  the same in all of its members (else AVRM_ERR_MISMATCH where sizes agree); this process is in it (else
///               AVRM_ERR_RANK)
/// @param tag    0 .. 32767, else AVRM_ERR_TAG
avrm_status_t avrm_comm_create_group(avrm_comm_t *comm, const avrm_group_t *group, int32_t tag,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// Grids
// ---------------------------------------------------------------------------------------------------------------------

/// Dimensions that a grid may have.
#define AVRM_CART_MAX 8

/// A grid of the first processes of `comm`, in row-major order: the last coordinate counts fastest. The others get null.
/// @param dims      AVRM_ERR_SIZE for a dimension below 1, or more places than processes
/// @param periods   non-zero: wraps around
/// @param reorder   allows other ranks than in `comm`, the same in all members. Each node then gets a box of the grid, such that the
///                  fewest neighbours are on different nodes, if all nodes have as many of these processes, consecutive or dealt out
///                  one by one, and row-major order is not as good. The map stays a formula (mode cart, if the parent's is affine).
///                  Cost: a broadcast, two reductions and two messages more, each of a few bytes. A node with more than 4,096
///                  processes is left as it is.
avrm_status_t avrm_cart_create(avrm_comm_t *comm, int32_t dimensions, const int32_t *dims, const int32_t *periods,
                               bool reorder, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// The part of a grid that this process lies in, of the dimensions for which `remain` is not 0. AVRM_ERR_OPTION if `comm` is
/// no grid. Cost: no message but the agreement; the map is a formula of the parent's.
avrm_status_t avrm_cart_sub(avrm_comm_t *comm, const int32_t *remain, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Number of dimensions of a grid, 0 for a communicator that is none. Local, as are those below.
int32_t avrm_cart_dimensions(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Extents and periods of a grid. @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (no grid)
avrm_status_t avrm_cart_get(const avrm_comm_t *comm, int32_t *dims, int32_t *periods) AVRM_NOEXCEPT;
/// Coordinates of a rank. AVRM_ERR_RANK.
avrm_status_t avrm_cart_coords(const avrm_comm_t *comm, int32_t rank, int32_t *coords) AVRM_NOEXCEPT;
/// Rank of coordinates. AVRM_ERR_RANGE for one outside a dimension that does not wrap around.
avrm_status_t avrm_cart_rank(const avrm_comm_t *comm, const int32_t *coords, int32_t *rank_p) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// Intercommunicators
// ---------------------------------------------------------------------------------------------------------------------

/// Joins two groups: all members of both local communicators call it. The leaders find one another in `peer`.
/// @param local_leader   rank in `local`, the same in all its members
/// @param peer           read in the leader only; may be null elsewhere
/// @param remote_leader  rank of the other leader in `peer`; read in the leader only
/// @param tag            0 .. 32767, the same in both groups; tells creations over one peer communicator apart
/// @return also AVRM_ERR_DUPLICATE (the groups overlap), AVRM_ERR_RANK, AVRM_ERR_TAG
avrm_status_t avrm_intercomm_create(avrm_comm_t *local, int32_t local_leader, avrm_comm_t *peer, int32_t remote_leader,
                                    int32_t tag, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Both groups as one; the group that says `high` comes last, and if both say the same, the one of the greater first
/// process. All members of a group say the same.
avrm_status_t avrm_intercomm_merge(avrm_comm_t *comm, bool high, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// True for an intercommunicator.
bool avrm_comm_is_inter(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Number of processes of the other group, 0 if there is none.
int32_t avrm_comm_remote_size(const avrm_comm_t *comm) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// Groups of communicators; local. Shares tables. To be destroyed by avrm_group_destroy.
// ---------------------------------------------------------------------------------------------------------------------

avrm_status_t avrm_comm_group(const avrm_comm_t *comm, avrm_group_t **group_p) AVRM_NOEXCEPT;
avrm_status_t avrm_comm_remote_group(const avrm_comm_t *comm, avrm_group_t **group_p) AVRM_NOEXCEPT;

// ---------------------------------------------------------------------------------------------------------------------
// Internal communicators, as a library uses them for its own collective operations: for messages only, in planes of the
// communicator's own context id. They belong to it and go with it. Collective at the first call; dups share the maps.
// ---------------------------------------------------------------------------------------------------------------------

/// Its processes on this node, in order of rank.
avrm_status_t avrm_comm_node(avrm_comm_t *comm, avrm_comm_t **node_p) AVRM_NOEXCEPT;
/// The first of its processes on each node, in order of rank; null if this process is none of them.
avrm_status_t avrm_comm_node_roots(avrm_comm_t *comm, avrm_comm_t **roots_p) AVRM_NOEXCEPT;

/// Waits until all members (of the own group) have come. O(log P) messages.
avrm_status_t avrm_barrier(avrm_comm_t *comm) AVRM_NOEXCEPT;

/// Context ids that this process has in use, the world's included, and how many there are in all. A creation finds an id as
/// long as one is free in all members at once. No pointer may be null. Thread-safe. Cost: O(1), a lock.
void avrm_device_contexts(const avrm_device_t *device, int32_t *live_p, int32_t *most_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
