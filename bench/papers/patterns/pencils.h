// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fourier transforms in two and three dimensions by pencils (the n-D Cartesian compression paper,
// section 5.1 and table 1), between real processes in a square grid. A process has the numbers of
// some lines of one dimension; for another dimension it exchanges blocks with the other processes
// of its row, and for the third with those of its column.
//
//   3-D   side^2 processes, points^3 numbers:
//         lines of x, row, lines of y, column, lines of z, and back
//   2-D   each row of processes has some planes of points^2 numbers of its own:
//         lines of x, row, lines of y, and back
//
// The 2-D transform of one row with points / side planes is what a row does of a 3-D transform of
// side^2 processes: a third dimension's work and messages aside, each process of it has the same
// numbers and sends the same messages.
#ifndef AVRANKMAP_BENCH_PAPERS_PATTERNS_PENCILS_H
#define AVRANKMAP_BENCH_PAPERS_PATTERNS_PENCILS_H

#include "papers/patterns/workload.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace avrankmap::bench {

struct PencilOptions {
  std::int32_t side = 1;       ///< processes of a row, and in three dimensions of a column
  std::int32_t points = 1;     ///< in each dimension; a multiple of side
  std::int32_t dimensions = 3; ///< 2 or 3
  int rounds = 1;
  std::int32_t rows = 1;   ///< of processes, in two dimensions
  std::int32_t planes = 1; ///< of a row of processes, in two dimensions

  [[nodiscard]] std::int32_t processes() const { return side * (dimensions == 3 ? side : rows); }
  /// That a process has; in three dimensions those of its block.
  [[nodiscard]] std::int32_t planes_of_process() const { return dimensions == 3 ? points / side : planes; }
  /// Of one message.
  [[nodiscard]] std::size_t message_bytes() const;
};

/// Parts of the result, as in the paper's table.
enum PencilPart { kPencilRun, kPencilComm };

/// Times of a pair of forward and backward transforms (kPencilRun; without FFTW of transpositions
/// alone) and of its messages alone (kPencilComm). Before that each workload transposes numbers
/// that are all different, looks at the place of each, and transposes them back; with FFTW it also
/// transforms a wave, whose only frequency must appear, and back. Throws std::runtime_error if one
/// number is wrong.
std::vector<LookupTimes> measure_pencils(const PencilOptions &options, const std::vector<Lookup> &lookups);

} // namespace avrankmap::bench

#endif
