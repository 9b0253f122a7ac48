// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a window, and a summary of those of many ranks: how the members of a window tell one
// another where their parts are, without a table of them.
//
// A summary has runs for each field of the parts: from this rank on the field is value + i * step.
// A field that would need more than AVRM_PARTS_RUNS of them becomes irregular: nothing of it is
// known any more. So a summary has at most 6 KB, whatever the number of ranks, and a few bytes if
// the parts are regular. Summaries of adjacent ranks become one, in any order of such steps.
//
// A step, with the summary of the ranks behind (tests/tour/parts.c):
//
//   must(avrm_parts_of(rank, &own, &all));
//   if (rank + 1 < size) { // that process has the ranks behind ours
//     must(avrm_irecv(world, bytes, sizeof bytes, rank + 1, 0, &request));
//     must(avrm_wait(&request, &outcome));
//     must(avrm_parts_read(bytes, outcome.bytes, &theirs));
//     must(avrm_parts_append(&all, &theirs));
//   }
//
// The summary goes to the process before this one (tests/tour/parts.c):
//
//   must(avrm_parts_write(&all, bytes));
//   must(avrm_isend(world, bytes, avrm_parts_bytes(&all), rank - 1, 0, &request));
//
// The process that has all of them makes a directory (tests/tour/parts.c):
//
//   must(avrm_directory_create_summary(avrm_device_instance(device), &all, &targets));
//
// All functions are thread-safe, use no memory but that of their arguments, and take O(runs).
#ifndef AVRANKMAP_PARTS_H
#define AVRANKMAP_PARTS_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

/// The part of a window that one rank has, as others reach it.
typedef struct avrm_part {
  uint64_t base; ///< remote address of displacement 0
  uint64_t key;  ///< of the remote memory
  uint64_t size; ///< bytes
  uint32_t unit; ///< displacement unit, bytes
} avrm_part_t;

/// Most runs of a field.
#define AVRM_PARTS_RUNS 64
/// Fields of a part, in the order of avrm_part_t.
#define AVRM_PARTS_FIELDS 4
/// Most bytes that avrm_parts_write writes.
#define AVRM_PARTS_BYTES (24 + AVRM_PARTS_FIELDS * AVRM_PARTS_RUNS * 20)

/// A field is value + i * step for rank first + i, up to the next run or the end.
typedef struct avrm_parts_run {
  uint64_t value;
  uint64_t step; ///< 0 in a run of one rank
  uint32_t first;
} avrm_parts_run_t;

/// Summary of the parts of the ranks first .. first + count - 1.
typedef struct avrm_parts {
  uint32_t first;
  uint32_t count;                   ///< at least 1
  uint32_t runs[AVRM_PARTS_FIELDS]; ///< number of runs; 0: irregular
  avrm_parts_run_t run[AVRM_PARTS_FIELDS][AVRM_PARTS_RUNS];
} avrm_parts_t;

/// The summary of one rank.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK (negative, or 2^31 - 1)
avrm_status_t avrm_parts_of(int32_t rank, const avrm_part_t *part, avrm_parts_t *parts_p) AVRM_NOEXCEPT;

/// Appends the summary of the ranks behind.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANGE (they are not the ranks behind), AVRM_ERR_SIZE
///         (more than 2^31 - 1 ranks); nothing is changed after an error
avrm_status_t avrm_parts_append(avrm_parts_t *parts, const avrm_parts_t *behind) AVRM_NOEXCEPT;

/// Bytes that avrm_parts_write writes: 24, and 20 per run. 0 for null.
size_t avrm_parts_bytes(const avrm_parts_t *parts) AVRM_NOEXCEPT;

/// Writes a summary into `buffer` of avrm_parts_bytes bytes, for processes of any byte order.
/// @return AVRM_OK, AVRM_ERR_NULL
avrm_status_t avrm_parts_write(const avrm_parts_t *parts, void *buffer) AVRM_NOEXCEPT;

/// Reads what avrm_parts_write wrote. Any other bytes are refused, or are a summary of something.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_MISMATCH (no summary; nothing is written)
avrm_status_t avrm_parts_read(const void *buffer, size_t bytes, avrm_parts_t *parts_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
