// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/memory.h"

#include "papers/conclusions/comparison.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace avrankmap::bench {

using Sentences = std::vector<std::string>;

Sentences on_growth(const Result &result) {
  const std::string factors =
      times_as_much(result.table, "100 communicators, MiB", "VC-VCRT",
                    std::array<std::string, 3>{"AV-Rankmap (strict)", "ours, table AV", "ours, implicit AV"});
  Sentences sentences;
  if (!factors.empty()) {
    sentences.push_back(fmt::format("With 100 communicators VC-VCRT takes {}.", factors));
  }
  const std::string addresses =
      times_as_much(result.table, "addresses, MiB", "VC-VCRT", std::array<std::string, 1>{"AV-Rankmap (strict)"});
  if (!addresses.empty()) {
    sentences.push_back(fmt::format("Its addresses take {}; in the paper 40 times, 480 bytes and 12.", addresses));
  }
  return sentences;
}

Sentences on_dup_growth(const Result &result) {
  Sentences sentences = on_growth(result);
  for (const char *const theirs : {"VC-VCRT", "VC-VCRT, tables of 4 bytes (computed)"}) {
    const auto all = number_here(result.table, theirs, "100 communicators, MiB");
    const auto addresses = number_here(result.table, theirs, "addresses, MiB");
    if (all && addresses) {
      sentences.push_back(fmt::format("With 100 duplicates addresses are {} % of all bytes of {}; in the paper nearly "
                                      "95 %.",
                                      number_text(*addresses / *all * 100), theirs));
    }
  }
  return sentences;
}

Sentences on_miniapps(const Result &result) {
  constexpr const char *kColumn = "VC-VCRT, maps, bytes";
  const auto nekbone = number_here(result.table, "Nekbone", kColumn);
  std::vector<double> ratios;
  for (const Row &row : result.table.rows) {
    const auto other = number_here(result.table, row.label, kColumn);
    if (nekbone && other && row.label != "Nekbone") {
      ratios.push_back(*nekbone / *other);
    }
  }
  return ratios.empty() ? Sentences()
                        : Sentences{fmt::format("Nekbone's VCRTs take {} times the bytes of the others'; in the paper "
                                                "about 1.5 times.",
                                                range_text(ratios))};
}

Sentences on_dynamic_growth(const Result &result) {
  Sentences sentences = on_growth(result);
  const auto strict = number_here(result.table, "AV-Rankmap (strict)", "100 communicators, MiB");
  for (const char *const theirs : {"VC-VCRT", "VC-VCRT, tables of 4 bytes (computed)"}) {
    const auto bytes = number_here(result.table, theirs, "100 communicators, MiB");
    if (strict && bytes) {
      sentences.push_back(fmt::format("With 100 communicators AV-Rankmap (strict) takes {} than {}.",
                                      *strict > *bytes ? "more" : "no more", theirs));
    }
  }
  return sentences;
}

Sentences on_miniapps_growth(const Result &result) {
  std::vector<double> first;
  std::vector<double> last;
  std::optional<std::pair<double, double>> sizes;
  for (const Plot &plot : result.plots) {
    for (const Series &series : plot.series) {
      if (series.ours && !series.points.empty()) {
        first.push_back(series.points.front().second);
        last.push_back(series.points.back().second);
        sizes = {series.points.front().first, series.points.back().first};
      }
    }
  }
  Sentences sentences;
  if (sizes) {
    sentences.push_back(fmt::format("Our maps of one application take {} bytes with {} processes and {} bytes with {}.",
                                    range_text(first), number_text(sizes->first), range_text(last),
                                    number_text(sizes->second)));
  }
  const std::vector<double> with_16k = numbers_of_column(result.table, "VC-VCRT, MiB", ", 16,384 processes");
  const std::vector<double> with_32k = numbers_of_column(result.table, "VC-VCRT, MiB", ", 32,768 processes");
  if (!with_16k.empty() && !with_32k.empty()) {
    sentences.push_back(fmt::format("The paper's 15 MB for 16K processes: VC-VCRT takes {} MiB with 16,384 processes "
                                    "and {} MiB with 32,768.",
                                    range_text(with_16k), range_text(with_32k)));
  }
  const auto nekbone = number_here(result.table, "Nekbone, 524,288 processes", "VCRTs, direct, bytes");
  const auto amg = number_here(result.table, "AMG2013, 524,288 processes", "VCRTs, direct, bytes");
  if (nekbone && amg) {
    sentences.push_back(fmt::format("Nekbone's VCRTs of direct maps take {} times the bytes of AMG2013's with 524,288 "
                                    "processes; in the paper almost as many.",
                                    number_text(*nekbone / *amg)));
  }
  return sentences;
}

} // namespace avrankmap::bench
