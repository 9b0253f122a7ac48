// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"
#include "harness/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <utility>

namespace avrankmap::bench {
namespace {

/// Mode and bytes; both settings where they are not the same.
std::string cell(const SurveyMode &mode) {
  const auto text = [](const ModeAndBytes &map) { return fmt::format("{} {}", map.mode, map.bytes); };
  return mode.strict == mode.extended ? text(mode.strict)
                                      : fmt::format("{} -> {}", text(mode.strict), text(mode.extended));
}

} // namespace

std::string forms_text(const std::vector<Form> &forms) {
  if (forms.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"communicator", "mode", "bytes", "as a table", "rate / table", "chained", "in bulk"});
  for (const Form &form : forms) {
    table.row({form.name, form.mode, std::to_string(form.bytes), std::to_string(form.bytes_lut),
               fmt::format("{:.2f}x", form.rate_vs_lut), fmt::format("{:.2f}x", form.chained_vs_lut),
               fmt::format("{:.2f}x", form.bulk_vs_lut)});
  }
  return "\nCompressed forms: bytes of a map, and translations in random order over those of the plain table: one by "
         "one,\n"
         "each waiting for the one before, and in one call\n" +
         table.text();
}

std::string caches_text(const std::vector<CacheRate> &rates) {
  if (rates.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"neighbours", "scheme", "hits", "ns", "ns, ours", "ours / theirs"});
  std::string last;
  for (const CacheRate &rate : rates) {
    const std::string exchange = rate.hops == 0
                                     ? fmt::format("{} {}", rate.neighbours, rate.order)
                                     : fmt::format("{} {}, all within {}", rate.neighbours, rate.order, rate.hops);
    const std::uint64_t lookups = rate.hits + rate.misses;
    table.row({exchange == last ? "" : exchange, rate.scheme,
               lookups == 0
                   ? "-"
                   : fmt::format("{:.1f} %", 100 * static_cast<double>(rate.hits) / static_cast<double>(lookups)),
               fmt::format("{:.2f}", rate.nanoseconds), fmt::format("{:.2f}", rate.nanoseconds_ours),
               fmt::format("{:.2f}x", rate.ours_over_theirs)});
    last = exchange;
  }
  return "\n3-D Cartesian translation, rank to address word, beside the n-D Cartesian compression paper's mapping "
         "function\n"
         "and caches: 16 x 16 x 16 processes out of 128 x 96 x 64\n" +
         table.text();
}

std::string torus_splits_text(const std::vector<TorusSplit> &splits) {
  if (splits.empty()) {
    return {};
  }
  TextTable table(1);
  table.row({"torus", "processes", "communicators", "bytes", "as tables", "checked", "creation"});
  for (const TorusSplit &split : splits) {
    table.row({fmt::format("{}", fmt::join(split.extents, " x ")), std::to_string(split.processes),
               std::to_string(split.communicators), std::to_string(split.bytes), std::to_string(split.bytes_table),
               std::to_string(split.checked), fmt::format("{:.2f} s", split.seconds)});
  }
  return "\nA torus split along each dimension at each point (n-D Cartesian compression paper, Figure 3, and "
         "extrapolated):\n"
         "bytes of all maps of one process\n" +
         table.text();
}

std::string survey_modes_text(const std::vector<SurveyMode> &modes) {
  if (modes.empty()) {
    return {};
  }
  constexpr std::size_t kParts = 3;
  TextTable table(5);
  table.row({"", "communicator", "itself", "node", "node roots"});
  std::string application;
  for (std::size_t i = 0; i + kParts <= modes.size(); i += kParts) {
    const SurveyMode &first = modes[i];
    const bool is_new = std::exchange(application, first.application) != first.application;
    table.row({is_new ? first.application : "",
               first.copies == 1 ? first.communicator : fmt::format("{} x {}", first.copies, first.communicator),
               cell(first), cell(modes[i + 1]), cell(modes[i + 2])});
  }
  return "\nSurvey: mode and bytes of each communicator; strict -> extended where they differ\n" + table.text();
}

} // namespace avrankmap::bench
