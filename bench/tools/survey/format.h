// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of the texts and JSON that a process (report.cpp) and a whole job (job.cpp) write alike.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_FORMAT_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_FORMAT_H

#include "support/text_table.h"
#include "tools/survey/rebuilt_comms.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::survey {

using Json = nlohmann::ordered_json;

/// An object with one member per scheme.
inline Json by_scheme(const PerScheme &bytes) {
  Json json;
  for (std::size_t i = 0; i < kSchemes; ++i) {
    json[kSchemeNames[i]] = bytes[i];
  }
  return json;
}

/// JSON as a file. Names of programs need not be UTF-8.
inline std::string dumped(const Json &json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n'; }

/// "2 dup, 1 split"; "none".
inline std::string counts_text(const std::map<std::string, std::int64_t> &by_name) {
  std::string text;
  for (const auto &[name, count] : by_name) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text.empty() ? "none" : text;
}

/// A table of bytes by scheme: its head, and one row for each title and value.
inline std::string bytes_table(std::string corner, const std::vector<std::pair<std::string, PerScheme>> &rows) {
  bench::TextTable table(1);
  std::vector<std::string> head{std::move(corner)};
  head.insert(head.end(), kSchemeNames.begin(), kSchemeNames.end());
  table.row(std::move(head));
  for (const auto &[title, bytes] : rows) {
    std::vector<std::string> row{title};
    for (const std::uint64_t value : bytes) {
      row.push_back(bench::grouped(value));
    }
    table.row(std::move(row));
  }
  return table.text();
}

/// The projection's title in such a table.
inline std::string projected_title(std::int64_t processes) {
  return fmt::format("projected to {} processes", bench::grouped(static_cast<std::uint64_t>(processes)));
}

} // namespace avrankmap::survey

#endif
