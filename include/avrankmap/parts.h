// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a window, and summaries of the parts of many ranks, by which the members of a window
// tell each other where their parts are without a table of all parts.
//
// A summary describes each field of the parts by runs, within which the field is value + i * step.
// A field that would need more than AVRM_PARTS_RUNS runs becomes irregular: its values are dropped
// from the summary. A summary takes 6 KB in memory for any number of ranks. In a message, it takes
// about 100 bytes if the parts are regular, and 5,144 at most. The summaries of two adjacent ranges
// of ranks can be joined by appending the higher range to the lower; which neighbours are joined
// first is up to the caller.
//
// Receive the summary of the following ranks and append it (tests/tour/parts.c):
//
//   must(avrm_parts_of(rank, &own, &all));
//   if (rank + 1 < size) { // that process sends a summary of the ranks after ours
//     must(avrm_irecv(world, bytes, sizeof bytes, rank + 1, 0, &request));
//     must(avrm_wait(&request, &outcome));
//     must(avrm_parts_read(bytes, outcome.bytes, &theirs));
//     must(avrm_parts_append(&all, &theirs));
//   }
//
// Send the joined summary to the preceding process (tests/tour/parts.c):
//
//   must(avrm_parts_write(&all, bytes));
//   must(avrm_isend(world, bytes, avrm_parts_bytes(&all), rank - 1, 0, &request));
//
// Create a directory from the summary of all ranks (tests/tour/parts.c):
//
//   must(avrm_directory_create_summary(avrm_device_instance(device), &all, &targets));
//
// The functions allocate no memory and cost O(runs). They may run concurrently, unless one of them
// changes a summary that another one uses.
#ifndef AVRANKMAP_PARTS_H
#define AVRANKMAP_PARTS_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

/// The part of a window that belongs to one rank, as other ranks access it.
typedef struct avrm_part {
  uint64_t base; ///< remote address of displacement 0
  uint64_t key;  ///< key of the remote memory
  uint64_t size; ///< bytes
  uint32_t unit; ///< displacement unit, in bytes
} avrm_part_t;

/// Maximum number of runs of a field.
#define AVRM_PARTS_RUNS 64
/// Number of fields of a part, in the order of avrm_part_t.
#define AVRM_PARTS_FIELDS 4
/// Maximum number of bytes that avrm_parts_write writes.
#define AVRM_PARTS_BYTES (24 + AVRM_PARTS_FIELDS * AVRM_PARTS_RUNS * 20)

/// A run: the field is value + i * step for rank first + i, up to the next run or the end.
typedef struct avrm_parts_run {
  uint64_t value;
  uint64_t step; ///< 0 if the run has one rank
  uint32_t first;
} avrm_parts_run_t;

/// Summary of the parts of the ranks first .. first + count - 1.
typedef struct avrm_parts {
  uint32_t first;
  uint32_t count;                   ///< at least 1
  uint32_t runs[AVRM_PARTS_FIELDS]; ///< number of runs; 0 if the field is irregular
  avrm_parts_run_t run[AVRM_PARTS_FIELDS][AVRM_PARTS_RUNS];
} avrm_parts_t;

/// Creates the summary of one rank.
/// @param rank  0 .. 2^31 - 2
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK (negative, or 2^31 - 1)
avrm_status_t avrm_parts_of(int32_t rank, const avrm_part_t *part, avrm_parts_t *parts_p) AVRM_NOEXCEPT;

/// Appends the summary of the ranks that follow immediately. `behind` must not be `parts`.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANGE (`behind` does not begin at the next rank),
///         AVRM_ERR_SIZE (more than 2^31 - 1 ranks); after an error nothing is changed
avrm_status_t avrm_parts_append(avrm_parts_t *parts, const avrm_parts_t *behind) AVRM_NOEXCEPT;

/// Returns the number of bytes that avrm_parts_write writes: 24, and 20 per run. 0 for null.
size_t avrm_parts_bytes(const avrm_parts_t *parts) AVRM_NOEXCEPT;

/// Writes a summary to `buffer`, which must have room for avrm_parts_bytes(parts) bytes, in a
/// format independent of the byte order.
/// @return AVRM_OK, AVRM_ERR_NULL
avrm_status_t avrm_parts_write(const avrm_parts_t *parts, void *buffer) AVRM_NOEXCEPT;

/// Reads a summary that avrm_parts_write wrote. Any other input is either rejected or read as some
/// valid summary.
/// @param bytes  exact length of the summary; a buffer with bytes missing or left over is rejected
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_MISMATCH (not a summary; nothing is written)
avrm_status_t avrm_parts_read(const void *buffer, size_t bytes, avrm_parts_t *parts_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
