// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups: ordered sets of processes, possibly from several process groups, with the operations and
// semantics of MPI groups (MPI standard, "Group Management"). A group is a rankmap, possibly of
// size 0, in which no process occurs twice.
//
//   group = {A0, A1, ..., B0}                        rank 0, 1, ... n-1
//           stored as a rankmap                      size 0: the empty rankmap
//
// All operations work on the compressed form: they read a group as runs (arithmetic sequences of
// lpids), build the result from runs, and store it in the form that the instance's cost class
// prefers. With k runs in total, in the arguments and the result, an operation on regular groups
// costs O(k log k), independently of their sizes. If the arguments' runs interleave, the result can
// have as many runs as processes. Removing every s-th process of an arithmetic sequence costs O(1)
// if the result is blocked or a cart. Reading an array of ranks adds O(count). Removing r ranks, at
// most 1/16 of the size, costs O(r log r) if the result is a less map (rankmap.h). With n processes
// and no pattern an operation costs O(n) time and scratch memory, or O(n log n) time if the lpids
// are too sparse for a bitmap. No operation is quadratic, including its argument checks.
//
// Find the ranks that some processes have in another group (tests/tour/component.c):
//
//   must(avrm_group_create(map, &group));
//   must(avrm_group_incl(group, 2, ranks, &few));
//   must(avrm_group_difference(group, few, &rest)); // 1, 2, 3, 4
//   must(avrm_group_translate_ranks(group, 3, wanted, rest, found));
//
// Thread-safety: a group is immutable. Any number of threads may use it concurrently; destroying it
// must not overlap any other use.
#ifndef AVRANKMAP_GROUP_H
#define AVRANKMAP_GROUP_H

#include "avrankmap/inverse.h"

AVRM_BEGIN_DECLS

/// A group: 56 bytes of AVRM_MEM_GROUP, and the data of its rankmap.
typedef struct avrm_group avrm_group_t;

/// Result of comparing two groups.
typedef enum avrm_comparison {
  AVRM_IDENT,   ///< the same processes in the same order
  AVRM_SIMILAR, ///< the same processes in another order
  AVRM_UNEQUAL  ///< anything else
} avrm_comparison_t;

/// The ranks first, first + stride, ... that are not beyond `last`, which need not be one of them.
/// A negative stride counts down.
typedef struct avrm_range {
  int32_t first;
  int32_t last;
  int32_t stride;
} avrm_range_t;

// ------------------------------------------------------------------------------------------------
// Creation and destruction. In addition to the errors named for each function, all functions of
// this header that return a status may return AVRM_ERR_NULL and AVRM_ERR_NO_MEMORY. The set
// operations and the subsets by rank may also return AVRM_ERR_LIMIT (more than 2^29 runs, which is
// only possible with more than 2^29 processes). After an error no output is written. Destroy each
// group with avrm_group_destroy.
// ------------------------------------------------------------------------------------------------

/// Creates the empty group. Cost: O(1).
avrm_status_t avrm_group_create_empty(avrm_instance_t *instance, avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Creates the group of a rankmap's processes. It shares the rankmap's table and may outlive the
/// rankmap.
/// @return also AVRM_ERR_DUPLICATE (a process occurs twice)
/// Cost: that of the check by AVRM_RANKMAP_UNIQUE (rankmap.h).
avrm_status_t avrm_group_create(const avrm_rankmap_t *map, avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Creates the group of some processes, in the order of the array. The array is only read, and may
/// be freed after the call.
/// @param size  number of processes, 0 or more
/// @return also AVRM_ERR_SIZE, AVRM_ERR_OVERFLOW, AVRM_ERR_PGID_UNKNOWN and AVRM_ERR_DUPLICATE, as
///         avrm_rankmap_create_gpids with AVRM_RANKMAP_UNIQUE
/// Cost: that of avrm_rankmap_create_gpids with AVRM_RANKMAP_UNIQUE.
avrm_status_t avrm_group_create_gpids(avrm_instance_t *instance, int32_t size, const avrm_gpid_t *gpids,
                                      avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Duplicates a group. The duplicate shares the table. Cost: O(1).
avrm_status_t avrm_group_dup(const avrm_group_t *group, avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Destroys a group. Null is a no-op.
void avrm_group_destroy(avrm_group_t *group) AVRM_NOEXCEPT;

/// Returns the rankmap of a group: of size 0 for the empty group, null for null. It is valid until
/// the group is destroyed. For a view (avrm_group_view) it is the viewed map itself, bound or not;
/// otherwise it is not bound; avrm_rankmap_dup makes a copy that can be bound. Cost: O(1).
const avrm_rankmap_t *avrm_group_map(const avrm_group_t *group) AVRM_NOEXCEPT;

/// Returns a view of a map, bound or not, as a group, without a copy; null for null. It is for
/// callers whose own objects contain the map of a group instead of an avrm_group_t. No process may
/// occur twice in the map; this is not checked. The view is valid until the map is destroyed or
/// moved, and must not be destroyed. Thread-safe. Cost: O(1).
const avrm_group_t *avrm_group_view(const avrm_rankmap_t *map) AVRM_NOEXCEPT;

/// Destroys a group but returns its map in *map_p, whose previous content is irrelevant; destroy
/// the map with avrm_rankmap_destroy. Not for views. Neither argument may be null. No other thread
/// may use the group concurrently. Cost: O(1).
void avrm_group_unwrap(avrm_group_t *group, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Returns the number of processes; 0 for null. Cost: O(1).
int32_t avrm_group_size(const avrm_group_t *group) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Ranks. Cost: that of avrm_rankmap_ranks (inverse.h) unless stated otherwise. Translation to a
// group b whose map has mode direct, offset, stride or blocked takes no memory.
// ------------------------------------------------------------------------------------------------

/// Returns the process of a rank in *gpid_p.
/// @return also AVRM_ERR_RANK (not a rank of the group)
/// Cost: that of avrm_rankmap_gpid.
avrm_status_t avrm_group_gpid(const avrm_group_t *group, int32_t rank, avrm_gpid_t *gpid_p) AVRM_NOEXCEPT;

/// Returns the rank of a process in *rank_p, or AVRM_UNDEFINED if the process is not in the group.
avrm_status_t avrm_group_rank(const avrm_group_t *group, avrm_gpid_t process, int32_t *rank_p) AVRM_NOEXCEPT;

/// Returns, for each of `count` ranks of group a, the rank of the same process in group b, or
/// AVRM_UNDEFINED if the process is not in b. AVRM_PROC_NULL yields AVRM_PROC_NULL. `ranks` and
/// `b_ranks` may be the same array; both may be null if count is 0.
/// @return also AVRM_ERR_RANK (a rank is neither one of a nor AVRM_PROC_NULL; nothing is written),
///         AVRM_ERR_INSTANCE (groups of different instances)
avrm_status_t avrm_group_translate_ranks(const avrm_group_t *a, size_t count, const int32_t *ranks,
                                         const avrm_group_t *b, int32_t *b_ranks) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Set operations. All return AVRM_ERR_INSTANCE for groups of different instances. The arguments are
// not changed, and the result may be empty. Cost: see the top of this file.
// ------------------------------------------------------------------------------------------------

/// Compares two groups: AVRM_IDENT, AVRM_SIMILAR or AVRM_UNEQUAL in *comparison_p.
avrm_status_t avrm_group_compare(const avrm_group_t *a, const avrm_group_t *b,
                                 avrm_comparison_t *comparison_p) AVRM_NOEXCEPT;

/// Creates the union: all processes of a in their order, then those of b that are not in a, in the
/// order of b.
/// @return also AVRM_ERR_LIMIT (more than 2^31 - 1 processes)
avrm_status_t avrm_group_union(const avrm_group_t *a, const avrm_group_t *b, avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Creates the intersection: the processes of a that are also in b, in the order of a.
avrm_status_t avrm_group_intersection(const avrm_group_t *a, const avrm_group_t *b,
                                      avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Creates the difference: the processes of a that are not in b, in the order of a.
avrm_status_t avrm_group_difference(const avrm_group_t *a, const avrm_group_t *b, avrm_group_t **group_p) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Subsets by rank. All return AVRM_ERR_SIZE for a negative count, AVRM_ERR_RANK if a rank is not in
// the group, and AVRM_ERR_DUPLICATE if a rank occurs twice. Functions with ranges also return
// AVRM_ERR_STRIDE for a stride of 0, and AVRM_ERR_RANGE if `last` comes before `first` in the
// direction of the stride. An array may be null if its count is 0. Cost: see the top of this file.
// ------------------------------------------------------------------------------------------------

/// Creates the group of the processes with the ranks ranks[0], ranks[1], ..., in this order.
avrm_status_t avrm_group_incl(const avrm_group_t *group, int32_t count, const int32_t *ranks,
                              avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Creates the group without the processes of these ranks, in the order of the original group.
avrm_status_t avrm_group_excl(const avrm_group_t *group, int32_t count, const int32_t *ranks,
                              avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Creates the group of the processes in the given ranges of ranks, one range after the other.
avrm_status_t avrm_group_range_incl(const avrm_group_t *group, int32_t count, const avrm_range_t *ranges,
                                    avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Creates the group without the processes in the given ranges of ranks, in the order of the
/// original group.
avrm_status_t avrm_group_range_excl(const avrm_group_t *group, int32_t count, const avrm_range_t *ranges,
                                    avrm_group_t **group_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
