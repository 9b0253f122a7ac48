// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results of a few numbers, and the sentences on them.
#ifndef AVRANKMAP_TESTS_PAPERS_SENTENCES_H
#define AVRANKMAP_TESTS_PAPERS_SENTENCES_H

#include "papers/conclusions/conclusions.h"
#include "papers/experiment/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {

/// All sentences on a result, as one text.
inline std::string sentences(const std::string &id, const Result &result) {
  return fmt::format("{}", fmt::join(conclude(id, result), " "));
}
inline void expect_part_of_sentences(const std::string &id, const Result &result, const std::string &part) {
  const std::string text = sentences(id, result);
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// A result with a table of numbers.
inline Result numbers(std::vector<std::string> columns,
                      const std::vector<std::pair<std::string, std::vector<double>>> &rows) {
  Result result;
  result.table = {"corner", std::move(columns), {}};
  for (const auto &[label, cells] : rows) {
    Row row{label, {}};
    for (const double cell : cells) {
      row.cells.emplace_back().here = cell;
    }
    result.table.rows.push_back(std::move(row));
  }
  return result;
}

inline void set(Result &result, const std::string &row, const std::string &column, Value here) {
  cell_of(result.table, row, column).here = std::move(here);
}

} // namespace avrankmap::bench

#endif
