// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a rankmap: from a process to its rank.
//
//   mode                      cost                       memory beside the rankmap
//   direct, offset, stride    O(1), one division         none
//   blocked                   O(1), two divisions        none
//   segments                  O(log segments) where      8 bytes per segment
//                             they do not overlap in
//                             lpids
//   ..., of d different       O(d log segments)          8 bytes per segment, up to 16 where
//   strides, up to 8                                     processes occur twice
//   ..., of more strides      as tables                  as tables
//   cart whose strides nest   O(dimensions)              none
//   less, of n removed ranks  that of its base + O(log   none
//                             n)
//   tables, other carts,      O(1), one load             ceil(log2(n + 1)) bits per lpid in their
//   dense lpids                                          range
//   ..., thin lpids           O(log n)                   4 bytes per rank
//
// Strides differ if their absolute values do; those of one process group count. Strides of a cart
// nest if each is greater than what all lesser ones reach together, as in any array whose
// dimensions are permuted, reversed or padded.
//
// Lpids are dense if their range is at most twice their number and no process occurs twice. The
// memory is taken by the first call that needs it and kept with the table (AVRM_MEM_CACHE): all
// maps that share the table share it. It is freed with the table, or earlier by
// avrm_instance_drop_caches; then the next call builds it again. Segments are sorted in
// O(segments * log segments), tables are read once.
//
// Thread-safety: any number of threads may call all functions at once. If two threads make the
// first call together, both build the inverse and one of the two is kept.
//
// The rank of a process (tests/tour/rankmaps.c):
//
//   must(avrm_rankmap_rank(map, process, &rank));
#ifndef AVRANKMAP_INVERSE_H
#define AVRANKMAP_INVERSE_H

#include "avrankmap/rankmap.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

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
