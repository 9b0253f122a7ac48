// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Medians, of values and of ratios that were measured in pairs, one right after the other: a
// disturbance that lasts longer than a pair cancels out, and one that hits half of a pair does not
// move the median.
#ifndef AVRANKMAP_BENCH_SUPPORT_STATISTICS_H
#define AVRANKMAP_BENCH_SUPPORT_STATISTICS_H

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace avrankmap::bench {

/// The middle value, or the mean of the two in the middle. Precondition: not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The median of numerators[i] / denominators[i]. Precondition: equally many, and at least one.
inline double median_ratio(const std::vector<double> &numerators, const std::vector<double> &denominators) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    ratios.push_back(numerators[i] / denominators[i]);
  }
  return median(std::move(ratios));
}

/// The middle half of ratios: a quarter of them are lower than `low`, a quarter higher than `high`.
struct Spread {
  double low = 0;
  double middle = 0;
  double high = 0;
};

/// Of numerators[i] / denominators[i]. Precondition: equally many, and at least one.
inline Spread spread_of_ratios(const std::vector<double> &numerators, const std::vector<double> &denominators) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    ratios.push_back(numerators[i] / denominators[i]);
  }
  std::sort(ratios.begin(), ratios.end());
  const std::size_t quarter = ratios.size() / 4;
  return {ratios[quarter], median(ratios), ratios[ratios.size() - 1 - quarter]};
}

} // namespace avrankmap::bench

#endif
