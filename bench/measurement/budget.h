// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A budget is a promise to a user that can be kept on any quiet machine: a limit, and the worst of
// the values that it is for.
#ifndef AVRANKMAP_BENCH_MEASUREMENT_BUDGET_H
#define AVRANKMAP_BENCH_MEASUREMENT_BUDGET_H

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {

struct Budget {
  std::string what;
  double value = 0;
  double limit = 0;
  bool at_most = false; ///< the limit is an upper one
  std::string where;    ///< where the worst value was met

  [[nodiscard]] bool met() const { return at_most ? value <= limit : value >= limit; }
};

/// The budgets of a run. A budget without a value, since nothing of it was measured, does not
/// appear.
class Budgets {
public:
  /// Takes the values of one budget.
  class Values {
  public:
    void add(double value, std::string where = {}) {
      if (found_ && (budget_.at_most ? value <= budget_.value : value >= budget_.value)) {
        return;
      }
      found_ = true;
      budget_.value = value;
      budget_.where = std::move(where);
    }

  private:
    friend class Budgets;
    explicit Values(Budget budget) : budget_(std::move(budget)) {}

    Budget budget_;
    bool found_ = false;
  };

  Values &at_most(double limit, std::string what) { return begin({std::move(what), 0, limit, true, {}}); }
  Values &at_least(double limit, std::string what) { return begin({std::move(what), 0, limit, false, {}}); }

  /// In the order in which they were begun.
  [[nodiscard]] std::vector<Budget> all() const {
    std::vector<Budget> budgets;
    for (const Values &values : values_) {
      if (values.found_) {
        budgets.push_back(values.budget_);
      }
    }
    return budgets;
  }

private:
  Values &begin(Budget budget) { return values_.emplace_back(Values(std::move(budget))); }

  std::deque<Values> values_; // which does not move them
};

} // namespace avrankmap::bench

#endif
