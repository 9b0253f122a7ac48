// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a rankmap: from a process to its rank.
//
//   mode                      cost                       memory beside the rankmap
//   direct, offset, stride    O(1), one division         none
//   blocked                   O(1), two divisions        none
//   segments                  O(log segments) where      8 bytes per segment
//                             they do not interleave
//   tables, dense lpids       O(1), one load             ceil(log2(n + 1)) bits per lpid in their
//                                                        range
//   tables, thin lpids        O(log n)                   4 bytes per rank
//
// Lpids are dense if their range is at most twice their number and no process occurs twice. The
// inverse of a table or of segments is built by the first call that needs it and kept with the
// table (AVRM_MEM_CACHE): all maps that share the table share it. It is freed with the table, or
// earlier by avrm_instance_drop_caches; then the next call builds it again.
//
// Thread-safety: any number of threads may call all functions at once. If two threads make the
// first call together, both build the inverse and one of the two is kept.
#ifndef AVRANKMAP_INVERSE_H
#define AVRANKMAP_INVERSE_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

/// The rank of a process that a map does not contain (MPI_UNDEFINED).
#define AVRM_UNDEFINED (-32766)

/// Rank of a process; the lowest if it occurs several times, AVRM_UNDEFINED if it does not occur.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY (where the inverse has to be built)
avrm_status_t avrm_rankmap_rank(const avrm_rankmap_t *map, avrm_gpid_t process, int32_t *rank_p) AVRM_NOEXCEPT;

/// The same for `count` processes. The arrays must not overlap; they may be null if count is 0.
avrm_status_t avrm_rankmap_ranks(const avrm_rankmap_t *map, size_t count, const avrm_gpid_t *processes,
                                 int32_t *ranks) AVRM_NOEXCEPT;

/// Frees the inverses, which are built again when they are needed. Any thread may call it at any
/// time.
/// @return AVRM_OK, AVRM_ERR_NULL
avrm_status_t avrm_instance_drop_caches(avrm_instance_t *instance) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
