// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchy: which ranks of a communicator are on one node, without tables per rank.
//
//   form      node of a rank                             bytes, beside the 56 of the hierarchy
//   layout    ((rank + phase) / block) modulo nodes      0
//   segments  a layout for each stretch of ranks         24 + 24 per stretch, of which 32 at most
//   starts    last node that starts at or before it      24 + 4 per node
//   packed    wavelet matrix of the ranks' nodes         24 + about 0.15 per rank and bit of the
//                                                        number of nodes
//
// A layout is block (block ranks on node 0, the next on node 1), cyclic (block 1) or plane (blocks,
// cyclically). Segments are for layouts with a fault, such as a node that is short of a rank, and
// for several layouts in one communicator. Starts are for nodes of many sizes whose ranks follow
// one another. Packed is for any other order: 1.9 bytes per rank for 6,144 nodes. The smallest of
// them is chosen.
//
// A node is what the caller says it is: the ranks of one key. Keys are node ids, NUMA domains,
// racks. Several levels are several hierarchies. Nodes are numbered from 0 on, in the order of
// their lowest ranks. The local ranks of a node count its ranks in order, from 0 on, and its leader
// is local rank 0.
//
// The node of a rank, and its leader (tests/tour/component.c):
//
//   avrm_hierarchy_t nodes;
//   must(avrm_hierarchy_create(map, &nodes)); // map is bound
//   int32_t node = avrm_hierarchy_node(&nodes, rank);
//   int32_t leader = avrm_hierarchy_leader(&nodes, node);
//
// A hierarchy is pure integers. It refers to no map, key or AV once it is made. Hierarchies of
// equal content share what they refer to by reference count (AVRM_MEM_COMM).
//
// Thread-safety: a hierarchy is immutable but for its destruction. Any number of threads may ask it
// and create others.
#ifndef AVRANKMAP_HIERARCHY_H
#define AVRANKMAP_HIERARCHY_H

#include "avrankmap/rankmap.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

/// A hierarchy: 56 bytes, which lie where its owner wants them and may be moved as bytes. The
/// fields are for the inline functions. Zero bytes are no hierarchy; to destroy them does nothing.
typedef struct avrm_hierarchy {
  const void *shared;        ///< null: a layout; else what equal hierarchies share
  uint32_t size;             ///< number of ranks
  uint32_t nodes;            ///< number of nodes
  uint32_t block;            ///< layout: ranks of a block, at least 1
  uint32_t phase;            ///< layout: ranks that the first block is short of, below block
  uint32_t rounds;           ///< layout: times that every node has a whole block
  uint32_t rest;             ///< layout: ranks behind these
  uint64_t by_round;         ///< layout: ceil(2^64 / (nodes * block)), modulo 2^64
  uint64_t by_block;         ///< layout: ceil(2^63 / block)
  avrm_instance_t *instance; ///< where it was created; null: no hierarchy
} avrm_hierarchy_t;

static_assert(sizeof(avrm_hierarchy_t) <= 64, "a regular hierarchy has at most 64 bytes");

/// Key of a process; equal keys are one node.
typedef uint64_t (*avrm_hierarchy_key_t)(void *context, avrm_gpid_t process);

// ------------------------------------------------------------------------------------------------
// Creation. Each function fills in a hierarchy that the caller has the memory of, whatever its
// bytes are, and writes nothing there if it returns an error. It returns AVRM_ERR_NULL and
// AVRM_ERR_NO_MEMORY where they apply. Where keys are read, scratch is 4 bytes per rank and some 24
// per node.
//
// A map and a rule of its node ids give *pieces*, which are layouts: a run of the map is one piece
// where its stride divides the block, or is a multiple of the block. Creation from a rule costs
// O(runs of the map), with no look at a rank, unless that gives more than 32 pieces, or pieces with
// partly the same nodes in another order; then O(size). Blocked and cart maps, such as planes of a
// grid, are a layout in O(dimensions) if their rows lie along the nodes: each dimension stays on a
// node or goes from node to node, or does so one after the other.
// ------------------------------------------------------------------------------------------------

/// The nodes of a bound map's ranks. A node is a node id in one process group: a declared one
/// (avrm_av_declare_nodes), else that of the element. AVRM_NODE_UNSET is an id like any other,
/// since 0 may be a node: ranks whose elements were never set are on one node, that of the id 0. So
/// set or declare all ids before. If nodes are numbered from 1 on, keys can tell such ranks apart
/// (avrm_hierarchy_create_function).
/// @return also AVRM_ERR_NOT_BOUND. Cost: that of a rule if the map's AVs are declared, or implicit
///         and filled; else O(size).
avrm_status_t avrm_hierarchy_create(const avrm_rankmap_t *map, avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// From the key of each rank; the array is only read. keys may be null if size is 0.
/// @return also AVRM_ERR_SIZE (negative). Cost: O(size).
avrm_status_t avrm_hierarchy_create_keys(avrm_instance_t *instance, int32_t size, const uint64_t *keys,
                                         avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// From a function of the process, called once for each rank in order. The map need not be bound.
/// Cost: O(size).
avrm_status_t avrm_hierarchy_create_function(const avrm_rankmap_t *map, avrm_hierarchy_key_t key, void *context,
                                             avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// From a declared layout of each process group: lpid is on node (lpid / block) modulo nodes. For
/// block layouts nodes may be any number that suffices, such as 2^31 - 1. The map need not be
/// bound.
/// @return also AVRM_ERR_SIZE (nodes < 1), AVRM_ERR_BLOCK (block < 1). Cost: that of a rule.
///         Memory: none if the result is a layout and the map has up to 4 pieces.
avrm_status_t avrm_hierarchy_create_layout(const avrm_rankmap_t *map, int32_t nodes, int32_t block,
                                           avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// An equal hierarchy, which shares what the other refers to. Cost: O(1), no memory.
avrm_status_t avrm_hierarchy_dup(const avrm_hierarchy_t *hierarchy, avrm_hierarchy_t *hierarchy_p) AVRM_NOEXCEPT;

/// Destroys a hierarchy, whose bytes become zero. Null is allowed and does nothing.
void avrm_hierarchy_destroy(avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Questions, hot. Unchecked: ranks in 0 .. size-1, nodes in 0 .. nodes-1. Layouts are answered
// inline, without a division: 8 instructions for a node or a leader, 17 to 27 for the others (gcc
// 12). The other forms are answered by a call: segments in O(segments), starts in O(log nodes),
// packed in O(log nodes) from rank to node and in O(log nodes * log size) back.
// ------------------------------------------------------------------------------------------------

/// Number of ranks.
AVRM_INLINE int32_t avrm_hierarchy_size(const avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT;
/// Number of nodes.
AVRM_INLINE int32_t avrm_hierarchy_nodes(const avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT;
/// Node of a rank.
AVRM_INLINE int32_t avrm_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT;
/// Local rank of a rank on its own node.
AVRM_INLINE int32_t avrm_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT;
/// Local rank of a rank on a node, AVRM_UNDEFINED if it is on another one.
AVRM_INLINE int32_t avrm_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node,
                                            int32_t rank) AVRM_NOEXCEPT;
/// Number of ranks on a node, at least 1.
AVRM_INLINE int32_t avrm_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT;
/// Rank of a local rank, which must be below the node's size.
AVRM_INLINE int32_t avrm_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local) AVRM_NOEXCEPT;
/// Lowest rank on a node.
AVRM_INLINE int32_t avrm_hierarchy_leader(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Maps, for the communicators of a node and of all leaders (MPI libraries call them node and
// node-roots). Like the functions that create maps (rankmap.h): the result is not bound, and
// map_p must not be `map`. Cost and memory: those of a child by parameters, one for a layout whose
// first block is whole and two for others, two per stretch of segments; of blocked and cart maps
// O(dimensions), where the result is one; else O(size of the result) questions and its array.
// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (`map` has other ranks than the hierarchy),
//         AVRM_ERR_NO_MEMORY
// ------------------------------------------------------------------------------------------------

/// The map of a node's ranks, by local rank.
/// @param map  of the ranks of the hierarchy, bound or not
/// @return also AVRM_ERR_RANGE (there is no such node)
avrm_status_t avrm_hierarchy_node_map(const avrm_hierarchy_t *hierarchy, int32_t node, const avrm_rankmap_t *map,
                                      avrm_rankmap_t *map_p) AVRM_NOEXCEPT;
/// The map of all leaders, by node.
avrm_status_t avrm_hierarchy_leaders_map(const avrm_hierarchy_t *hierarchy, const avrm_rankmap_t *map,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Introspection
// ------------------------------------------------------------------------------------------------

/// Bytes beside the hierarchy, which all sharers have together; 0 for a layout and for null.
uint64_t avrm_hierarchy_bytes(const avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT;

// For the inline functions: the same questions of what is no layout.
int32_t avrm_i_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT;
int32_t avrm_i_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT;
int32_t avrm_i_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t rank) AVRM_NOEXCEPT;
int32_t avrm_i_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT;
int32_t avrm_i_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/hierarchy_inl.h"

#endif
