// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups: ordered sets of processes with the operations and the semantics of MPI's groups (MPI
// standard, "Group Management"), across process groups. A group is a rankmap in which no process
// occurs twice, or it is empty.
//
//   group = {A0, A1, ..., B0}                        rank 0, 1, ... n-1
//           kept as the smallest rankmap             size 0: no rankmap
//
// All operations work on the compressed form. They read a group as runs (arithmetic sequences of
// lpids), build the result from runs, and make the smallest map of it. With k runs in all, an
// operation on regular groups costs O(k log k), whatever their sizes. With n processes and no
// pattern it costs O(n) time and scratch, or O(n log n) where lpids are too thin for a bitmap.
// Nothing is quadratic, the checks of arguments included.
//
// Ranks of a communicator in a group of some of its members (tests/tour/component.c):
//
//   must(avrm_group_create(map, &group));
//   must(avrm_group_incl(group, 2, ranks, &few));
//   must(avrm_group_difference(group, few, &rest)); // 1, 2, 3, 4
//   must(avrm_group_translate_ranks(group, 3, wanted, rest, found));
//
// Thread-safety: a group is immutable. Any number of threads may use one; destroying it must not
// overlap another use.
#ifndef AVRANKMAP_GROUP_H
#define AVRANKMAP_GROUP_H

#include "avrankmap/inverse.h"

AVRM_BEGIN_DECLS

/// A group: 56 bytes of AVRM_MEM_GROUP and what its rankmap refers to.
typedef struct avrm_group avrm_group_t;

/// How two groups compare.
typedef enum avrm_comparison {
  AVRM_IDENT,   ///< the same processes in the same order
  AVRM_SIMILAR, ///< the same processes in another order
  AVRM_UNEQUAL  ///< anything else
} avrm_comparison_t;

/// Ranks first, first + stride, ... up to last, which need not be among them. A stride below 0
/// counts down.
typedef struct avrm_range {
  int32_t first;
  int32_t last;
  int32_t stride;
} avrm_range_t;

// ------------------------------------------------------------------------------------------------
// Groups from rankmaps, and rankmaps from groups. All functions of this header return AVRM_ERR_NULL
// and AVRM_ERR_NO_MEMORY where they apply. The caller destroys each group by avrm_group_destroy.
// ------------------------------------------------------------------------------------------------

/// The group without processes.
avrm_status_t avrm_group_create_empty(avrm_instance_t *instance, avrm_group_t **group_p) AVRM_NOEXCEPT;

/// The group of a rankmap's processes. It shares the rankmap's table and outlives the rankmap.
/// AVRM_ERR_DUPLICATE if a process occurs twice. Cost: that of AVRM_RANKMAP_UNIQUE.
avrm_status_t avrm_group_create(const avrm_rankmap_t *map, avrm_group_t **group_p) AVRM_NOEXCEPT;

/// The group of some processes, in their order; the array is only read.
/// @param size  number of processes, from 0
/// AVRM_ERR_SIZE, AVRM_ERR_OVERFLOW, AVRM_ERR_PGID_UNKNOWN and AVRM_ERR_DUPLICATE as for
/// avrm_rankmap_create_gpids with AVRM_RANKMAP_UNIQUE. Cost: that of this function.
avrm_status_t avrm_group_create_gpids(avrm_instance_t *instance, int32_t size, const avrm_gpid_t *gpids,
                                      avrm_group_t **group_p) AVRM_NOEXCEPT;

/// A second group of the same processes; shares the table. Cost: O(1).
avrm_status_t avrm_group_dup(const avrm_group_t *group, avrm_group_t **group_p) AVRM_NOEXCEPT;

/// Destroys a group. Null is allowed and does nothing.
void avrm_group_destroy(avrm_group_t *group) AVRM_NOEXCEPT;

/// The rankmap that a group consists of, of size 0 for the empty group; null for null. It lives as
/// long as the group and is never bound; avrm_rankmap_dup makes one that can be bound. O(1).
const avrm_rankmap_t *avrm_group_map(const avrm_group_t *group) AVRM_NOEXCEPT;

/// Returns a map, bound or not, as a group, without a copy. For callers who keep groups in objects
/// of their own. No process may be in the map twice, which is not checked. The group is valid until
/// the map is destroyed or moved, and is not destroyed itself. Null for null. Thread-safe. O(1).
const avrm_group_t *avrm_group_view(const avrm_rankmap_t *map) AVRM_NOEXCEPT;

/// Destroys a group except for its map, which is written to *map_p and belongs to the caller:
/// avrm_rankmap_destroy. Neither may be null. No other thread may use the group. O(1).
void avrm_group_unwrap(avrm_group_t *group, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Number of processes; 0 for null. O(1).
int32_t avrm_group_size(const avrm_group_t *group) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Ranks. Cost: that of avrm_rankmap_ranks (inverse.h). Translation to a regular b takes no memory.
// ------------------------------------------------------------------------------------------------

/// Process of a rank. AVRM_ERR_RANK. Cost: that of avrm_rankmap_gpid.
avrm_status_t avrm_group_gpid(const avrm_group_t *group, int32_t rank, avrm_gpid_t *gpid_p) AVRM_NOEXCEPT;

/// Rank of a process in a group, AVRM_UNDEFINED if it is not in it.
avrm_status_t avrm_group_rank(const avrm_group_t *group, avrm_gpid_t process, int32_t *rank_p) AVRM_NOEXCEPT;

/// For each of `count` ranks of group a, returns the rank of the same process in group b, or
/// AVRM_UNDEFINED if it is not in b. AVRM_PROC_NULL becomes AVRM_PROC_NULL. The arrays may be one
/// and the same, and null if count is 0.
/// AVRM_ERR_RANK if a rank is neither one of a nor AVRM_PROC_NULL (nothing is written),
/// AVRM_ERR_INSTANCE.
avrm_status_t avrm_group_translate_ranks(const avrm_group_t *a, size_t count, const int32_t *ranks,
                                         const avrm_group_t *b, int32_t *b_ranks) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Set operations. AVRM_ERR_INSTANCE for groups of two instances. Inputs stay as they are; the
// result may be empty.
// ------------------------------------------------------------------------------------------------

/// Compares two groups.
avrm_status_t avrm_group_compare(const avrm_group_t *a, const avrm_group_t *b,
                                 avrm_comparison_t *comparison_p) AVRM_NOEXCEPT;

/// All processes of a, then those of b that are not in a, in b's order. AVRM_ERR_LIMIT for more
/// than 2^31 - 1.
avrm_status_t avrm_group_union(const avrm_group_t *a, const avrm_group_t *b, avrm_group_t **group_p) AVRM_NOEXCEPT;

/// The processes of a that are in b, in a's order.
avrm_status_t avrm_group_intersection(const avrm_group_t *a, const avrm_group_t *b,
                                      avrm_group_t **group_p) AVRM_NOEXCEPT;

/// The processes of a that are not in b, in a's order.
avrm_status_t avrm_group_difference(const avrm_group_t *a, const avrm_group_t *b, avrm_group_t **group_p) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Parts of a group by ranks. AVRM_ERR_SIZE for a negative count; a count of 0 is allowed, and then
// the array may be null. AVRM_ERR_RANK if a rank is not one of the group, AVRM_ERR_DUPLICATE if a
// rank occurs twice. Ranges: AVRM_ERR_STRIDE for a stride of 0, AVRM_ERR_RANGE if last lies on the
// wrong side of first.
// ------------------------------------------------------------------------------------------------

/// The processes of ranks[0], ranks[1], ..., in this order.
avrm_status_t avrm_group_incl(const avrm_group_t *group, int32_t count, const int32_t *ranks,
                              avrm_group_t **group_p) AVRM_NOEXCEPT;

/// All processes but those of the ranks, in the group's order.
avrm_status_t avrm_group_excl(const avrm_group_t *group, int32_t count, const int32_t *ranks,
                              avrm_group_t **group_p) AVRM_NOEXCEPT;

/// avrm_group_incl of the ranks of all ranges, one range after the other.
avrm_status_t avrm_group_range_incl(const avrm_group_t *group, int32_t count, const avrm_range_t *ranges,
                                    avrm_group_t **group_p) AVRM_NOEXCEPT;

/// avrm_group_excl of the ranks of all ranges.
avrm_status_t avrm_group_range_excl(const avrm_group_t *group, int32_t count, const avrm_range_t *ranges,
                                    avrm_group_t **group_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
