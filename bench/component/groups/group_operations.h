// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Group operations against the algorithms of other libraries, in one run on the same groups.
// Results are compared before anything is timed.
#ifndef AVRANKMAP_BENCH_COMPONENT_GROUPS_GROUP_OPERATIONS_H
#define AVRANKMAP_BENCH_COMPONENT_GROUPS_GROUP_OPERATIONS_H

#include "measurement/measurement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Names of operations. The last one is what Open MPI's issue 12286 is about: a group, and what is
/// left of it without each of 60 parts.
inline constexpr const char *kTranslate = "translate";
inline constexpr const char *kSixtyDifferences = "60 differences";

/// One operation on two groups; n is the size of the first. A field is empty if its operation would
/// take too long.
struct GroupTiming {
  std::string op; ///< union, intersection, difference, translate, or kSixtyDifferences
  std::int32_t n = 0;
  std::string kind; ///< regular or random
  double seconds = 0;
  std::optional<double> seconds_quadratic; ///< every process against every other, as in Open MPI
  std::optional<double> seconds_mpich5;    ///< linear search, unless the second group has a stride
  std::optional<double> seconds_mpich4;    ///< sorted lists
};
AVRM_BENCH_ROW(GroupTiming, op, n, kind, seconds, seconds_quadratic, seconds_mpich5, seconds_mpich4);

/// Regular: a is 0 .. n - 1, b every third of it backwards (translation, set operations) or a 60th
/// (the 60 differences). Random: both are random orders, b of half of the processes. Quadratic
/// algorithms run up to `quadratic_limit` processes.
std::vector<GroupTiming> measure_group_operations(const std::vector<std::int32_t> &sizes, std::int32_t quadratic_limit);

/// 60 differences of an n-process group, as in Open MPI's issue 12286, of both kinds.
std::vector<GroupTiming> measure_sixty_differences(std::int32_t n, std::int32_t quadratic_limit);

extern const Measurement kGroupOperations;

} // namespace avrankmap::bench

#endif
