// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rankmaps from and to what other runtimes keep: 64-bit process numbers, and lists of runs, which
// are small enough to be sent to another process or stored.
//
// A copy of a map, by its runs (tests/tour/rankmaps.c):
//
//   must(avrm_rankmap_runs(map, 8, runs, &count)); // for another process, or a file
//   must(avrm_rankmap_create_runs(instance, (int32_t)count, runs, 0, &copy));
//
// A regular map has few runs unless it is blocked: then one per block. A Cartesian map has one per
// row. Thread-safe, like all that only reads a map.
#ifndef AVRANKMAP_CONVERT_H
#define AVRANKMAP_CONVERT_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

/// `count` ranks one after the other: the first is lpid, the next lpid + stride, and so on.
typedef struct avrm_run {
  int32_t count;  ///< at least 1
  int32_t pgid;   ///< process group
  int32_t lpid;   ///< of the first rank
  int32_t stride; ///< of any sign; 0: the same process each time. Means nothing if count is 1
} avrm_run_t;

/// Creates a map from process numbers pgid << 32 | lpid, which are only read. Errors and cost are
/// those of avrm_rankmap_create_gpids. The array is not copied.
avrm_status_t avrm_rankmap_create_numbers(avrm_instance_t *instance, int32_t size, const uint64_t *numbers,
                                          unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a map from runs, each of which continues the ranks of the one before it.
/// @param count  number of runs; 0 makes the map of size 0
/// AVRM_ERR_SIZE (count negative, or that of a run below 1), AVRM_ERR_PGID_UNKNOWN (a negative
/// pgid), AVRM_ERR_OVERFLOW (an lpid outside 0 .. 2^31 - 2), AVRM_ERR_LIMIT (more than 2^31 - 1
/// ranks). Cost: O(runs); O(size) if the map takes a table.
avrm_status_t avrm_rankmap_create_runs(avrm_instance_t *instance, int32_t count, const avrm_run_t *runs, unsigned flags,
                                       avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// The runs of a map, each as long as it can be; no list of the map is shorter.
/// @param room     number of runs that fit into `runs`; 0 to learn the count alone
/// @param runs     receives the first `room` of them at most; null if room is 0
/// @param count_p  receives the number of all runs
/// @return AVRM_OK, AVRM_ERR_NULL. Cost: O(runs), O(size) for tables.
avrm_status_t avrm_rankmap_runs(const avrm_rankmap_t *map, size_t room, avrm_run_t *runs,
                                size_t *count_p) AVRM_NOEXCEPT;

/// Node ids of `count` ranks, in any order, repetitions allowed. ranks and nodes must not overlap;
/// they may be null if count is 0.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK (no node is written)
/// Cost: O(count) calls of avrm_rankmap_node.
avrm_status_t avrm_rankmap_nodes(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 uint32_t *nodes) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
