// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What all verdicts share: words by how much holds, and the cells of a table.
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_JUDGING_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_JUDGING_H

#include "papers/conclusions/verdicts.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {

inline Verdict missing() { return {kNotMeasurable, "This run has no value to compare.", "", ""}; }

inline std::string paper_text(const Table &table, const std::string &row, const std::string &column) {
  const Cell *const cell = find_cell(table, row, column);
  return cell == nullptr ? "" : cell_text({cell->paper});
}

inline const char *word_for(std::size_t holds, std::size_t all) {
  return holds == all ? kReproduced : holds == 0 ? kContradicted : kPartly;
}
inline const char *word_for(const std::vector<bool> &claims) {
  return word_for(static_cast<std::size_t>(std::count(claims.begin(), claims.end(), true)), claims.size());
}
/// Tolerates one value in ten.
inline const char *word_for_most(int holds, int all) {
  return holds * 10 >= all * 9 ? kReproduced : holds == 0 ? kContradicted : kPartly;
}

struct Place {
  const char *row;
  const char *column;
};
/// The numbers of these cells on this machine, in order; nothing if one is missing.
template <std::size_t N> std::optional<std::array<double, N>> numbers_at(const Table &table, const Place (&places)[N]) {
  std::array<double, N> numbers{};
  for (std::size_t i = 0; i < N; ++i) {
    const auto number = number_here(table, places[i].row, places[i].column);
    if (!number) {
      return std::nullopt;
    }
    numbers[i] = *number;
  }
  return numbers;
}

/// "a; b; c"; at most five.
inline std::string some_of(const std::vector<std::string> &names) {
  const std::size_t shown = std::min<std::size_t>(names.size(), 5);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), "; "),
                     names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

/// Numbers here divided by the paper's, of all cells that have both.
struct Ratios {
  std::vector<double> all;
  std::vector<double> here;
  std::vector<double> paper;
  std::vector<std::pair<std::string, std::string>> outside; ///< rows and columns beyond `factor`
};
Ratios ratios_to_paper(const Table &table, double factor);

/// "row, column; row, column", but "column in 4 rows" of a column that is there more than twice.
std::string places_text(const std::vector<std::pair<std::string, std::string>> &places);

/// How many numbers lie within a factor of the paper's; `what` they are.
Verdict within(const Table &table, double factor, const char *what);

} // namespace avrankmap::bench

#endif
