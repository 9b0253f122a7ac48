// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a rankmap: from a process to its rank.
//
//   mode                      cost                       memory in addition to the rankmap
//   direct, offset, stride    O(1), one division         none
//   blocked                   O(1), two divisions        none
//   segments that do not      O(log segments)            8 bytes per segment
//   overlap in lpids
//   segments with d different O(d log segments)          8 bytes per segment, up to 16 if processes
//   strides, d up to 8                                   occur twice
//   segments with more        as for tables              as for tables
//   strides
//   cart with nested strides  O(dimensions)              none
//   less with n removed       that of its base           none
//   ranks                     + O(log n)
//   tables and other carts,   O(1), one load             ceil(log2(n + 1)) bits per lpid of their
//   dense lpids                                          range, for n ranks
//   tables and other carts,   O(log n)                   4 bytes per rank
//   sparse lpids
//
// Strides are different if their absolute values differ; strides are counted per process group. The
// strides of a cart are nested if each exceeds the sum of stride * (extent - 1) over all smaller
// ones, as in any array whose dimensions are permuted, reversed or padded.
//
// Lpids are dense if their range is at most twice their number and no process occurs twice. The
// memory is allocated by the first call that needs it and belongs to the table, segments or cart
// that it inverts (AVRM_MEM_CACHE), so all maps that share these share the inverse. It is freed
// with them, or by avrm_instance_drop_caches; the next call then rebuilds it. Building the inverse
// sorts segments in O(segments * log segments); for a table of n ranks it takes O(n) if the lpids
// are dense, and O(n log n) if they are sparse.
//
// Thread-safety: all functions are thread-safe. If two threads make the first call concurrently,
// both build the inverse and one copy is kept.
//
// Find the rank of a process (tests/tour/rankmaps.c):
//
//   must(avrm_rankmap_rank(map, process, &rank));
//
// Translate PE `pe` of one team to its number in another (tests/tour/runtimes/teams.c):
//
//   must(avrm_rankmap_translate_ranks(&from->map, 1, &pe, &to->map, &found));
#ifndef AVRANKMAP_INVERSE_H
#define AVRANKMAP_INVERSE_H

#include "avrankmap/rankmap.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

/// Returns the rank of a process in *rank_p: its lowest rank if it occurs several times,
/// AVRM_UNDEFINED if it does not occur. `process` may be any pair of numbers.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY (only while building the inverse)
avrm_status_t avrm_rankmap_rank(const avrm_rankmap_t *map, avrm_gpid_t process, int32_t *rank_p) AVRM_NOEXCEPT;

/// Returns the ranks of `count` processes, each as avrm_rankmap_rank does. The arrays must not
/// overlap; they may be null if count is 0.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY (only while building the inverse); after an
///         error nothing is written
avrm_status_t avrm_rankmap_ranks(const avrm_rankmap_t *map, size_t count, const avrm_gpid_t *processes,
                                 int32_t *ranks) AVRM_NOEXCEPT;

/// Translates ranks of one map to ranks of another without creating a group from either map.
/// Returns, for each of `count` ranks of `from`, the rank of the same process in `to`: its lowest
/// rank if it occurs several times, AVRM_UNDEFINED if it does not occur. AVRM_PROC_NULL yields
/// AVRM_PROC_NULL. This is MPI_Group_translate_ranks for maps, which need not be bound.
/// @param count     number of ranks to translate
/// @param ranks     ranks of `from`, 0 .. size-1, in any order and repeated at will, or
///                  AVRM_PROC_NULL; may be null if count is 0
/// @param to_ranks  receives the ranks of `to`; may be `ranks`, or null if count is 0
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_INSTANCE (maps of two instances), AVRM_ERR_RANK (an
///         entry is neither a rank of `from` nor AVRM_PROC_NULL), AVRM_ERR_NO_MEMORY; after an
///         error nothing is written
/// Cost: that of avrm_rankmap_gpids and avrm_rankmap_ranks; between affine maps of one process
/// group, one multiplication per rank. Takes no memory if `to` is direct, offset, stride or
/// blocked; otherwise the inverse and, if count exceeds 128, 8 bytes of scratch memory per
/// translated rank.
avrm_status_t avrm_rankmap_translate_ranks(const avrm_rankmap_t *from, size_t count, const int32_t *ranks,
                                           const avrm_rankmap_t *to, int32_t *to_ranks) AVRM_NOEXCEPT;

/// Frees the inverses of all rankmaps of the instance. They are rebuilt when needed. May be called
/// at any time from any thread.
/// @return AVRM_OK, AVRM_ERR_NULL
avrm_status_t avrm_instance_drop_caches(avrm_instance_t *instance) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
