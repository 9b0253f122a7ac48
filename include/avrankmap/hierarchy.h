// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchy: which ranks of a communicator share a node, without a table indexed by rank.
//
//   form      node of a rank                             bytes in addition to the hierarchy's 56
//   layout    ((rank + phase) / block) modulo nodes      0
//   segments  a layout per range of ranks                24 + 24 per range, 32 ranges at most
//   starts    the last node whose first rank is at or    24 + 4 per node
//             before the rank
//   packed    wavelet matrix of the ranks' nodes         24 + about 0.14 per rank and per bit of
//                                                        the greatest node number
//
// A layout is block (the first `block` ranks on node 0, the next `block` on node 1, and so on),
// cyclic (one rank per node in turn) or plane (`block` ranks per node in turn). Segments represent
// layouts with irregularities, such as a node with one rank fewer, and several layouts in one
// communicator. Starts are for nodes of different sizes with consecutive ranks. Packed is for any
// other order; with 6,144 nodes it takes 1.83 bytes per rank. The smallest form is chosen.
//
// A node is any set of ranks with equal keys; the caller defines the keys: node ids, NUMA domains,
// racks. Use several hierarchies for several levels. Nodes are numbered from 0 in the order of
// their lowest ranks. The ranks on a node have the local ranks 0, 1, ... in ascending order; the
// leader of a node is its rank with local rank 0.
//
// Find the node of a rank, and its leader (tests/tour/component.c):
//
//   avrm_hierarchy_t nodes;
//   must(avrm_hierarchy_create(map, &nodes)); // map is bound
//   int32_t node = avrm_hierarchy_node(&nodes, rank);
//   int32_t leader = avrm_hierarchy_leader(&nodes, node);
//
// After its creation, a hierarchy does not refer to a map, key or AV. Hierarchies with equal
// content share their data by reference count (AVRM_MEM_COMM). If the instance does not intern
// data (instance.h), only a hierarchy and its duplicates share it.
//
// Thread-safety: a hierarchy is immutable until it is destroyed. Any number of threads may query it
// and create others concurrently.
#ifndef AVRANKMAP_HIERARCHY_H
#define AVRANKMAP_HIERARCHY_H

#include "avrankmap/rankmap.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

/// A hierarchy: 56 bytes, in memory that the caller provides. It may be moved by copying its bytes.
/// The fields are for the inline functions. An all-zero struct is not a hierarchy; destroying it is
/// a no-op.
typedef struct avrm_hierarchy {
  const void *shared;        ///< null for a layout; otherwise the data that equal hierarchies share
  uint32_t size;             ///< number of ranks
  uint32_t nodes;            ///< number of nodes
  uint32_t block;            ///< layout: ranks per block, at least 1
  uint32_t phase;            ///< layout: ranks missing from the first block, less than block
  uint32_t rounds;           ///< layout: (size + phase) / (nodes * block)
  uint32_t rest;             ///< layout: (size + phase) modulo (nodes * block)
  uint64_t by_round;         ///< layout: ceil(2^64 / (nodes * block)), modulo 2^64
  uint64_t by_block;         ///< layout: ceil(2^63 / block)
  avrm_instance_t *instance; ///< where it was created; null if this is not a hierarchy
} avrm_hierarchy_t;

static_assert(sizeof(avrm_hierarchy_t) <= 64, "a hierarchy's own struct takes at most 64 bytes");

/// Returns the key of a process. Processes with equal keys are on one node.
typedef uint64_t (*avrm_hierarchy_key_t)(void *context, avrm_gpid_t process);

// ------------------------------------------------------------------------------------------------
// Creation. Each function initialises *hierarchy_p, whose previous content is irrelevant; after an
// error it is unchanged. In addition to the errors named for each function, they may return
// AVRM_ERR_NULL and AVRM_ERR_NO_MEMORY. All are thread-safe. Functions that read keys use scratch
// memory of 4 bytes per rank (8 to 12 if the result is packed) and 16 to 56 bytes per node.
//
// A *rule* describes the nodes of a range of lpids by a layout. Rules come from declared node ids
// (avrm_av_declare_nodes), implicit AVs and the arguments of avrm_hierarchy_create_layout. Creation
// from rules divides the map into *pieces*, each of which is a layout, in O(runs of the map) and
// without visiting each rank. Creation is O(size) if there are more than 32 pieces, or if two
// pieces contain some of the same nodes in a different order. A run of the map (an arithmetic
// sequence of lpids) is one piece if one of these holds:
//
//   - its stride divides the block of the rule;
//   - its stride is a multiple of the block and divides nodes * block;
//   - its stride is a multiple of the block, and the run does not wrap around from the last node to
//     the first.
//
// Blocked and cart maps, such as the planes of a grid, become one layout in O(dimensions) if
//
//   - each step in a dimension either stays on the node or moves by a multiple of the block; the
//     library divides a dimension that first does one and then the other;
//   - if the dimensions are ordered from the fastest-varying to the slowest, none that stays on the
//     node lies between two that move; and
//   - different moves lead to different nodes: in order of size, each step that moves is longer
//     than all shorter ones together can reach, and all together reach fewer nodes than there are.
// ------------------------------------------------------------------------------------------------

/// Creates the hierarchy of a bound map: which of its ranks share a node. Ranks share a node if
/// their process groups and node ids are equal. The node id is the declared one
/// (avrm_av_declare_nodes) or, if there is no declaration, that of the element. AVRM_NODE_UNSET (0)
/// is treated as an ordinary id, since 0 may be a valid node: in each process group, all ranks
/// whose elements were never set are on the node with id 0. Set or declare all ids first. If your
/// nodes are numbered from 1, use avrm_hierarchy_create_function to give each rank with id 0 a key
/// of its own.
/// @return also AVRM_ERR_NOT_BOUND
/// Cost: that of creation from rules (above) if the node ids of the map's AVs are declared, or the
/// AVs are implicit and completely set; otherwise O(size).
avrm_status_t avrm_hierarchy_create(const avrm_rankmap_t *map, avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// Creates a hierarchy from the key of each rank. The array is only read, and may be freed after
/// the call.
/// @param size  number of ranks, 0 or more
/// @param keys  by rank; may be null if size is 0
/// @return also AVRM_ERR_SIZE (size is negative)
/// Cost: O(size).
avrm_status_t avrm_hierarchy_create_keys(avrm_instance_t *instance, int32_t size, const uint64_t *keys,
                                         avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// Creates a hierarchy from a function that returns the key of a process. The function is called
/// once for each rank, in order. The map need not be bound.
/// @param key      must not be null, and must not throw
/// @param context  passed to `key`
/// Cost: O(size).
avrm_status_t avrm_hierarchy_create_function(const avrm_rankmap_t *map, avrm_hierarchy_key_t key, void *context,
                                             avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// Creates a hierarchy from one layout that every process group has: within its own process group,
/// lpid is on node (lpid / block) modulo nodes. Processes of different process groups are never on
/// one node. The map need not be bound.
/// @param nodes  at least 1; for block layouts any sufficiently large number, such as 2^31 - 1
/// @param block  at least 1
/// @return also AVRM_ERR_SIZE (nodes < 1), AVRM_ERR_BLOCK (block < 1)
/// Cost: that of creation from rules (above). No memory if the result is a layout and the map has
/// at most 4 pieces.
avrm_status_t avrm_hierarchy_create_layout(const avrm_rankmap_t *map, int32_t nodes, int32_t block,
                                           avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// Duplicates a hierarchy. The duplicate shares the data. Cost: O(1), no memory.
avrm_status_t avrm_hierarchy_dup(const avrm_hierarchy_t *hierarchy, avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// Destroys a hierarchy and sets its bytes to zero, so that destroying it again is a no-op, as is
/// destroying null. No other thread may use the hierarchy concurrently.
void avrm_hierarchy_destroy(avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Queries, hot path. Arguments are not checked: ranks must be in 0 .. size-1, and nodes in 0 ..
// nodes-1. Thread-safe, lock-free. Layouts are evaluated inline, without a division: 8 instructions
// for a node or leader, 17 to 27 for the other queries (gcc 12). The other forms need a function
// call: segments in O(segments); starts in O(log nodes); packed in O(log nodes) from rank to node,
// and O(log nodes * log size) from node to rank.
// ------------------------------------------------------------------------------------------------

/// Returns the number of ranks.
AVRM_INLINE int32_t avrm_hierarchy_size(const avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT;
/// Returns the number of nodes.
AVRM_INLINE int32_t avrm_hierarchy_nodes(const avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT;
/// Returns the node of a rank.
AVRM_INLINE int32_t avrm_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT;
/// Returns the local rank of a rank on its node.
AVRM_INLINE int32_t avrm_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT;
/// Returns the local rank of a rank on `node`, or AVRM_UNDEFINED if the rank is on another node.
AVRM_INLINE int32_t avrm_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node,
                                            int32_t rank) AVRM_NOEXCEPT;
/// Returns the number of ranks on a node, at least 1.
AVRM_INLINE int32_t avrm_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT;
/// Returns the rank with this local rank on a node; local must be in 0 .. node size - 1.
AVRM_INLINE int32_t avrm_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local) AVRM_NOEXCEPT;
/// Returns the lowest rank on a node.
AVRM_INLINE int32_t avrm_hierarchy_leader(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Maps for the communicators of a node and of all leaders (in MPI libraries, node and node-roots
// communicators). As with the functions that create rankmaps (rankmap.h), the result is not bound,
// and map_p must not be `map`. Cost and memory: for a layout, those of one call of
// avrm_rankmap_create_child_regular if the first block is complete, and of up to two calls
// otherwise; for segments, those of up to two calls per segment. If there are several calls, the
// resulting maps are concatenated. If `map` is blocked or a cart, and the result is such a map as
// well: O(dimensions). For starts and packed: one query per rank of the result, and
// avrm_rankmap_create_child with the array of these ranks.
// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (`map` and the hierarchy have different numbers of
//         ranks), AVRM_ERR_NO_MEMORY
// ------------------------------------------------------------------------------------------------

/// Creates the map of a node's ranks, by local rank.
/// @param map  the map of the hierarchy's ranks, bound or not
/// @return also AVRM_ERR_RANGE (no such node)
avrm_status_t avrm_hierarchy_node_map(const avrm_hierarchy_t *hierarchy, int32_t node, const avrm_rankmap_t *map,
                                      avrm_rankmap_t *map_p) AVRM_NOEXCEPT;
/// Creates the map of all leaders, by node.
/// @param map  the map of the hierarchy's ranks, bound or not
avrm_status_t avrm_hierarchy_leaders_map(const avrm_hierarchy_t *hierarchy, const avrm_rankmap_t *map,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Introspection
// ------------------------------------------------------------------------------------------------

/// Returns the size of the data that a hierarchy shares with equal ones, not counting its own 56
/// bytes; 0 for a layout and for null. Each hierarchy that shares the data returns the full size.
uint64_t avrm_hierarchy_bytes(const avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT;

// For the inline functions: queries for all forms except layouts.
int32_t avrm_i_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT;
int32_t avrm_i_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT;
int32_t avrm_i_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t rank) AVRM_NOEXCEPT;
int32_t avrm_i_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT;
int32_t avrm_i_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/hierarchy_inl.h"

#endif
