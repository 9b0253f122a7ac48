// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/texts/results.h"

#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace avrankmap::bench {

const Stored *StoredResults::stored(const std::string &id) const {
  const auto [kept, is_new] = kept_.try_emplace(id);
  if (is_new) {
    kept->second = find_(id);
  }
  return kept->second ? &*kept->second : nullptr;
}

std::string StoredResults::text(const Place &place) const {
  const Stored *const of = stored(place.id);
  const Cell *const cell = of == nullptr ? nullptr : find_cell(of->result.table, place.row, place.column);
  return cell == nullptr ? "" : cell_text({cell->here, {}});
}

std::optional<double> StoredResults::number(const Place &place) const {
  const Stored *const of = stored(place.id);
  return of == nullptr ? std::nullopt : number_here(of->result.table, place.row, place.column);
}

std::vector<double> StoredResults::numbers(const Part &part) const {
  std::vector<double> found;
  const Stored *const of = stored(part.id);
  if (of == nullptr) {
    return found;
  }
  const Table &table = of->result.table;
  for (const Row &row : table.rows) {
    for (const std::string &column : table.columns) {
      const auto number = number_here(table, row.label, column);
      if (number && row.label.ends_with(part.row_ending) && (part.column.empty() || part.column == column)) {
        found.push_back(*number);
      }
    }
  }
  return found;
}

std::optional<int> StoredResults::rows(const Part &part) const {
  const Stored *const of = stored(part.id);
  if (of == nullptr) {
    return std::nullopt;
  }
  const Table &table = of->result.table;
  return static_cast<int>(std::count_if(table.rows.begin(), table.rows.end(), [&](const Row &row) {
    const Cell *const cell = find_cell(table, row.label, part.column);
    return row.label.ends_with(part.row_ending) &&
           (part.column.empty() || (cell != nullptr && cell->here.index() != 0));
  }));
}

std::string StoredResults::machine() const {
  for (const auto &[id, kept] : kept_) {
    if (kept) {
      const Machine &machine = kept->conditions.machine;
      return fmt::format("{}, {} CPUs, {:.0f} GB, {}", machine.processor, machine.cpus,
                         static_cast<double>(machine.memory) / 1e9, machine.compiler);
    }
  }
  return "";
}

} // namespace avrankmap::bench
