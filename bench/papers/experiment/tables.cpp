// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/experiment/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

const Row *find_row(const Table &table, const std::string &label) {
  const auto found =
      std::find_if(table.rows.begin(), table.rows.end(), [&](const Row &row) { return row.label == label; });
  return found == table.rows.end() ? nullptr : &*found;
}

std::optional<std::size_t> find_column(const Table &table, const std::string &label) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), label);
  return found == table.columns.end() ? std::nullopt
                                      : std::optional(static_cast<std::size_t>(found - table.columns.begin()));
}

} // namespace

std::optional<double> number_of(const Value &value) {
  if (const auto *const number = std::get_if<double>(&value)) {
    return *number;
  }
  const auto *const text = std::get_if<std::string>(&value);
  if (text == nullptr || text->empty() || text->find_first_not_of("0123456789.") != std::string::npos) {
    return std::nullopt;
  }
  return std::strtod(text->c_str(), nullptr);
}

Value printed(double number, int decimals) {
  std::string text = fmt::format("{:.{}f}", number, decimals);
  return decimals > 0 && text.ends_with('0') ? Value(std::move(text)) : Value(number);
}

Row &row_of(Table &table, const std::string &label) {
  const auto found =
      std::find_if(table.rows.begin(), table.rows.end(), [&](const Row &row) { return row.label == label; });
  return found != table.rows.end() ? *found
                                   : table.rows.emplace_back(Row{label, std::vector<Cell>(table.columns.size())});
}

Cell &cell_of(Table &table, const std::string &row, const std::string &column) {
  const auto place = find_column(table, column);
  if (!place) {
    throw std::logic_error("there is no column " + column);
  }
  return row_of(table, row).cells.at(*place);
}

const Cell *find_cell(const Table &table, const std::string &row, const std::string &column) {
  const Row *const in = find_row(table, row);
  const auto place = find_column(table, column);
  return in == nullptr || !place || *place >= in->cells.size() ? nullptr : &in->cells[*place];
}

std::string word_here(const Cell *cell) {
  const auto *const word = cell == nullptr ? nullptr : std::get_if<std::string>(&cell->here);
  return word == nullptr ? "" : *word;
}

std::optional<double> number_here(const Table &table, const std::string &row, const std::string &column) {
  const Cell *const cell = find_cell(table, row, column);
  return cell == nullptr ? std::nullopt : number_of(cell->here);
}

std::optional<double> number_of_paper(const Table &table, const std::string &row, const std::string &column) {
  const Cell *const cell = find_cell(table, row, column);
  return cell == nullptr ? std::nullopt : number_of(cell->paper);
}

std::vector<double> numbers_of_row(const Table &table, const std::string &row) {
  std::vector<double> numbers;
  if (const Row *const in = find_row(table, row)) {
    for (const Cell &cell : in->cells) {
      if (const double *const number = std::get_if<double>(&cell.here)) {
        numbers.push_back(*number);
      }
    }
  }
  return numbers;
}

std::vector<double> numbers_of_column(const Table &table, const std::string &column, std::string_view ending) {
  std::vector<double> numbers;
  for (const Row &row : table.rows) {
    if (const auto number = number_here(table, row.label, column); number && row.label.ends_with(ending)) {
      numbers.push_back(*number);
    }
  }
  return numbers;
}

void drop_empty_rows(Table &table) {
  std::erase_if(table.rows, [](const Row &row) {
    return std::all_of(row.cells.begin(), row.cells.end(),
                       [](const Cell &cell) { return cell.here.index() == 0 && cell.paper.index() == 0; });
  });
}

Series &series_of(Plot &plot, const std::string &name, bool ours) {
  const auto found =
      std::find_if(plot.series.begin(), plot.series.end(), [&](const Series &s) { return s.name == name; });
  return found != plot.series.end() ? *found : plot.series.emplace_back(Series{name, {}, ours});
}

} // namespace avrankmap::bench
