// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers that the component has to reach, and whether a run reached them.
#ifndef AVRANKMAP_BENCH_HARNESS_BUDGETS_H
#define AVRANKMAP_BENCH_HARNESS_BUDGETS_H

#include <string>
#include <vector>

namespace avrankmap::bench {

struct Report;

/// One budget and the worst value that was measured for it.
struct Budget {
  std::string what;
  double value = 0;
  double limit = 0;
  bool at_most = false; ///< the limit is an upper one
  std::string where;    ///< where the worst value was met

  [[nodiscard]] bool met() const { return at_most ? value <= limit : value >= limit; }
};

/// The budgets that a report has measurements for.
std::vector<Budget> budgets(const Report &report);

} // namespace avrankmap::bench

#endif
