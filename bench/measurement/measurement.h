// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A measurement is one unit: how it is run, what it is in JSON, as tables and to the budgets. A new
// one is a pair of files in the folder of its subject, a line in CMakeLists.txt and a line in
// report/registry.cpp; the report walks the registry.
//
//     // forms.h
//     struct Form { std::string name; double rate = 0; };
//     AVRM_BENCH_ROW(Form, name, rate);
//     extern const Measurement kForms;
#ifndef AVRANKMAP_BENCH_MEASUREMENT_MEASUREMENT_H
#define AVRANKMAP_BENCH_MEASUREMENT_MEASUREMENT_H

#include "measurement/budget.h"
#include "measurement/rows.h"
#include "support/log.h"
#include "support/text_table.h"

#include "avrankmap/rankmap.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Settings of a run, and where it reports its progress.
struct Session {
  bool quick = false;           ///< fewer sizes and rounds
  std::string filter;           ///< regular expression on the names of benchmarks; empty for all
  std::vector<avrm_gpid_t> map; ///< a communicator of the user's; empty: none
  std::string program;          ///< path of this program, which some measurements run again
  Log progress = [](const std::string &) {};
  Log note = [](const std::string &) {};

  template <class T> [[nodiscard]] T choose(T if_quick, T if_full) const { return quick ? if_quick : if_full; }
};

struct Measurement {
  const char *name;       ///< key of its rows in JSON, and its name for --filter
  const char *benchmarks; ///< names that --filter chooses from instead; null: there are none
  /// To one CPU while it runs; not if it has processes or threads of its own.
  bool pinned;
  Json (*run)(Session &session);
  std::vector<TextTable> (*tables)(const Json &rows);          ///< not called without rows
  void (*judge)(const Json &rows, Budgets &budgets) = nullptr; ///< the same; null: no budgets
};

/// The values of key(row), each once, in the order in which they appear.
template <class Rows, class Key> auto distinct(const Rows &rows, Key key) {
  std::vector<decltype(key(*rows.begin()))> keys;
  for (const auto &row : rows) {
    if (std::find(keys.begin(), keys.end(), key(row)) == keys.end()) {
      keys.push_back(key(row));
    }
  }
  return keys;
}

/// Number or "-".
inline std::string optional_text(const std::optional<double> &value, const char *format, double scale = 1) {
  return value ? fmt::format(fmt::runtime(format), *value * scale) : std::string("-");
}
inline std::string optional_text(const std::optional<std::uint64_t> &value) {
  return value ? std::to_string(*value) : std::string("-");
}

} // namespace avrankmap::bench

#endif
