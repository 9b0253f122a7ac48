// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building tables and plots piece by piece, and finding cells in them.
#ifndef AVRANKMAP_BENCH_PAPERS_EXPERIMENT_TABLES_H
#define AVRANKMAP_BENCH_PAPERS_EXPERIMENT_TABLES_H

#include "papers/experiment/experiment.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace avrankmap::bench {

/// The number of a value: also of a text that is nothing else ("16.00").
std::optional<double> number_of(const Value &value);
/// A number of a paper, with as many decimals as it prints.
Value printed(double number, int decimals);

/// The row with this label; added with empty cells if there is none. References to other rows
/// become invalid.
Row &row_of(Table &table, const std::string &label);
/// The cell under these labels; its row is added if there is none. Throws std::logic_error if there
/// is no such column.
Cell &cell_of(Table &table, const std::string &row, const std::string &column);

/// The cell under these labels; null if there is none.
const Cell *find_cell(const Table &table, const std::string &row, const std::string &column);
/// Its word on this machine; empty for a null pointer or a number.
std::string word_here(const Cell *cell);
/// The value of the cell under these labels on this machine; nothing if that is no number.
std::optional<double> number_here(const Table &table, const std::string &row, const std::string &column);
/// The paper's value of the same cell; nothing if that is no number.
std::optional<double> number_of_paper(const Table &table, const std::string &row, const std::string &column);
/// All numbers of a row on this machine.
std::vector<double> numbers_of_row(const Table &table, const std::string &row);
/// All numbers of a column on this machine, in rows whose labels end so.
std::vector<double> numbers_of_column(const Table &table, const std::string &column, std::string_view ending = "");

/// A table without the rows for which `unwanted` is true.
template <class Unwanted> Table without_rows(Table table, Unwanted unwanted) {
  std::erase_if(table.rows, unwanted);
  return table;
}

/// Removes the rows in which no cell has a value.
void drop_empty_rows(Table &table);

/// The series with this name; added if there is none.
Series &series_of(Plot &plot, const std::string &name, bool ours);

} // namespace avrankmap::bench

#endif
