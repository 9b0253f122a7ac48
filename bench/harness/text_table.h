// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Columns that line up: the first ones to the left, the others to the right, each as wide as its widest cell. And how large
// numbers look in them.
#ifndef AVRANKMAP_BENCH_HARNESS_TEXT_TABLE_H
#define AVRANKMAP_BENCH_HARNESS_TEXT_TABLE_H

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {

/// 1234567 as 1,234,567.
inline std::string grouped(std::uint64_t number) {
  std::string text = fmt::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3) {
    text.insert(end - 3, 1, ',');
  }
  return text;
}

class TextTable {
public:
  explicit TextTable(std::size_t left_columns) : left_columns_(left_columns) {}

  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// A blank line.
  void gap() { rows_.emplace_back(); }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto &cells : rows_) {
      widths.resize(std::max(widths.size(), cells.size()));
      for (std::size_t i = 0; i < cells.size(); ++i) {
        widths[i] = std::max(widths[i], cells[i].size());
      }
    }
    std::string text;
    for (const auto &cells : rows_) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        line += i < left_columns_ ? fmt::format("  {:<{}}", cells[i], widths[i])
                                  : fmt::format("  {:>{}}", cells[i], widths[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  }

private:
  std::size_t left_columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace avrankmap::bench

#endif
