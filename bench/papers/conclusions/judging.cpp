// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/judging.h"

#include "papers/conclusions/comparison.h"

namespace avrankmap::bench {
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
          ratios.outside.emplace_back(row.label, column);
        }
      }
    }
  }
  return ratios;
}

std::string places_text(const std::vector<std::pair<std::string, std::string>> &places) {
  constexpr std::ptrdiff_t kMostNamed = 2;
  std::vector<std::string> names;
  for (const auto &[row, column] : places) {
    const auto rows =
        std::count_if(places.begin(), places.end(), [of = column](const auto &place) { return place.second == of; });
    std::string name =
        rows > kMostNamed ? fmt::format("{} in {} rows", column, rows) : fmt::format("{}, {}", row, column);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return some_of(names);
}

Verdict within(const Table &table, double factor, const char *what) {
  const Ratios ratios = ratios_to_paper(table, factor);
  if (ratios.all.empty()) {
    return missing();
  }
  const std::size_t holds = ratios.all.size() - ratios.outside.size();
  return {word_for(holds, ratios.all.size()),
          fmt::format("{} of the {} {} for which the paper prints a number lie within a factor of {} of it{}.", holds,
                      ratios.all.size(), what, number_text(factor),
                      ratios.outside.empty() ? "" : "; not: " + places_text(ratios.outside)),
          range_text(ratios.paper), range_text(ratios.here)};
}

} // namespace avrankmap::bench
