// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cost of groups and maps from irregular ranks, against a copy of the ranks that checks their
// range, which an implementation without compression has to make.
#ifndef AVRANKMAP_BENCH_COMPONENT_CREATION_IRREGULAR_H
#define AVRANKMAP_BENCH_COMPONENT_CREATION_IRREGULAR_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// One order of all ranks of a world of `n`. The seconds are those of an allocation, the copy and
/// the release; the others are times over that, medians of rounds in which all were timed, each
/// with its destruction.
struct IrregularCreation {
  std::string order; ///< random, swapped pairs or blocks of 16
  std::int32_t n = 0;
  double seconds_copy = 0;
  double incl = 0; ///< avrm_group_incl, which also tells whether a rank is twice
  double child = 0;
  double unique_child = 0; ///< with AVRM_RANKMAP_UNIQUE
  double lpids = 0;
  double gpids = 0;
};
AVRM_BENCH_ROW(IrregularCreation, order, n, seconds_copy, incl, child, unique_child, lpids, gpids);

std::vector<IrregularCreation> measure_irregular_creation(const std::vector<std::int32_t> &sizes, int rounds);

extern const Measurement kIrregularRanks;

} // namespace avrankmap::bench

#endif
