// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/comparison.h"

#include "papers/experiment/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace avrankmap::bench {
namespace {

/// Whether a number, rounded to as many decimals as the paper prints, is the paper's.
bool same_number(double here, const Value &of_paper) {
  const auto *const text = std::get_if<std::string>(&of_paper);
  const double paper = *number_of(of_paper);
  const std::string printed = text != nullptr ? *text : fmt::format("{:.10g}", paper);
  const std::size_t point = printed.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : printed.size() - point - 1;
  return fmt::format("{:.{}f}", here, decimals) == fmt::format("{:.{}f}", paper, decimals);
}

/// Of a cell that may be marked as projected: "~1,234".
std::optional<double> marked_number(const Cell *cell) {
  const auto *const number = cell == nullptr ? nullptr : std::get_if<double>(&cell->here);
  std::string digits = word_here(cell);
  std::erase_if(digits, [](char c) { return c == '~' || c == ','; });
  return number != nullptr ? std::optional(*number) : digits.empty() ? std::nullopt : std::optional(std::stod(digits));
}

} // namespace

Comparison compare_with_paper(const Table &table) {
  Comparison comparison;
  for (const Row &row : table.rows) {
    for (const auto &[here, paper] : row.cells) {
      const auto *const number = std::get_if<double>(&here);
      const auto theirs = number_of(paper);
      if (here.index() == 0 || paper.index() == 0 || (number != nullptr) != theirs.has_value()) {
        continue; // a value is missing, or a word stands against a number
      }
      ++comparison.cells;
      comparison.numbers += number != nullptr;
      const bool equal = number == nullptr ? here == paper : same_number(*number, paper);
      comparison.equal += equal;
      comparison.zeros += equal && number != nullptr && *number == 0;
      comparison.lower += !equal && number != nullptr && *number < *theirs;
    }
  }
  return comparison;
}

std::string equal_to_paper(const Table &table) {
  const Comparison comparison = compare_with_paper(table);
  return fmt::format("{} of {} values equal the paper's{}.", comparison.equal, comparison.cells,
                     comparison.zeros == 0 ? "" : fmt::format(", {} of them 0", comparison.zeros));
}

std::string lower_than_paper(const Table &table) {
  const Comparison comparison = compare_with_paper(table);
  return fmt::format("{} of {} numbers are lower than the paper's.", comparison.lower, comparison.numbers);
}

std::string range_text(std::span<const double> numbers) {
  if (numbers.empty()) {
    return "nothing";
  }
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const std::string low = number_text(*least);
  const std::string high = number_text(*most);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

std::string below_one(std::span<const double> ratios) {
  const auto less = std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio < 1; });
  return fmt::format("{} of {}", less, ratios.size());
}

std::string times_as_much(const Table &table, const std::string &column, const std::string &more,
                          std::span<const std::string> others) {
  const auto of_more = number_here(table, more, column);
  std::vector<std::string> parts;
  for (const std::string &other : others) {
    const auto less = number_here(table, other, column);
    if (of_more && less && *less != 0) {
      parts.push_back(fmt::format("{} times as much as {}", number_text(*of_more / *less), other));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Rivals rivals_in(const Table &table, const std::string &row) {
  constexpr std::string_view kOurs = "avrankmap, ";
  Rivals rivals;
  for (const std::string &column : table.columns) {
    const auto number = marked_number(find_cell(table, row, column));
    if (!number) {
      continue;
    }
    if (column.starts_with(kOurs)) {
      rivals.ours.emplace_back(*number, column.substr(kOurs.size()));
      continue;
    }
    if (!rivals.least || *number < rivals.least->first) {
      rivals.least = std::pair(*number, column);
    }
    if (!rivals.most || *number > rivals.most->first) {
      rivals.most = std::pair(*number, column);
    }
  }
  return rivals;
}

} // namespace avrankmap::bench
