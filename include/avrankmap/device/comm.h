// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Constructors of communicators, with the semantics of MPI's. The form of a new map is chosen as
// described in rankmap.h. Regular forms are direct, offset, stride and blocked.
//
//   function                     collective over        form of the map, usually
//   avrm_comm_dup, _idup         parent (both groups)   shared with the parent
//   avrm_comm_split              parent (both groups)   offset, stride, blocked or cart
//   avrm_comm_split_type         parent                 offset
//   avrm_comm_split_guided       parent                 offset
//   avrm_comm_create             parent                 that of the group
//   avrm_comm_create_group       the group only         that of the group
//   avrm_comm_create_from_group  the group only         that of the group
//   avrm_comm_merge              both groups            regular or segments
//   avrm_cart_create             parent                 offset
//   avrm_cart_sub                parent                 offset, stride, blocked or cart
//   avrm_intercomm_create        both local groups      one map per group
//   avrm_intercomm_merge         both groups            regular or segments
//
// Split the world into two halves (tests/tour/communicators.c):
//
//   avrm_comm_t *half;
//   must(avrm_comm_split(world, rank % 2, rank, &half)); // the even ranks, the odd ranks
//
// Create a grid and a communicator per row (tests/tour/communicators.c):
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
// Creation is all or nothing: the members agree on a context id and on a status. An invalid
// argument is the exception: unless stated otherwise, the call returns at once, and the other
// members block. A member that runs out of memory still takes part: a few requests are held in
// reserve, and messages that it cannot store stay in the receive queue. (This does not cover memory
// that transports allocate.) A send that fails is retried, up to a thousand times. If all attempts
// fail, the error is reported (on_error), the call returns AVRM_ERR_TRANSPORT in this process, and
// the other members block until the process exits. If a member fails, the others return
// AVRM_ERR_PEER; as in MPI, some of them may already have the new communicator.
//
// All members call collective functions in the same order, from one thread at a time per
// communicator. On a device with `threads` set, several threads may create communicators at the
// same time, from different parents, or from groups (avrm_comm_create_group,
// avrm_comm_create_from_group) with different tags. Functions return AVRM_OK or a common error
// unless they list their own values; values listed after "also" are additional. Common errors:
//
//   AVRM_ERR_NULL       a required pointer is null
//   AVRM_ERR_OPTION     an intercommunicator where an intracommunicator is required or the reverse,
//                       or an internal communicator
//   AVRM_ERR_LIMIT      no context id is free in all members (avrm_device_contexts)
//   AVRM_ERR_MISMATCH   arguments of the members differ, where that can be detected
//   AVRM_ERR_PEER       a member has failed
//   AVRM_ERR_REVOKED    the communicator was revoked (ft.h)
//   AVRM_ERR_NO_MEMORY, AVRM_ERR_TRANSPORT
#ifndef AVRANKMAP_DEVICE_COMM_H
#define AVRANKMAP_DEVICE_COMM_H

#include "avrankmap/device/device.h"
#include "avrankmap/group.h"
#include "avrankmap/hierarchy.h"

AVRM_BEGIN_DECLS

// -------------------------------------------------------------------------------------------------
// From communicators and groups. Cost unless stated otherwise: one reduction over the members; for
// intercommunicators a reduction in each group, an exchange between the leaders and a broadcast in
// each group. Temporary memory: about 6 KiB. Further costs are stated per function.
// -------------------------------------------------------------------------------------------------

/// Creates a communicator of the same processes with a new context id; a duplicate of a grid is
/// also a grid. Blocks until all members (of both groups, for an intercommunicator) have called it.
/// The new communicator shares the tables of the old one.
avrm_status_t avrm_comm_dup(avrm_comm_t *comm, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Starts to duplicate a communicator, without blocking. The duplication advances in every call of
/// this process that makes progress. The result is that of avrm_comm_dup.
/// @param comm_p     written when the request completes; must stay valid until then
/// @param request_p  receives the request; its outcome has the status of the creation. It cannot
///                   be cancelled
/// @return AVRM_OK (started), AVRM_ERR_NULL, AVRM_ERR_OPTION. If a member runs out of memory, the
///         request completes with AVRM_ERR_NO_MEMORY in all members. If this process is out of
///         memory and pending duplications already use the device's reserve, the call itself blocks
///         until the other members have called, and returns an error, usually AVRM_ERR_NO_MEMORY
avrm_status_t avrm_comm_idup(avrm_comm_t *comm, avrm_comm_t **comm_p, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Creates one communicator per colour. Ranks are ordered by key, then by rank in `comm`. For an
/// intercommunicator, splits both groups; a process gets null if the other group has no process of
/// its colour.
/// @param colour  0 or more; with AVRM_UNDEFINED this process gets null
/// @param key     any number
/// @return also AVRM_ERR_OPTION (any other colour)
/// Cost: up to 16,384 processes, and for an intercommunicator of any size, every process gathers
/// all colours and keys (12 bytes per process of temporary memory). Above that, a distributed sort
/// takes O(log^2 P) messages, each group detects its pattern, and only groups without a pattern
/// gather a table of their ranks.
avrm_status_t avrm_comm_split(avrm_comm_t *comm, int32_t colour, int32_t key, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Kinds of avrm_comm_split_type.
typedef enum avrm_comm_type {
  AVRM_COMM_NODE = 0 ///< processes of one node (MPI_COMM_TYPE_SHARED)
} avrm_comm_type_t;
/// Creates one communicator per node.
/// @param type  AVRM_COMM_NODE
/// @param key   orders the ranks, as in avrm_comm_split
/// @return also AVRM_ERR_OPTION (unknown type), AVRM_ERR_LIMIT (members from more than 2,048
///         worlds, or a node id of 2^20 or more in a world other than that of rank 0); all members
///         return the same status
/// Cost: that of avrm_comm_split.
avrm_status_t avrm_comm_split_type(avrm_comm_t *comm, avrm_comm_type_t type, int32_t key,
                                   avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Creates one communicator per instance of a hardware resource, of the processes bound to that
/// instance (MPI_COMM_TYPE_HW_GUIDED). A process gets null if it may run on several instances, or
/// if its machine has none.
/// @param resource  value of MPI's info key mpi_hw_resource_type: "mpi_shared_memory" (the node),
///                  or an hwloc object type such as "core", "L2", "L3Cache", "NUMANode", "package"
///                  or "hwloc://NUMANode"; the same in all members
/// @param key       orders the ranks, as in avrm_comm_split
/// @return also AVRM_ERR_OPTION (unknown type), AVRM_ERR_SYSTEM, AVRM_ERR_UNSUPPORTED (no hwloc, or
///         its environment variables describe another machine), AVRM_ERR_LIMIT (as
///         avrm_comm_split_type); all members return the same status
/// Cost: that of two splits (only the second agrees on a context id) and of two reductions, and a
/// few milliseconds for hwloc to read /sys.
avrm_status_t avrm_comm_split_guided(avrm_comm_t *comm, const char *resource, int32_t key,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Creates a communicator of the processes of `group`, in the order of the group. All members of
/// `comm` call it; those outside the group get null. Members may pass different groups if these are
/// disjoint; each group then gets its own communicator.
/// @param group  of the device's instance; its processes are members of `comm`
/// @return also AVRM_ERR_RANK (not a subset of the communicator; returned by all members),
///         AVRM_ERR_INSTANCE (a group of another instance)
avrm_status_t avrm_comm_create(avrm_comm_t *comm, const avrm_group_t *group, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Creates a communicator of the processes of `group`. Only the members of the group call it; other
/// processes of `comm` may be busy or have failed.
/// @param group  a group of the device's instance, the same in all its members; a subset of `comm`
///               that includes this process
/// @param tag    0 .. 32767; separates concurrent calls. Do not reuse the tag of a call that failed
///               with AVRM_ERR_PEER or AVRM_ERR_TRANSPORT: its messages may still be under way
/// @return also AVRM_ERR_TAG, AVRM_ERR_RANK (not a subset of `comm`, or without this process),
///         AVRM_ERR_INSTANCE, AVRM_ERR_MISMATCH (groups of equal size differ)
/// Cost: one reduction over the group, O(log n) messages per process. It replaces algorithm 1 of
/// "Noncollective Communicator Creation in MPI", 5.1, which takes O(log^2 n).
avrm_status_t avrm_comm_create_group(avrm_comm_t *comm, const avrm_group_t *group, int32_t tag,
                                     avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Creates a communicator of the processes of `group` without a parent, as
/// MPI_Comm_create_from_group (MPI-4) does. Only the members of the group call it. No communicator
/// has to be usable: the world may have been revoked, and processes outside the group may be busy
/// or have failed. For libraries that share a process and have no communicator in common.
///
/// Called by the members (tests/tour/communicators.c):
///
///   must(avrm_comm_create_from_group(device, first, "org.example.solver", &pair));
///
/// @param group  a group of the device's instance, the same in all its members; it includes this
///               process, and only processes of this job's world (pgid 0). For a group with
///               processes of other worlds, use avrm_comm_create_group with a communicator that
///               contains the group. To create the group without a communicator, pass a map of
///               lpids to avrm_group_create. Process sets of the launcher are not supported: PMIx
///               4.2 under Open MPI 4.1 has none
/// @param tag    a string of any length, the same in all members; separates concurrent calls. Two
///               calls of a process need different tags if one starts before the other returns,
///               as they may in different threads of a device with `threads` set. Calls that follow
///               each other may use the same tag, except after AVRM_ERR_PEER or
///               AVRM_ERR_TRANSPORT: messages of the failed call may still be under way
/// @return also AVRM_ERR_RANK (without this process, or with processes of other worlds),
///         AVRM_ERR_INSTANCE, AVRM_ERR_MISMATCH (groups of equal size differ); never
///         AVRM_ERR_OPTION or AVRM_ERR_REVOKED
/// Cost: that of avrm_comm_create_group, in messages of 32 bytes: usually at most log2(n) + 1 per
/// process. Nothing is kept except for the communicator. Messages carry 33 bits of a hash of the
/// tag, 26 in the largest jobs. If two concurrent calls of the same processes have different tags
/// with equal bits (one pair of tags in 2^33, or in 2^26), some or all of their members return
/// AVRM_ERR_MISMATCH.
avrm_status_t avrm_comm_create_from_group(avrm_device_t *device, const avrm_group_t *group, const char *tag,
                                          avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Creates one communicator of two groups of which only the leaders know each other. All members of
/// both local communicators call it, and no other process. For groups that grow at run time, for
/// example when a group that is out of work joins another ("Noncollective Communicator Creation in
/// MPI", 4.2). One call is one step of that paper's algorithm 1. It takes one agreement;
/// avrm_intercomm_create and avrm_intercomm_merge together take two, and need an intermediate
/// communicator. If all members know both groups, use avrm_comm_create_group.
///
/// Called by both groups (tests/tour/communicators.c):
///
///   must(avrm_comm_merge(half, 0, world, 1 - rank % 2, 12, rank % 2 == 0, &whole));
///
/// @param local          stays as it is
/// @param local_leader   rank in `local`, the same in all its members
/// @param peer           communicator that contains both leaders; used in the leader only, may be
///                       null elsewhere
/// @param remote_leader  rank of the other leader in `peer`; used in the leader only
/// @param tag            0 .. 32767, the same in both groups; separates concurrent creations over
///                       one peer communicator
/// @param high           the group that passes true comes last; as in avrm_intercomm_merge
/// @return also AVRM_ERR_DUPLICATE (the groups overlap), AVRM_ERR_RANK, AVRM_ERR_TAG,
///         AVRM_ERR_LIMIT (more than 2^31 - 1 processes), AVRM_ERR_MISMATCH (the other group calls
///         avrm_intercomm_create). If the leader's `peer` is null, of another device or an internal
///         communicator, or its `remote_leader` is out of range, all members of its group return
///         AVRM_ERR_NULL, _INSTANCE, _OPTION or _RANK; the other group blocks
/// Cost: in each group two reductions and three broadcasts of a few bytes; three messages each way
/// between the leaders. An irregular group also sends 20 bytes per run of equally spaced processes.
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
/// @param dims        extents, each at least 1; may be null without dimensions, as may `periods`
/// @param periods     non-zero: the dimension wraps around
/// @param reorder     allows ranks that differ from those in `comm`; the same in all members
/// @return also AVRM_ERR_COUNT (`dimensions`), AVRM_ERR_SIZE (an extent below 1, or a grid larger
///         than the communicator), AVRM_ERR_MISMATCH (the members' grids differ in their numbers of
///         processes or, with `reorder`, in any way); with `reorder` also AVRM_ERR_LIMIT (as
///         avrm_comm_split_type)
///
/// With `reorder` each node gets a box of the grid, chosen so that as few pairs of neighbours as
/// possible are on different nodes. This requires that each node has the same number of these
/// processes, at most 4,096, with consecutive or cyclic ranks. Otherwise, or if row-major order is
/// as good, ranks stay as they are. If the parent's map is direct, offset or stride, the new map is
/// regular if possible, and otherwise a cart or a table, as the instance's cost class (instance.h)
/// prefers. If the parent's map has another form, the new map may be a table. Additional cost of
/// `reorder`: one broadcast, two reductions and up to two messages, each of a few bytes.
avrm_status_t avrm_cart_create(avrm_comm_t *comm, int32_t dimensions, const int32_t *dims, const int32_t *periods,
                               bool reorder, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Creates the subgrid that contains this process and keeps the dimensions whose `remain` is not 0.
/// If no dimension is kept, it is a grid without dimensions.
/// @param remain  one number per dimension; may be null without dimensions
/// @return also AVRM_ERR_OPTION (`comm` is not a grid)
/// Cost: no messages except those of the agreement. The map's form is as for a reordered grid.
avrm_status_t avrm_cart_sub(avrm_comm_t *comm, const int32_t *remain, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Returns the number of dimensions of a grid; 0 for null and for communicators that are not grids.
/// To distinguish these from a grid without dimensions, call avrm_cart_get. Local, as are the next
/// four functions, whose arrays may be null without dimensions. All five are thread-safe; cost:
/// O(dimensions).
int32_t avrm_cart_dimensions(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the extents and periods (1 or 0) of a grid.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a grid)
avrm_status_t avrm_cart_get(const avrm_comm_t *comm, int32_t *dims, int32_t *periods) AVRM_NOEXCEPT;
/// Returns the coordinates of a rank.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a grid), AVRM_ERR_RANK (out of range)
avrm_status_t avrm_cart_coords(const avrm_comm_t *comm, int32_t rank, int32_t *coords) AVRM_NOEXCEPT;
/// Returns the rank at given coordinates, which may be any numbers in dimensions that wrap around.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a grid), AVRM_ERR_RANGE (a coordinate is
///         outside a dimension that does not wrap around)
avrm_status_t avrm_cart_rank(const avrm_comm_t *comm, const int32_t *coords, int32_t *rank_p) AVRM_NOEXCEPT;
/// Returns the neighbours of this process in one dimension, as MPI_Cart_shift does.
/// @param source_p  receives the rank of the process whose coordinate is `displacement` lower
/// @param dest_p    receives the rank of the process whose coordinate is `displacement` higher
/// A neighbour outside a dimension that does not wrap around is AVRM_PROC_NULL.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (not a grid), AVRM_ERR_RANGE (no such dimension)
avrm_status_t avrm_cart_shift(const avrm_comm_t *comm, int32_t dimension, int32_t displacement, int32_t *source_p,
                              int32_t *dest_p) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Intercommunicators
// -------------------------------------------------------------------------------------------------

/// Creates an intercommunicator of two groups. All members of both local communicators call it; the
/// leaders communicate over `peer`.
/// @param local_leader   rank in `local`, the same in all its members
/// @param peer           communicator that contains both leaders; used in the leader only, may be
///                       null elsewhere
/// @param remote_leader  rank of the other leader in `peer`; used in the leader only
/// @param tag            0 .. 32767, the same in both groups; separates concurrent creations over
///                       one peer communicator
/// @return also AVRM_ERR_DUPLICATE (the groups overlap), AVRM_ERR_RANK, AVRM_ERR_TAG. Errors in
///         `peer` and `remote_leader` are reported as by avrm_comm_merge
avrm_status_t avrm_intercomm_create(avrm_comm_t *local, int32_t local_leader, avrm_comm_t *peer, int32_t remote_leader,
                                    int32_t tag, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Creates an intracommunicator of both groups of an intercommunicator. All members of both groups
/// call it.
/// @param high  the same in all members of a group. The group that passes true comes last. If both
///              groups pass the same value, the group whose first process has the greater lpid
///              comes last; between worlds the order is arbitrary, but the same in all members
/// @return also AVRM_ERR_LIMIT (more than 2^31 - 1 processes)
avrm_status_t avrm_intercomm_merge(avrm_comm_t *comm, bool high, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Returns true for an intercommunicator. `comm` must not be null. Thread-safe.
bool avrm_comm_is_inter(const avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns the size of the remote group; 0 for an intracommunicator. `comm` must not be null.
/// Thread-safe.
int32_t avrm_comm_remote_size(const avrm_comm_t *comm) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Groups of communicators. Local. Groups share tables with the communicator. Destroy them with
// avrm_group_destroy.
// -------------------------------------------------------------------------------------------------

/// Creates the group of the communicator's members; for an intercommunicator, of the members of its
/// local group.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY, AVRM_ERR_DUPLICATE (only for a communicator
///         of avrm_comm_create_local in whose map a process occurs twice)
/// Thread-safe. Cost: that of avrm_group_create.
avrm_status_t avrm_comm_group(const avrm_comm_t *comm, avrm_group_t **group_p) AVRM_NOEXCEPT;
/// Creates the group of the members that are known to this process to have failed, in the order of
/// their ranks; for an intercommunicator the local group's members come first. The call makes no
/// progress, and some failures become known only while this process makes progress. Thread-safe on
/// a device with `threads` set.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY
/// Cost: O(1) without failures; otherwise O(f log P) for f failed processes that the device
/// knows of.
avrm_status_t avrm_comm_get_failed(avrm_comm_t *comm, avrm_group_t **group_p) AVRM_NOEXCEPT;
/// Creates the group of the remote members of an intercommunicator.
/// @return as avrm_comm_group; also AVRM_ERR_OPTION (an intracommunicator)
/// Thread-safe. Cost: that of avrm_group_create.
avrm_status_t avrm_comm_remote_group(const avrm_comm_t *comm, avrm_group_t **group_p) AVRM_NOEXCEPT;

// -------------------------------------------------------------------------------------------------
// Internal communicators, for the collective operations of a library, derived from the
// communicator's hierarchy. Their messages have separate planes (request.h) of the communicator's
// own context id. The communicator owns and frees the hierarchy and both internal communicators;
// duplicates share hierarchy and maps.
//
// On each communicator, the first call to one of the next three functions is collective; all later
// calls to any of them are local. Cost: O(log P) messages, each of O(pieces) bytes (hierarchy.h)
// and at most 4 KiB; if the pieces do not fit, all members gather one number per rank instead. If
// all members are of one world and know its nodes, no messages are sent and errors are local. That
// is the case under the embedded launcher, under PMI-2 launchers that give the nodes of all
// processes, on a single node, and with eager connection and an implicit address vector.
// -------------------------------------------------------------------------------------------------

/// Returns the hierarchy, which describes which members share a node.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (an intercommunicator or an internal
///         communicator), AVRM_ERR_LIMIT (as avrm_comm_split_type), and the other common errors
avrm_status_t avrm_comm_hierarchy(avrm_comm_t *comm, const avrm_hierarchy_t **hierarchy_p) AVRM_NOEXCEPT;

/// Returns the communicator of the processes on this node, in order of rank.
/// @return as avrm_comm_hierarchy
avrm_status_t avrm_comm_node(avrm_comm_t *comm, avrm_comm_t **node_p) AVRM_NOEXCEPT;
/// Returns the communicator of the first process on each node, in order of rank; null in other
/// processes.
/// @return as avrm_comm_hierarchy
avrm_status_t avrm_comm_node_roots(avrm_comm_t *comm, avrm_comm_t **roots_p) AVRM_NOEXCEPT;

/// Blocks until all members (of the local group, for an intercommunicator) have called it.
/// @return the common errors; AVRM_ERR_OPTION for an internal communicator
/// Cost: O(log P) messages.
avrm_status_t avrm_barrier(avrm_comm_t *comm) AVRM_NOEXCEPT;

/// Returns the number of context ids in use in this process, including that of the world, and the
/// maximum. A creation succeeds as long as one id is free in all members at the same time. No
/// pointer may be null. Thread-safe. Cost: O(1), one lock.
void avrm_device_contexts(const avrm_device_t *device, int32_t *live_p, int32_t *most_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
