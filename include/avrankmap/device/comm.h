// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators: all constructors that MPI has, between real processes. Each map takes its smallest
// form.
//
//   function                     collective over        form of the map, usually
//   avrm_comm_dup, _idup         parent (both groups)   shared with the parent
//   avrm_comm_split              parent (both groups)   offset, stride, blocked or cart, if regular
//   avrm_comm_split_type         parent                 offset
//   avrm_comm_split_guided       parent                 offset
//   avrm_comm_create             parent                 that of the group
//   avrm_comm_create_group       the group only         that of the group
//   avrm_comm_merge              both groups            regular or segments
//   avrm_cart_create             parent                 offset
//   avrm_cart_sub                parent                 offset to cart
//   avrm_intercomm_create        both local groups      one map per group
//   avrm_intercomm_merge         both groups            regular or segments
//
// Two halves (tests/tour/communicators.c):
//
//   avrm_comm_t *half;
//   must(avrm_comm_split(world, rank % 2, rank, &half)); // the even ranks, the odd ranks
//
// A row of a grid (tests/tour/communicators.c):
//
//   const int32_t periods[2] = {1, 0}, columns[2] = {0, 1};
//   int32_t dims[2] = {0, 0}, place[2];
//   avrm_comm_t *grid, *row;
//   must(avrm_dims_create(avrm_comm_size(world), 2, dims)); // {2, 2} for 4 processes
//   must(avrm_cart_create(world, 2, dims, periods, false, &grid));
//   must(avrm_cart_sub(grid, columns, &row)); // keeps the second dimension
//
// A communicator has a context id, a rank and a map. An intercommunicator has one map per group;
// messages go to ranks of the remote group.
//
// Creation is all or nothing: the members agree on a context id, and the agreement carries the
// status of every member. A member that runs out of memory still takes part: a few requests are
// held in reserve, and messages that it cannot store wait in the ring in which they arrived.
// (Transports allocate memory of their own, which this does not cover.) Messages that the transport
// refuses are repeated up to a thousand times; then this process gets AVRM_ERR_TRANSPORT, and the
// others wait until it ends. If a member dies, the others get AVRM_ERR_PEER. Some of them may
// already have the new communicator then, as in MPI.
//
// All members call collective functions in the same order, from one thread at a time per
// communicator. With a device for several threads, threads may create from different communicators
// at once. Common errors: AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY, AVRM_ERR_PEER, AVRM_ERR_TRANSPORT,
// AVRM_ERR_LIMIT (no context id is free in all members; device.h has the limit), AVRM_ERR_OPTION
// (an intercommunicator where an intracommunicator is required, or the reverse), AVRM_ERR_MISMATCH
// (arguments of the members differ, where that can be detected), AVRM_ERR_REVOKED (ft.h).
#ifndef AVRANKMAP_DEVICE_COMM_H
#define AVRANKMAP_DEVICE_COMM_H

#include "avrankmap/device/device.h"
#include "avrankmap/group.h"
#include "avrankmap/hierarchy.h"

AVRM_BEGIN_DECLS

// -------------------------------------------------------------------------------------------------
// From one communicator. Cost: one reduction over the members; for intercommunicators one in each
// group, an exchange and a broadcast. Temporary memory: 4 KiB. Further costs are noted at each
// function.
// -------------------------------------------------------------------------------------------------

/// Creates a communicator of the same processes with a new context id. Shares tables.
avrm_status_t avrm_comm_dup(avrm_comm_t *comm, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Starts the same without waiting. Every call of this process that makes progress advances it. The
/// library writes *comm_p when the request completes; it must stay valid until then. If a member
/// runs out of memory, the request completes with AVRM_ERR_NO_MEMORY in all members. If other
/// pending idups occupy the device's reserve as well, this call waits for the other members and
/// returns AVRM_ERR_NO_MEMORY itself.
avrm_status_t avrm_comm_idup(avrm_comm_t *comm, avrm_comm_t **comm_p, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Creates one communicator per colour. Ranks are ordered by key, then by rank in `comm`. Splits
/// both groups of an intercommunicator; a process gets null if the other side has no process of its
/// colour.
/// @param colour  0 or more; with AVRM_UNDEFINED this process gets null; else AVRM_ERR_OPTION
/// Cost: up to 16,384 processes, every process gathers all colours and keys (12 bytes per process
/// of temporary memory). Above that, a distributed sort takes O(log^2 P) messages, each group
/// detects its pattern, and only groups without a pattern gather a table of their ranks.
avrm_status_t avrm_comm_split(avrm_comm_t *comm, int32_t colour, int32_t key, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Kinds of avrm_comm_split_type.
typedef enum avrm_comm_type {
  AVRM_COMM_NODE = 0 ///< processes of one node, which can share memory (MPI_COMM_TYPE_SHARED)
} avrm_comm_type_t;
/// Creates one communicator per node. AVRM_ERR_OPTION for an unknown type.
avrm_status_t avrm_comm_split_type(avrm_comm_t *comm, avrm_comm_type_t type, int32_t key,
                                   avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Creates one communicator per instance of a hardware resource, of the processes bound to it
/// (MPI_COMM_TYPE_HW_GUIDED). A process gets null if a thread of it may run in several instances,
/// or if its machine has none.
/// @param resource  value of MPI's info key mpi_hw_resource_type: "mpi_shared_memory" (the node),
///                  or an hwloc object type such as "core", "L2", "L3Cache", "NUMANode", "package"
///                  or "hwloc://NUMANode"; the same in all members
/// @return also AVRM_ERR_OPTION (unknown to hwloc), AVRM_ERR_UNSUPPORTED (built without hwloc, or
///         hwloc's environment variables describe another machine); the same status in all members
/// Cost: two splits with one agreement, and some milliseconds, because hwloc reads /sys.
avrm_status_t avrm_comm_split_guided(avrm_comm_t *comm, const char *resource, int32_t key,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Creates a communicator of the processes of `group`. Other processes get null. One call may
/// create communicators of several disjoint groups.
/// @param group  a subset of the communicator (else AVRM_ERR_RANK), of the device's instance (else
///               AVRM_ERR_INSTANCE)
avrm_status_t avrm_comm_create(avrm_comm_t *comm, const avrm_group_t *group, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Creates the same, but only members of the group call it: "Noncollective Communicator Creation in
/// MPI", 5.1, which replaces that paper's algorithm 1. The other processes of `comm` may be busy or
/// dead. Different tags separate concurrent calls. Cost: one reduction over the group, O(log n)
/// messages per process; algorithm 1 takes O(log^2 n).
/// @param group  the same in all members (else AVRM_ERR_MISMATCH, if the sizes are equal); contains
///               this process (else AVRM_ERR_RANK)
/// @param tag    0 .. 32767, else AVRM_ERR_TAG
avrm_status_t avrm_comm_create_group(avrm_comm_t *comm, const avrm_group_t *group, int32_t tag,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Creates one communicator of two groups that know one another by their leaders only. All members
/// of both local communicators call it, nobody else. For groups that grow at run time, as when one
/// that has run out of work helps another ("Noncollective Communicator Creation in MPI", 4.2). It
/// is the step of that paper's algorithm 1, with one agreement in place of those of
/// avrm_intercomm_create and avrm_intercomm_merge, and without a communicator in between. Use
/// avrm_comm_create_group where all members know the whole group.
///
/// Both groups (tests/tour/communicators.c):
///
///   must(avrm_comm_merge(half, 0, world, 1 - rank % 2, 12, rank % 2 == 0, &whole));
///
/// @param local_leader   rank in `local`, the same in all its members
/// @param peer           used in the leader only; may be null elsewhere
/// @param remote_leader  rank of the other leader in `peer`; used in the leader only
/// @param tag            0 .. 32767, the same in both groups; separates concurrent creations over
///                       one peer communicator
/// @param high           the group that passes true comes last; as in avrm_intercomm_merge
/// @return also AVRM_ERR_DUPLICATE (the groups overlap), AVRM_ERR_RANK, AVRM_ERR_TAG,
///         AVRM_ERR_LIMIT (more than 2^31 - 1 processes), AVRM_ERR_MISMATCH (the other group calls
///         avrm_intercomm_create). A leader whose `peer` is null, of another device or a part of a
///         communicator, or whose `remote_leader` is out of range, is reported to all members of
///         its group (AVRM_ERR_NULL, _INSTANCE, _OPTION, _RANK); the other group is not told
/// Cost: in each group two reductions and three broadcasts of a few bytes, three messages each way
/// between the leaders; for a group without a formula also its runs, 20 bytes each. `local` stays
/// as it is.
avrm_status_t avrm_comm_merge(avrm_comm_t *local, int32_t local_leader, avrm_comm_t *peer, int32_t remote_leader,
                              int32_t tag, bool high, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Grids
// -------------------------------------------------------------------------------------------------

/// Maximum number of dimensions of a grid.
#define AVRM_CART_MAX 8

/// Creates a grid of the first processes of `comm` in row-major order: the last coordinate varies
/// fastest. Other processes get null.
/// @param dimensions  0 .. AVRM_CART_MAX; a grid without dimensions has one process
/// @param dims        extents; may be null without dimensions, as may `periods`
/// @param periods     non-zero: the dimension wraps around
/// @param reorder     lets ranks differ from those in `comm`; the same in all members
/// @return also AVRM_ERR_COUNT (`dimensions`), AVRM_ERR_SIZE (an extent below 1, more places than
///         processes), AVRM_ERR_MISMATCH (the members mean different grids)
///
/// With `reorder` each node gets a box of the grid, chosen so that the fewest neighbours are on
/// different nodes. That requires nodes with equal numbers of these processes, at most 4,096 each,
/// whose ranks are consecutive or cyclic; else, or if row-major order is as good, ranks stay. The
/// map stays a formula (mode cart, if the parent's is affine). Cost: one broadcast, two reductions
/// and two messages more, each of a few bytes.
avrm_status_t avrm_cart_create(avrm_comm_t *comm, int32_t dimensions, const int32_t *dims, const int32_t *periods,
                               bool reorder, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Creates the subgrid that contains this process and keeps the dimensions whose `remain` is not 0.
/// Without any that is a grid without dimensions. AVRM_ERR_OPTION if `comm` is not a grid. Cost: no
/// messages in addition to the agreement; the map is a formula.
avrm_status_t avrm_cart_sub(avrm_comm_t *comm, const int32_t *remain, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Returns the number of dimensions of a grid, 0 for other communicators, which avrm_cart_get tells
/// from a grid without dimensions. Local, as are the following, whose arrays may be null without
/// dimensions.
int32_t avrm_cart_dimensions(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the extents and periods of a grid.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a grid)
avrm_status_t avrm_cart_get(const avrm_comm_t *comm, int32_t *dims, int32_t *periods) AVRM_NOEXCEPT;
/// Returns the coordinates of a rank. AVRM_ERR_RANK if it is out of range.
avrm_status_t avrm_cart_coords(const avrm_comm_t *comm, int32_t rank, int32_t *coords) AVRM_NOEXCEPT;
/// Returns the rank of coordinates. AVRM_ERR_RANGE if one is outside a dimension that does not wrap
/// around.
avrm_status_t avrm_cart_rank(const avrm_comm_t *comm, const int32_t *coords, int32_t *rank_p) AVRM_NOEXCEPT;
/// Returns the neighbours of this process in one dimension, as MPI_Cart_shift does: the process
/// whose coordinate is `displacement` lower, and the one whose coordinate is that much higher.
/// AVRM_PROC_NULL for one beyond the end of a dimension that does not wrap around.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a grid), AVRM_ERR_RANGE (no such dimension)
avrm_status_t avrm_cart_shift(const avrm_comm_t *comm, int32_t dimension, int32_t displacement, int32_t *source_p,
                              int32_t *dest_p) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Intercommunicators
// -------------------------------------------------------------------------------------------------

/// Creates an intercommunicator of two groups. All members of both local communicators call it; the
/// leaders communicate over `peer`.
/// @param local_leader   rank in `local`, the same in all its members
/// @param peer           used in the leader only; may be null elsewhere
/// @param remote_leader  rank of the other leader in `peer`; used in the leader only
/// @param tag            0 .. 32767, the same in both groups; separates concurrent creations over
///                       one peer communicator
/// @return also AVRM_ERR_DUPLICATE (the groups overlap), AVRM_ERR_RANK, AVRM_ERR_TAG. What is wrong
///         with `peer` and `remote_leader` is reported as by avrm_comm_merge
avrm_status_t avrm_intercomm_create(avrm_comm_t *local, int32_t local_leader, avrm_comm_t *peer, int32_t remote_leader,
                                    int32_t tag, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Creates an intracommunicator of both groups. The group that passes `high` comes last. If both
/// pass the same value, the group whose first process is greater comes last. `high` is the same in
/// all members of a group.
avrm_status_t avrm_intercomm_merge(avrm_comm_t *comm, bool high, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Returns true for an intercommunicator.
bool avrm_comm_is_inter(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the size of the remote group, 0 for an intracommunicator.
int32_t avrm_comm_remote_size(const avrm_comm_t *comm) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Groups of communicators. Local. Groups share tables with the communicator. Free them with
// avrm_group_destroy.
// -------------------------------------------------------------------------------------------------

/// Creates the group of the communicator, of an intercommunicator the local one.
avrm_status_t avrm_comm_group(const avrm_comm_t *comm, avrm_group_t **group_p) AVRM_NOEXCEPT;
/// Creates the group of the members that have failed, as far as this process knows, in the order of
/// their ranks; of an intercommunicator those of the own group, then those of the other. Local.
/// Makes no progress, which is what learns of failures. Thread-safe on a device for several
/// threads. Cost: O(1) while nobody has failed, else O(f log P) for f dead processes of the device.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY
avrm_status_t avrm_comm_get_failed(avrm_comm_t *comm, avrm_group_t **group_p) AVRM_NOEXCEPT;
/// Creates the remote group of an intercommunicator.
avrm_status_t avrm_comm_remote_group(const avrm_comm_t *comm, avrm_group_t **group_p) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Internal communicators, for the collective operations of a library. They carry messages only, in
// planes of the communicator's own context id. They come from the communicator's hierarchy. The
// communicator owns and frees all of it; dups share hierarchy and maps.
//
// The first call is collective. Cost: O(log P) messages of O(runs) bytes and at most 4 KiB; an
// array of a number per rank instead where the order of nodes is irregular. No messages, and errors
// of one member alone, where all are of one world and know its nodes: from the embedded launcher,
// on a single node, or by eager connection with an implicit address vector.
// -------------------------------------------------------------------------------------------------

/// Returns the hierarchy: which members are on one node.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (an intercommunicator or an internal
///         communicator), and the common errors; so do the two functions below
avrm_status_t avrm_comm_hierarchy(avrm_comm_t *comm, const avrm_hierarchy_t **hierarchy_p) AVRM_NOEXCEPT;

/// Returns the communicator of the processes on this node, in order of rank.
avrm_status_t avrm_comm_node(avrm_comm_t *comm, avrm_comm_t **node_p) AVRM_NOEXCEPT;
/// Returns the communicator of the first process on each node, in order of rank; null in other
/// processes.
avrm_status_t avrm_comm_node_roots(avrm_comm_t *comm, avrm_comm_t **roots_p) AVRM_NOEXCEPT;

/// Blocks until all members (of the local group) have called it. Cost: O(log P) messages.
avrm_status_t avrm_barrier(avrm_comm_t *comm) AVRM_NOEXCEPT;

/// Returns the number of context ids in use in this process, including the world's, and the
/// maximum. A creation finds an id as long as one is free in all members at the same time. No
/// pointer may be null. Thread-safe. Cost: O(1), one lock.
void avrm_device_contexts(const avrm_device_t *device, int32_t *live_p, int32_t *most_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
