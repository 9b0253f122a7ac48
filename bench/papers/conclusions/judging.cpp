// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/judging.h"

#include "papers/conclusions/comparison.h"

namespace avrankmap::bench {
namespace {

/// Numbers here divided by the paper's, of all cells that have both.
struct Ratios {
  std::vector<double> all;
  std::vector<double> here;
  std::vector<double> paper;
  std::vector<std::string> outside; ///< labels of the cells that differ by more than `factor`
};
Ratios ratios_to_paper(const Table &table, double factor) {
  Ratios ratios;
  for (const Row &row : table.rows) {
    for (const std::string &column : table.columns) {
      const auto here = number_here(table, row.label, column);
      const auto paper = number_of_paper(table, row.label, column);
      if (here && paper && *paper != 0) {
        ratios.all.push_back(*here / *paper);
        ratios.here.push_back(*here);
        ratios.paper.push_back(*paper);
        if (ratios.all.back() > factor || ratios.all.back() < 1 / factor) {
          ratios.outside.push_back(fmt::format("{}, {}", row.label, column));
        }
      }
    }
  }
  return ratios;
}

} // namespace

Verdict within(const Table &table, double factor, const char *what) {
  const Ratios ratios = ratios_to_paper(table, factor);
  if (ratios.all.empty()) {
    return missing();
  }
  const std::size_t holds = ratios.all.size() - ratios.outside.size();
  return {word_for(holds, ratios.all.size()),
          fmt::format("{} of {} {} lie within a factor of {} of the paper's{}.", holds, ratios.all.size(), what,
                      number_text(factor), ratios.outside.empty() ? "" : "; not: " + some_of(ratios.outside)),
          range_text(ratios.paper), range_text(ratios.here)};
}

} // namespace avrankmap::bench
