// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/cartesian.h"

#include "papers/conclusions/comparison.h"
#include "papers/conclusions/conclusions.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace avrankmap::bench {
namespace {

using Sentences = std::vector<std::string>;

/// A column of ratios and its name in a sentence.
using Way = std::pair<std::string, const char *>;

/// What ways take of the plain table's, over all rows of ratios between real processes; then
/// how far a second plain table is from the first one, and which are beyond that.
Sentences on_ratios(const Table &table, const char *what, std::span<const Way> ways, const std::string &again) {
  const std::vector<double> chance = numbers_of_column(table, again, kRealOverTable);
  if (chance.empty()) {
    return {};
  }
  const auto distance = [](const std::vector<double> &ratios) {
    double most = 0;
    for (const double ratio : ratios) {
      most = std::max(most, std::abs(std::stod(fmt::format("{:.3g}", ratio)) - 1)); // as printed
    }
    return most;
  };
  std::string parts;
  std::string beyond;
  for (const auto &[column, name] : ways) {
    const std::vector<double> ratios = numbers_of_column(table, column, kRealOverTable);
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, range_text(ratios));
    if (distance(ratios) > distance(chance)) {
      beyond += fmt::format("{}{}", beyond.empty() ? "" : ", ", name);
    }
  }
  return {fmt::format("Between real processes {} over the plain table: {}; the plain table a second time {}.", what,
                      parts, range_text(chance)),
          fmt::format("In some row farther from 1 than that is in any: {}.", beyond.empty() ? "nothing" : beyond)};
}

void append(Sentences &sentences, Sentences others) { sentences.insert(sentences.end(), others.begin(), others.end()); }

Sentences on_exchange(const Result &result) {
  const std::vector<double> ratios = numbers_of_column(result.table, kOverPaperCache);
  Sentences sentences{fmt::format("Ours takes {} of the time of the 128 x 8 cache and is faster in {} rows.",
                                  range_text(ratios), below_one(ratios))};
  const Way ways[] = {
      {"mapping function", "mapping function"}, {"linear 16", "linear 16"}, {"128 x 8", "128 x 8"}, {"ours", "ours"}};
  append(sentences, on_ratios(result.table, "an exchange takes", ways, "plain table, again"));
  return sentences;
}

/// The paper's values of V1R2M0 and of its cache in a row, both as numbers.
std::optional<double> cache_over_table(const Table &table, const std::string &row, const char *column) {
  const auto whole = number_of_paper(table, row, fmt::format("V1R2M0 {}", column));
  const auto cached = number_of_paper(table, row, fmt::format("2D Caching {}", column));
  return whole && cached ? std::optional(100 * (*cached / *whole - 1)) : std::nullopt;
}

/// "4.493 e9"
std::optional<double> printed_merit(const Table &table, const std::string &row, const std::string &column) {
  const Cell *const cell = find_cell(table, row, column);
  const auto *const text = cell == nullptr ? nullptr : std::get_if<std::string>(&cell->paper);
  return text == nullptr ? std::nullopt : std::optional(std::stod(*text));
}

} // namespace

std::vector<std::string> on_fft(const Result &result) {
  Sentences sentences;
  const auto small = cache_over_table(result.table, "512", "Run");
  const auto large = cache_over_table(result.table, "1024", "Run");
  if (small && large) {
    sentences.push_back(
        fmt::format("The paper's cache costs {:.1f} % of Run at N = 512 and {:.1f} % at 1024.", *small, *large));
  }
  const Way ways[] = {{"No Caching Comm", "No Caching"}, {"2D Caching Comm", "2D Caching"}, {"ours Comm", "ours"}};
  append(sentences, on_ratios(result.table, "Comm takes", ways, "again Comm"));
  return sentences;
}

std::vector<std::string> on_amg(const Result &result) {
  Sentences sentences;
  std::string parts;
  for (const char *const row : {"512, 16384", "256, 8192"}) {
    const auto table = printed_merit(result.table, row, "V1R2M0");
    const auto cached = printed_merit(result.table, row, "2D Caching");
    if (table && cached) {
      parts += fmt::format("{}{:+.1f} % in row {}", parts.empty() ? "" : "; ", 100 * (*cached / *table - 1), row);
    }
  }
  if (!parts.empty()) {
    sentences.push_back(fmt::format("The paper's table has its cache's figure of merit at {} (its text: better on 256 "
                                    "nodes, within 0.3 % on 512).",
                                    parts));
  }
  const Way ways[] = {{"No Caching", "No Caching"}, {"2D Caching", "2D Caching"}, {"ours", "ours"}};
  append(sentences, on_ratios(result.table, "the figure of merit is", ways, "again"));
  return sentences;
}

/// On the last size for which the paper states both values, and on the one that it extrapolates.
std::vector<std::string> on_torus(const Result &result) {
  constexpr const char *kTables = "plain tables, MB";
  const Table &table = result.table;
  Sentences sentences;
  for (auto row = table.rows.rbegin(); row != table.rows.rend(); ++row) {
    const auto paper_plain = number_of_paper(table, row->label, kTables);
    const auto paper_compressed = number_of_paper(table, row->label, kRectangles);
    const auto here = number_here(table, row->label, kTables);
    const auto rectangles = number_here(table, row->label, kRectangles);
    if (paper_plain && paper_compressed && here && rectangles) {
      sentences.push_back(fmt::format(
          "With {} nodes that paper's scheme saves {} MB of the plain tables here; the paper saves {} MB, from {} to "
          "{}, {} times less.",
          row->label, number_text(*here - *rectangles), number_text(*paper_plain - *paper_compressed),
          number_text(*paper_plain), number_text(*paper_compressed), number_text(*paper_plain / *paper_compressed)));
      break;
    }
  }
  constexpr double kStated = 2000;    // MB, of all communicators of the last row
  constexpr double kStatedOfOne = 64; // MB, of one communicator of so many ranks
  const std::string last = table.rows.empty() ? "" : table.rows.back().label;
  const auto here = number_here(table, last, kTables);
  const auto communicators = number_here(table, last, "communicators");
  if (last.ends_with(" processes") && here && communicators) {
    sentences.push_back(
        fmt::format("{}: the paper states 64 MB for one table of all ranks (section 3), of which its {} communicators "
                    "would take {} MB, {} times its 2 GB; those here have {} MB each on average.",
                    last, number_text(*communicators), number_text(kStatedOfOne * *communicators),
                    number_text(kStatedOfOne * *communicators / kStated), number_text(*here / *communicators)));
  }
  return sentences;
}

std::vector<std::string> on_ping_pong(const Result &result) {
  std::vector<double> ratios;
  for (const Plot &plot : result.plots) {
    const auto named = [&](const char *name) {
      return std::find_if(plot.series.begin(), plot.series.end(), [&](const Series &s) { return s.name == name; });
    };
    const auto ours = named("ours");
    const auto table = named("plain table");
    if (ours == plot.series.end() || table == plot.series.end()) {
      continue;
    }
    for (std::size_t i = 0; i < std::min(ours->points.size(), table->points.size()); ++i) {
      ratios.push_back(ours->points[i].second / table->points[i].second);
    }
  }
  return ratios.empty()
             ? Sentences()
             : Sentences{fmt::format("Over all sizes ours takes {} of the plain table's latency.", range_text(ratios))};
}

std::vector<std::string> on_near_neighbours(const Result &result) { return on_exchange(result); }

std::vector<std::string> on_multi_hop(const Result &result) {
  Sentences sentences = on_exchange(result);
  constexpr const char *kHits = "hits of 128 x 8, %";
  const auto by_nodes = number_here(result.table, fmt::format("728 neighbours{}", kByNodes), kHits);
  const auto by_rows = number_here(result.table, fmt::format("728 neighbours{}", kByRows), kHits);
  if (by_nodes && by_rows) {
    sentences.push_back(fmt::format(
        "The cache finds {:.1f} % of 728 neighbours if ranks are numbered by nodes, {:.1f} % "
        "if row by row; {} is nearer to the paper's 60 %.",
        *by_nodes, *by_rows, std::abs(*by_nodes - 60) < std::abs(*by_rows - 60) ? "the former" : "the latter"));
  }
  return sentences;
}

} // namespace avrankmap::bench
