// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cost of creating a communicator's mapping: detection of a pattern against one summing pass
// over the same array, and creation of a bound rankmap from an indirect mapping array against
// building the pointer table of VC-VCRT.
#ifndef AVRANKMAP_BENCH_COMPONENT_CREATION_MAP_CREATION_H
#define AVRANKMAP_BENCH_COMPONENT_CREATION_MAP_CREATION_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Ours against the yardstick, on one pattern. `ratio` is the median over rounds in which both were
/// timed.
struct BesideYardstick {
  std::string pattern;
  bool regular = true;
  double seconds = 0;           ///< median
  double yardstick_seconds = 0; ///< median
  double ratio = 0;
};
AVRM_BENCH_ROW(BesideYardstick, pattern, regular, seconds, yardstick_seconds, ratio);

/// Detection: ratio is summing time / detecting time; above 1, detection is the faster one.
std::vector<BesideYardstick> compare_detection(std::int32_t size, int rounds);

/// Creation: ratio is our time / time to build the VCRT. For regular patterns, and last for a
/// random permutation, where we also build a table.
std::vector<BesideYardstick> compare_creation(std::int32_t size, int rounds);

extern const Measurement kDetection;
extern const Measurement kMapCreation;

} // namespace avrankmap::bench

#endif
