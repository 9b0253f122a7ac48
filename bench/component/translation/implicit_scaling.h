// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Effect of an implicit address vector over the size of a world: the issue rate to random peers of
// a large one over that to those of a small one, on communicators of the same mode, measured in
// turn. With a table the large one's elements are in memory and the small one's in the first-level
// cache; the same ratio with tables is shown as well.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_IMPLICIT_SCALING_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_IMPLICIT_SCALING_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct ImplicitScaling {
  std::string mode;
  std::string op;
  std::int32_t small = 0; ///< peers
  std::int32_t large = 0;
  double ratio = 0; ///< rate with `large` peers over rate with `small` ones
  double ratio_with_tables = 0;
};
AVRM_BENCH_ROW(ImplicitScaling, mode, op, small, large, ratio, ratio_with_tables);

inline constexpr std::int32_t kScalingSmall = 16;
inline constexpr std::int32_t kScalingLarge = 786432;

/// Medians over the rounds of the ratios within a round. Time is that of the thread's processor.
std::vector<ImplicitScaling> measure_implicit_scaling(int rounds, std::int32_t small = kScalingSmall,
                                                      std::int32_t large = kScalingLarge);

extern const Measurement kImplicitScaling;

} // namespace avrankmap::bench

#endif
