// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/noncollective.h"

#include "papers/conclusions/comparison.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace avrankmap::bench {
namespace {

using Sentences = std::vector<std::string>;

constexpr const char *kParent = "by the parent";

/// Rows of one quantity: "8 of 32 real, us" for "real, us".
std::vector<Row> rows_of(const Table &table, const std::string &quantity) {
  std::vector<Row> rows;
  for (const Row &row : table.rows) {
    const std::string end = " " + quantity;
    if (row.label.size() > end.size() && row.label.compare(row.label.size() - end.size(), end.size(), end) == 0) {
      rows.push_back(row);
    }
  }
  return rows;
}

/// Up to which size of the group a way needs less than the parent, without a gap.
std::string extent(const Table &table, const std::vector<Row> &rows, const std::string &way) {
  std::string most;
  for (const Row &row : rows) {
    const auto own = number_here(table, row.label, way);
    const auto parent = number_here(table, row.label, kParent);
    if (!own || !parent || *own >= *parent) {
      return most.empty() ? fmt::format("{} with no group", way) : fmt::format("{} up to {} members", way, most);
    }
    most = row.label.substr(0, row.label.find(' '));
  }
  return fmt::format("{} with every group", way);
}

/// The most of the time of `none` that a row saves whose label begins so, in per cent.
std::optional<double> saved(const Table &table, const std::string &column, const std::string &none,
                            const std::string &beginning) {
  const auto whole = number_here(table, none, column);
  std::optional<double> least;
  for (const Row &row : table.rows) {
    const auto seconds = number_here(table, row.label, column);
    if (row.label.rfind(beginning, 0) == 0 && seconds && (!least || *seconds < *least)) {
      least = seconds;
    }
  }
  return least && whole ? std::optional(100 * (1 - *least / *whole)) : std::nullopt;
}

/// Saved by what saves `more` in comparison with what saves `less`.
double saved_over(double more, double less) { return 100 * (1 - (100 - more) / (100 - less)); }

} // namespace

std::vector<std::string> on_group_creation(const Result &result) {
  const Table &table = result.table;
  Sentences sentences;
  for (const auto &[quantity, beginning] : {std::pair("simulated, us", "Simulated, faster than by the parent"),
                                            std::pair("real, us", "Real, faster than by the parent"),
                                            std::pair("simulated, messages", "Fewer messages in all")}) {
    const std::vector<Row> rows = rows_of(table, quantity);
    std::vector<std::string> parts;
    for (const std::string &way : table.columns) {
      if (way != kParent) {
        parts.push_back(extent(table, rows, way));
      }
    }
    if (!rows.empty() && !parts.empty()) {
      sentences.push_back(fmt::format("{}: {}.", beginning, fmt::join(parts, "; ")));
    }
  }
  const std::vector<Row> times = rows_of(table, "simulated, us");
  std::vector<double> by_parent;
  for (const Row &row : times) {
    if (const auto time = number_here(table, row.label, kParent)) {
      by_parent.push_back(*time);
    }
  }
  if (!by_parent.empty()) {
    const std::string &last = times.back().label;
    const auto merging = number_here(table, last, "merging step by step");
    const auto members = number_here(table, last, "by its members");
    const std::string times_of_merging =
        merging && members
            ? fmt::format("; {} take {} us by merging, {} us by themselves", last.substr(0, last.find(" simulated")),
                          number_text(*merging), number_text(*members))
            : "";
    sentences.push_back(fmt::format("By the parent all sizes take {} us{}.", range_text(by_parent), times_of_merging));
  }
  return sentences;
}

std::vector<std::string> on_chain_scaling(const Result &result) {
  const Table &table = result.table;
  if (table.columns.empty()) {
    return {};
  }
  Sentences sentences;
  const std::string &last = table.columns.back();
  const auto to_right = saved(table, last, "none", "asynchronous, to the right");
  const auto to_work = saved(table, last, "none", "asynchronous, to work");
  const auto collective = saved(table, last, "none", "collective");
  if (to_right && to_work && collective) {
    sentences.push_back(fmt::format("With {} processes asynchronous balancing saves {:.0f} % of the time without "
                                    "balancing if a group joins the one "
                                    "to its right, {:.0f} % if it joins the next one with work left (the paper: over "
                                    "40 %), the best collective one "
                                    "{:.0f} % (about 15 %).",
                                    last, *to_right, *to_work, *collective));
    sentences.push_back(fmt::format("To the right saves {:.0f} % of the time of the best collective one (the paper: "
                                    "over 30 %).",
                                    saved_over(*to_right, *collective)));
  }
  const auto ideal = number_here(table, "ideal", last);
  const auto right = number_here(table, "asynchronous, to the right", last);
  if (ideal && right) {
    sentences.push_back(fmt::format("To the right takes {:.3f} s more than the ideal; the paper's bound for looking "
                                    "for requests after each item is (P - 1) T / G = 0.175 s, for its P of 8.",
                                    *right - *ideal));
  }
  const std::string &first = table.columns.front();
  const std::string real = "real processes: ";
  const auto real_right = saved(table, first, real + "none", real + "asynchronous, to the right");
  const auto real_work = saved(table, first, real + "none", real + "asynchronous, to work");
  const auto real_collective = saved(table, first, real + "none", real + "collective");
  if (real_right && real_work && real_collective) {
    sentences.push_back(fmt::format("With {} real processes asynchronous balancing saves {:.0f} % to the right and "
                                    "{:.0f} % to work, the best collective one {:.0f} %; to the right {:.0f} % of the "
                                    "time of that.",
                                    first, *real_right, *real_work, *real_collective,
                                    saved_over(*real_right, *real_collective)));
  }
  return sentences;
}

std::vector<std::string> on_chain_regroupings(const Result &result) {
  Sentences sentences{equal_to_paper(result.table)};
  const auto at_once = number_here(result.table, "Async.", "Avg.");
  const auto paper = number_of_paper(result.table, "Async.", "Avg.");
  std::vector<std::string> within;
  for (const Row &row : result.table.rows) {
    const std::string beginning = "Async., within ";
    const auto mean = number_here(result.table, row.label, "Avg.");
    if (mean && row.label.rfind(beginning, 0) == 0) {
      within.push_back(fmt::format("{:.2f} within {}", *mean, row.label.substr(beginning.size())));
    }
  }
  if (at_once && paper && !within.empty()) {
    sentences.push_back(fmt::format("Async. takes {:.2f} regroupings if all groups begin at once, {} (the paper: {}).",
                                    *at_once, fmt::join(within, ", "), *paper));
  }
  std::vector<std::string> pairs;
  for (const Row &row : result.table.rows) {
    const std::size_t at = row.label.find(" real processes");
    if (at == std::string::npos) {
      continue;
    }
    const auto real = number_here(result.table, row.label, "Avg.");
    const auto simulated = number_here(result.table, row.label.substr(0, at) + " simulated processes", "Avg.");
    if (real && simulated) {
      pairs.push_back(fmt::format("{} {}, {} simulated", row.label, number_text(*real), number_text(*simulated)));
    }
  }
  if (!pairs.empty()) {
    sentences.push_back(
        fmt::format("Regroupings of real processes and of as many simulated ones: {}.", fmt::join(pairs, "; ")));
  }
  return sentences;
}

} // namespace avrankmap::bench
