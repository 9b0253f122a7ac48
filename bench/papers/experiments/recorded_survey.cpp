// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/experiments/recorded_survey.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

std::vector<std::string> cells_of(const std::string &line) {
  std::vector<std::string> cells;
  std::istringstream parts(line);
  std::string cell;
  std::getline(parts, cell, '|'); // before the first bar
  while (std::getline(parts, cell, '|')) {
    const std::size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

/// "81 create, 82 dup"
Counts counts_in(const std::string &cell) {
  Counts counts;
  std::istringstream parts(cell);
  std::string part;
  while (std::getline(parts, part, ',')) {
    std::istringstream words(part);
    int count = 0;
    std::string name;
    if (!(words >> count >> std::ws) || !std::getline(words, name)) {
      throw std::invalid_argument("a recorded run has no counts: " + cell);
    }
    counts[name] = count;
  }
  return counts;
}

} // namespace

std::vector<RecordedRun> recorded_runs(std::string_view page) {
  constexpr std::size_t kColumns = 17;
  std::vector<RecordedRun> runs;
  std::istringstream lines{std::string(page)};
  std::string line;
  bool in_rows = false;
  while (std::getline(lines, line)) {
    if (line.rfind("|---", 0) == 0) {
      in_rows = true;
    } else if (in_rows && line.rfind("| ", 0) == 0) {
      const std::vector<std::string> cells = cells_of(line);
      if (cells.size() != kColumns) {
        throw std::invalid_argument("a recorded run has other columns: " + line);
      }
      runs.push_back({cells[0], cells[1], std::atoi(cells[2].c_str()), counts_in(cells[4]), counts_in(cells[5]),
                      counts_in(cells[6])});
    }
  }
  return runs;
}

} // namespace avrankmap::bench
