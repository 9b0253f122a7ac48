// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sentences about a table, computed from its cells: another measurement gives another sentence.
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_COMPARISON_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_COMPARISON_H

#include "papers/experiment/tables.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {

/// The cells that have both values. Numbers are equal if they agree to the digits that the paper
/// prints.
struct Comparison {
  int cells = 0;
  int numbers = 0; ///< of the cells
  int equal = 0;
  int zeros = 0; ///< of the equal ones
  int lower = 0; ///< here, of numbers
};
Comparison compare_with_paper(const Table &table);

/// "18 of 20 values equal the paper's.", and how many of the equal ones are 0.
std::string equal_to_paper(const Table &table);
/// "18 of 20 numbers are lower than the paper's."
std::string lower_than_paper(const Table &table);

/// "0.98 to 1.02", rounded as in tables; "nothing" for no numbers.
std::string range_text(std::span<const double> numbers);
/// "N of M" numbers that are less than 1.
std::string below_one(std::span<const double> ratios);
/// "3.2 times as much as B, 4.1 times as much as C", for a row and others in one column. Rows
/// without a number and zeros are left out; empty if that leaves none.
std::string times_as_much(const Table &table, const std::string &column, const std::string &more,
                          std::span<const std::string> others);

/// Numbers of a row with the names of their columns, those that are marked as projected included.
struct Rivals {
  std::optional<std::pair<double, std::string>> least; ///< of others
  std::optional<std::pair<double, std::string>> most;  ///< of others
  std::vector<std::pair<double, std::string>> ours;    ///< without "avrankmap, "
};
Rivals rivals_in(const Table &table, const std::string &row);

} // namespace avrankmap::bench

#endif
