// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion between rankmaps and other representations: the 64-bit process numbers and 64-bit
// lpids of other runtimes, and lists of runs, which are usually short enough to be stored or sent
// to another process.
//
// Copy a map through its runs (tests/tour/rankmaps.c):
//
//   must(avrm_rankmap_runs(map, 8, runs, &count)); // for another process, or a file
//   EXPECT(count <= 8);                            // otherwise repeat it with room for all
//   must(avrm_rankmap_create_runs(instance, (int32_t)count, runs, 0, &copy));
//
// A direct, offset or stride map has one run, a blocked map one per block, and a cart one per row.
//
// The section "Creation" of rankmap.h describes the flags, and the errors that creation may return
// in addition to those named here. Thread-safety is that of rankmap.h: maps may be read and created
// concurrently.
#ifndef AVRANKMAP_CONVERT_H
#define AVRANKMAP_CONVERT_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

/// A run: `count` consecutive ranks whose lpids are lpid, lpid + stride, lpid + 2 * stride, ...
typedef struct avrm_run {
  int32_t count;  ///< at least 1
  int32_t pgid;   ///< process group of all its ranks
  int32_t lpid;   ///< lpid of the first rank
  int32_t stride; ///< of either sign; 0 repeats one process. Ignored if count is 1
} avrm_run_t;

/// Creates a map from process numbers pgid << 32 | lpid, by rank. The array is read in place,
/// without a temporary copy, and may be freed after the call.
/// @param size     number of ranks, 0 .. 2^31 - 1
/// @param numbers  by rank; may be null if size is 0
/// @return as avrm_rankmap_create_gpids
/// Cost: that of avrm_rankmap_create_gpids.
avrm_status_t avrm_rankmap_create_numbers(avrm_instance_t *instance, int32_t size, const uint64_t *numbers,
                                          unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a map from 64-bit lpids in one process group, by rank, for example from the array of a
/// UCC `ep_map` with elements of 8 bytes. The array is only read, and may be freed after the call.
/// @param pgid   process group of all ranks, 0 or more
/// @param size   number of ranks, 0 .. 2^31 - 1
/// @param lpids  by rank; may be null if size is 0
/// @return also AVRM_ERR_OVERFLOW (an lpid above 2^31 - 2), AVRM_ERR_PGID_UNKNOWN (a negative pgid)
/// Cost: that of avrm_rankmap_create_function.
avrm_status_t avrm_rankmap_create_lpids64(avrm_instance_t *instance, int32_t pgid, int32_t size, const uint64_t *lpids,
                                          unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a map from runs: the ranks of each run follow those of the run before.
/// @param count  number of runs; 0 creates the map of size 0
/// @return also AVRM_ERR_SIZE (count is negative, or the count of a run is below 1),
///         AVRM_ERR_PGID_UNKNOWN (a negative pgid), AVRM_ERR_OVERFLOW (an lpid outside 0 .. 2^31 -
///         2), AVRM_ERR_LIMIT (more than 2^31 - 1 ranks, or more than 2^29 runs once those that
///         continue each other are joined)
/// Cost: O(runs); O(size) if the map takes a table.
avrm_status_t avrm_rankmap_create_runs(avrm_instance_t *instance, int32_t count, const avrm_run_t *runs, unsigned flags,
                                       avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Returns the runs of a map, each as long as possible; no other list of runs for the map is
/// shorter.
/// @param room     capacity of `runs`; 0 to query the number only
/// @param runs     receives at most `room` runs; may be null if room is 0
/// @param count_p  receives the total number of runs; if it exceeds `room`, only the first `room`
///                 runs were written
/// @return AVRM_OK, AVRM_ERR_NULL
/// Cost: O(runs); O(size) for a table.
avrm_status_t avrm_rankmap_runs(const avrm_rankmap_t *map, size_t room, avrm_run_t *runs,
                                size_t *count_p) AVRM_NOEXCEPT;

/// Returns the node ids of `count` ranks, which may be in any order and may repeat. The map must be
/// bound. The arrays must not overlap; they may be null if count is 0.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK (nothing is written)
/// Cost: `count` calls of avrm_rankmap_node.
avrm_status_t avrm_rankmap_nodes(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 uint32_t *nodes) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
