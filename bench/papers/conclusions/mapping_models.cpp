// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/mapping_models.h"

#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace avrankmap::bench {
namespace {

using Sentences = std::vector<std::string>;

bool is_recorded(const Row &row) { return row.label.ends_with(kRecorded); }

/// The applications in whose row one of these columns names a table.
std::vector<std::string> with_tables(const Table &table, std::span<const std::string> columns) {
  std::vector<std::string> names;
  for (const Row &row : table.rows) {
    if (std::any_of(columns.begin(), columns.end(), [&](const std::string &column) {
          return word_here(find_cell(table, row.label, column)).find("lut") != std::string::npos;
        })) {
      names.push_back(row.label);
    }
  }
  return names;
}

std::string count_text(const std::vector<std::string> &names) {
  return names.empty() ? "0" : fmt::format("{} ({})", names.size(), fmt::join(names, ", "));
}

/// On the applications that were recorded as they ran.
std::string on_recorded(const Table &recorded) {
  int irregular = 0;
  int joining = 0;
  for (const Row &row : recorded.rows) {
    irregular += word_here(find_cell(recorded, row.label, "split: Irreg.")).empty() ? 0 : 1;
    joining += word_here(find_cell(recorded, row.label, "Intercomm")) == "no call" ? 0 : 1;
  }
  return fmt::format("Of {} recorded runs {} have irregular maps when strict, {} need a table with all forms, and {} "
                     "make intercommunicators.",
                     recorded.rows.size(), irregular,
                     with_tables(recorded, std::array<std::string, 1>{"all forms"}).size(), joining);
}

} // namespace

std::vector<MarkedCell> marked_cells(const Table &table) {
  constexpr std::pair<const char *, const char *> kModels[] = {{"Dup", "direct"},
                                                               {"split: Offset", "offset"},
                                                               {"split: Stride", "stride"},
                                                               {"split: Irreg.", "lut"},
                                                               {"Topo", "direct"}};
  std::vector<MarkedCell> cells;
  for (const Row &row : table.rows) {
    const std::string shape = word_here(find_cell(table, row.label, "shape from"));
    const bool columns_alone = shape.find("columns by the marks") != std::string::npos; // of BT
    for (const auto &[column, model] : kModels) {
      const Cell *const cell = find_cell(table, row.label, column);
      if (is_recorded(row) || cell == nullptr || cell->paper.index() == 0) {
        continue;
      }
      const std::string here = word_here(cell);
      const bool by_marks = columns_alone ? std::string_view(model) == "stride" : shape.find("the marks") != shape.npos;
      cells.push_back(
          {fmt::format("{} in {}, {}", row.label, column, here.empty() ? "nothing" : here), here == model, by_marks});
    }
  }
  return cells;
}

std::vector<std::string> on_mapping_models(const Result &result) {
  const Table table = without_rows(result.table, is_recorded);
  const Table recorded = without_rows(result.table, [](const Row &row) { return !is_recorded(row); });
  int marked = 0;
  int by_text = 0;
  std::vector<std::string> others;
  for (const MarkedCell &cell : marked_cells(result.table)) {
    ++marked;
    by_text += cell.shaped_by_mark ? 0 : 1;
    if (!cell.as_marked) {
      others.push_back(cell.name);
    }
  }
  Sentences sentences{
      fmt::format("In {} of the {} marked cells before Intercomm the map has the model of the column, "
                  "direct for Dup and Topo and lut for Irreg.; {} of the cells are of applications that "
                  "the marks themselves shape, where it cannot differ.",
                  marked - static_cast<int>(others.size()), marked, marked - by_text)};
  if (!others.empty()) {
    sentences.push_back(fmt::format("The others: {}.", fmt::join(others, "; ")));
  }
  const std::vector<std::string> strict(table.columns.begin(),
                                        std::find(table.columns.begin(), table.columns.end(), "all forms"));
  sentences.push_back(fmt::format("Of {} applications these need a table: strict {}; with all forms {}.",
                                  table.rows.size(), count_text(with_tables(table, strict)),
                                  count_text(with_tables(table, std::array<std::string, 1>{"all forms"}))));
  const auto sum = [&](const char *column) {
    double all = 0;
    for (const double bytes : numbers_of_column(table, column)) {
      all += bytes;
    }
    return number_text(all);
  };
  sentences.push_back(fmt::format("All maps together take {} bytes strict and {} bytes with all forms.",
                                  sum("bytes, strict"), sum("bytes, ours")));
  if (!recorded.rows.empty()) {
    sentences.push_back(on_recorded(recorded));
  }
  return sentences;
}

} // namespace avrankmap::bench
