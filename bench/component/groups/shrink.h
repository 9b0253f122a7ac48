// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The map of a communicator's survivors, once all know who is dead, against MPICH 5's way: a
// difference of groups, and a communicator that has the difference's table. Results are compared
// before anything is timed.
#ifndef AVRANKMAP_BENCH_COMPONENT_GROUPS_SHRINK_H
#define AVRANKMAP_BENCH_COMPONENT_GROUPS_SHRINK_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// One communicator that loses processes at random.
struct Shrink {
  std::string communicator; ///< affine, blocked or Cartesian
  std::int32_t n = 0;
  std::int32_t failures = 0;
  std::string mode;               ///< of the shrunken map
  std::uint64_t bytes = 0;        ///< of the shrunken map, with all that it refers to
  std::uint64_t temporary = 0;    ///< most other bytes while it is made
  std::uint64_t bytes_mpich5 = 0; ///< of the communicator with its group and table
  double seconds = 0;
  double seconds_mpich5 = 0;
};
AVRM_BENCH_ROW(Shrink, communicator, n, failures, mode, bytes, temporary, bytes_mpich5, seconds, seconds_mpich5);

/// Communicators of about `n` processes without so many; fewer than a tenth of them.
std::vector<Shrink> measure_shrink(const std::vector<std::int32_t> &sizes, const std::vector<std::int32_t> &failures);

extern const Measurement kShrink;

} // namespace avrankmap::bench

#endif
