// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tables for terminals and for Markdown, and how large numbers look in them.
#ifndef AVRANKMAP_BENCH_SUPPORT_TEXT_TABLE_H
#define AVRANKMAP_BENCH_SUPPORT_TEXT_TABLE_H

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

/// Rows of cells, the column heads first. The left columns are aligned to the left, the others to
/// the right.
class TextTable {
public:
  explicit TextTable(std::size_t left_columns, std::string title = {})
      : left_columns_(left_columns), title_(std::move(title)) {}

  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// A blank line, on a terminal only.
  void gap() { rows_.emplace_back(); }
  /// A line behind the table.
  void note(std::string line) { notes_.push_back(std::move(line)); }

  [[nodiscard]] const std::string &title() const { return title_; }
  [[nodiscard]] const std::vector<std::vector<std::string>> &rows() const { return rows_; }

  /// The rows for a terminal, columns as wide as their widest cell; the title and the notes around
  /// them are the caller's to print.
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

  /// The same below its title and above its notes.
  [[nodiscard]] std::string text_with_title() const {
    std::string text = "\n" + title_ + '\n' + this->text();
    for (const std::string &line : notes_) {
      text += "  " + line + '\n';
    }
    return text;
  }

  /// The rows in Markdown.
  [[nodiscard]] std::string markdown() const {
    std::string text;
    for (const auto &cells : rows_) {
      if (cells.empty()) {
        continue;
      }
      text += fmt::format("| {} |\n", fmt::join(cells, " | "));
      if (&cells == rows_.data()) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
          text += i < left_columns_ ? "|---" : "|--:";
        }
        text += "|\n";
      }
    }
    return text;
  }

private:
  std::size_t left_columns_;
  std::string title_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> notes_;
};

} // namespace avrankmap::bench

#endif
