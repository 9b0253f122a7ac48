// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/conclusions.h"

#include "papers/conclusions/applications.h"
#include "papers/conclusions/cartesian.h"
#include "papers/conclusions/comparison.h"
#include "papers/conclusions/mapping_models.h"
#include "papers/conclusions/memory.h"
#include "papers/conclusions/noncollective.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "support/statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace avrankmap::bench {
namespace {

using Sentences = std::vector<std::string>;

std::string joined(const std::vector<std::string> &parts, const char *separator = ", ") {
  return fmt::format("{}", fmt::join(parts, separator));
}

Sentences equal_values(const Result &result) { return {equal_to_paper(result.table)}; }

// The pictures in README.md.

/// "a in 7 of 7 rows, b in 1 of 7 (1,024)": schemes of ours that `is_behind` others, and where.
template <class IsBehind> std::vector<std::string> ours_behind(const Table &table, IsBehind is_behind) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> behind;
  for (const std::string &column : table.columns) {
    std::size_t all = 0;
    std::vector<std::string> rows;
    for (const Row &row : table.rows) {
      const Rivals rivals = rivals_in(table, row.label);
      for (const auto &[number, name] : rivals.ours) {
        if (rivals.least && column.ends_with(", " + name)) {
          ++all;
          if (is_behind(number, rivals)) {
            rows.push_back(row.label);
          }
        }
      }
    }
    if (!rows.empty()) {
      behind.push_back(
          fmt::format("{} in {} of {} rows{}", column, rows.size(), all,
                      rows.size() > kMostNamed || rows.size() == all ? "" : fmt::format(" ({})", joined(rows, "; "))));
    }
  }
  return behind;
}

/// Which of ours take more than the least of the others, and what all take in some rows.
Sentences on_rivals_in(const Table &table, const std::vector<std::string> &rows) {
  const std::vector<std::string> larger =
      ours_behind(table, [](double ours, const Rivals &rivals) { return ours > rivals.least->first; });
  std::vector<std::string> parts{
      larger.empty() ? "Ours take less than all others in all rows"
                     : fmt::format("The least of the others is exceeded by {}", joined(larger, " and "))};
  for (const std::string &row : rows) {
    const Rivals rivals = rivals_in(table, row);
    std::vector<std::string> ours;
    for (const auto &[bytes, name] : rivals.ours) {
      ours.push_back(fmt::format("{} {}", name, number_text(bytes)));
    }
    if (rivals.least && !ours.empty()) {
      parts.push_back(fmt::format("with {} processes the least is {} bytes ({}), the most {} ({}), ours {}", row,
                                  number_text(rivals.least->first), rivals.least->second,
                                  number_text(rivals.most->first), rivals.most->second, joined(ours)));
    }
  }
  return parts.size() == 1 ? Sentences() : Sentences{joined(parts, "; ") + "."};
}

Sentences on_bytes_per_process(const Result &result) {
  return result.table.rows.empty()
             ? Sentences()
             : on_rivals_in(result.table, {result.table.rows.back().label, result.table.rows.front().label});
}

/// Without the rows per node, which are those per process times a number.
Sentences on_whole_device(const Result &result) {
  const Table table =
      without_rows(result.table, [](const Row &row) { return row.label.find("node") != std::string::npos; });
  return on_rivals_in(table, {"786,432", "1,024", "100,000,000"});
}

/// Names each of our rates that is below the highest rate of the other systems.
Sentences on_whole_device_rate(const Result &result) {
  std::vector<std::string> slower;
  for (const Row &row : result.table.rows) {
    const Rivals rivals = rivals_in(result.table, row.label);
    for (const auto &[rate, name] : rivals.ours) {
      if (rivals.most && rate < rivals.most->first) {
        slower.push_back(fmt::format("{} with {} processes ({}; {} {})", name, row.label, number_text(rate),
                                     rivals.most->second, number_text(rivals.most->first)));
      }
    }
  }
  if (result.table.rows.empty()) {
    return {};
  }
  return {slower.empty() ? "Ours are at least as fast as all others in all rows."
                         : fmt::format("Slower than the fastest of the others: {}.", joined(slower))};
}

// The AV-Rankmap paper.

Sentences on_child_models(const Result &result) {
  const auto ends_with = [](const char *setting) {
    return [=](const Row &row) { return !row.label.ends_with(setting); };
  };
  const Table literal =
      without_rows(result.table, [](const Row &row) { return row.label.find(", ") != std::string::npos; });
  const Table scanned = without_rows(result.table, ends_with(", step 3"));
  const Table all_forms = without_rows(result.table, ends_with(", all forms"));
  int cells = 0;
  int others = 0;
  for (std::size_t row = 0; row < std::min(scanned.rows.size(), all_forms.rows.size()); ++row) {
    for (const std::string &column : result.table.columns) {
      ++cells;
      others += word_here(find_cell(scanned, scanned.rows[row].label, column)) !=
                word_here(find_cell(all_forms, all_forms.rows[row].label, column));
    }
  }
  return {fmt::format("Steps 1 and 2: {}", equal_to_paper(literal)), fmt::format("Step 3: {}", equal_to_paper(scanned)),
          fmt::format("With all forms {} of {} models are others than after step 3.", others, cells)};
}

Sentences on_instruction_counts(const Result &result) {
  if (result.table.rows.empty()) {
    return {};
  }
  return {lower_than_paper(result.table),
          fmt::format("Ours takes {} instructions.", range_text(numbers_of_row(result.table, "ours")))};
}

Sentences on_cache_misses(const Result &result) {
  constexpr double kPuts = 8e6;
  Sentences sentences;
  for (const Row &row : result.table.rows) {
    if (row.label.rfind("L1D", 0) != 0 || row.label.find("ranks") == std::string::npos) {
      continue;
    }
    const auto ours = number_here(result.table, row.label, "stride");
    for (const char *const other : {"Baseline (VC-VCRT)", "VC-VCRT, inlined"}) {
      const auto theirs = number_here(result.table, row.label, other);
      if (theirs && ours) {
        sentences.push_back(fmt::format("{}: a put misses {} times in {}, {} times in our stride map.", row.label,
                                        number_text(*theirs / kPuts), other, number_text(*ours / kPuts)));
      }
    }
  }
  return sentences;
}

Sentences on_issue_rates(const Result &result) {
  Sentences sentences;
  // VC-VCRT calls a function per operation, as MPICH 3.2 does; inlined it is compared without.
  for (const char *const scheme : {"VC-VCRT", "VC-VCRT, inlined"}) {
    std::vector<double> ratios;
    std::vector<std::string> behind;
    for (const Row &row : result.table.rows) {
      if (row.label.rfind(fmt::format("over {} (", scheme), 0) != 0) {
        continue;
      }
      for (const std::string &column : result.table.columns) {
        if (const auto ratio = number_here(result.table, row.label, column)) {
          ratios.push_back(*ratio);
          if (*ratio < 1) {
            behind.push_back(
                fmt::format("{} {} ({})", column, row.label.substr(row.label.find('(')), number_text(*ratio)));
          }
        }
      }
    }
    if (!ratios.empty()) {
      sentences.push_back(
          fmt::format("On the null network {} of {} maps are at least as fast as {} ({} of its rate){}.",
                      ratios.size() - behind.size(), ratios.size(), scheme, range_text(ratios),
                      behind.empty() ? "" : "; slower: " + joined(behind)));
    }
  }
  const auto on_networks = [&](const char *ending, const char *what, const char *others) {
    std::vector<double> ratios;
    for (const Row &row : result.table.rows) {
      if (row.label.ends_with(ending)) {
        const std::vector<double> more = numbers_of_row(result.table, row.label);
        ratios.insert(ratios.end(), more.begin(), more.end());
      }
    }
    if (!ratios.empty()) {
      sentences.push_back(fmt::format("On networks {} {} of {}, {} in the middle of {}.", what, range_text(ratios),
                                      others, number_text(median(ratios)), ratios.size()));
    }
  };
  on_networks(kOverVcVcrtOnNetwork, "rates are", "VC-VCRT's");
  on_networks(kOfKnownAddresses, "rates are", "those with addresses known beforehand");
  on_networks(kIssuingOnNetwork, "a put takes", "the processor time that it takes with VC-VCRT");
  return sentences;
}

Sentences on_dispatch_rates(const Result &result) {
  std::vector<std::string> means;
  for (const char *const way : {"switch", "hybrid", "ours"}) {
    const std::string label = fmt::format("{}, over VC-VCRT", way);
    const std::vector<double> ratios = numbers_of_row(result.table, label);
    double sum = 0;
    for (const double ratio : ratios) {
      sum += ratio;
    }
    if (!ratios.empty()) {
      means.push_back(fmt::format("{} {}", label, number_text(sum / static_cast<double>(ratios.size()))));
    }
  }
  return means.empty() ? Sentences() : Sentences{fmt::format("Means of the last rows: {}.", joined(means, "; "))};
}

Sentences on_creation(const Result &result) {
  Sentences sentences;
  for (const auto &[column, kind] :
       {std::pair(kTableMapsOver, "a table AV"), std::pair(kImplicitMapsOver, "an implicit AV")}) {
    if (const std::vector<double> ratios = numbers_of_column(result.table, column); !ratios.empty()) {
      sentences.push_back(fmt::format("The maps of ours with {} take {} of the time of VC-VCRT's and are faster in {} "
                                      "rows.",
                                      kind, range_text(ratios), below_one(ratios)));
    }
  }
  const std::vector<double> strict = numbers_of_column(result.table, kStrictWhole);
  const std::vector<double> ours_whole = numbers_of_column(result.table, kOursWhole);
  if (!strict.empty() && !ours_whole.empty()) {
    sentences.push_back(fmt::format("Whole creations of real processes take {} % more time with strict maps than "
                                    "with VC-VCRT's, and {} % with ours over a table AV.",
                                    range_text(strict), range_text(ours_whole)));
  }
  return sentences;
}

Sentences on_generations(const Result &result) {
  Sentences sentences;
  const std::size_t generations = result.table.columns.size();
  for (const std::size_t place : {std::size_t{0}, generations - 1}) {
    if (generations == 0 || (place == 0 && generations == 1)) {
      continue;
    }
    const std::string &generation = result.table.columns[place];
    std::vector<std::string> ratios;
    for (const Row &row : result.table.rows) {
      if (const auto ratio = number_here(result.table, row.label, generation);
          ratio && row.label != "Open MPI, default") {
        ratios.push_back(fmt::format("{} {}", row.label, number_text(*ratio)));
      }
    }
    if (!ratios.empty()) {
      sentences.push_back(fmt::format("Generation {}: {}.", generation, joined(ratios, "; ")));
    }
  }
  return sentences;
}

// Why Is MPI So Slow?

Sentences on_breakdown(const Result &result) {
  return {lower_than_paper(without_rows(result.table, [](const Row &row) { return row.label == "in all"; }))};
}

Sentences on_counts(const Result &result) {
  return {lower_than_paper(
      without_rows(result.table, [](const Row &row) { return row.label.find("less than") != std::string::npos; }))};
}

/// The leanest build's rates over those of the default one, the first and last row of ours.
Sentences on_build_rates(const Result &result) {
  std::vector<std::string> gains;
  for (const std::string &column : result.table.columns) {
    const auto first = number_here(result.table, "ours (default)", column);
    const auto last = number_here(result.table, "ours (no-err-single-ipo)", column);
    if (column.find(", ") == std::string::npos && first && last && *first != 0) {
      gains.push_back(fmt::format("{} {}", column, number_text(*last / *first)));
    }
  }
  return gains.empty()
             ? Sentences()
             : Sentences{fmt::format("The printed rates of the leanest build divided by those of the default one: {}.",
                                     joined(gains))};
}

/// Whether each build is faster than the one before: not if 1 lies within the middle half of the
/// rounds. These are medians of ratios, so that no printed rates are divided here.
Sentences on_fast_network_rates(const Result &result) {
  Sentences sentences;
  for (const std::string operation : {"isend", "put"}) {
    std::vector<std::string> steps;
    for (const Row &row : result.table.rows) {
      const auto number = [&](const char *part) { return number_here(result.table, row.label, operation + part); };
      const auto middle = number(kOverBuildAbove);
      const auto low = number(kLowerQuartile);
      const auto high = number(kUpperQuartile);
      if (middle && low && high) {
        const char *const verdict = *low > 1    ? "faster"
                                    : *high < 1 ? "slower"
                                                : "no faster or slower than the rounds scatter";
        steps.push_back(fmt::format("{} {} ({})", row.label, verdict, number_text(*middle)));
      }
    }
    if (!steps.empty()) {
      sentences.push_back(fmt::format("{} compared with the build above, by the median ratio of the rounds: {}.",
                                      operation, joined(steps)));
    }
  }
  return sentences;
}

Sentences on_proposals(const Result &result) {
  Table saved = result.table;
  for (Row &row : saved.rows) {
    for (std::size_t i = 0; i < saved.columns.size(); ++i) {
      if (saved.columns[i].find("saved") == std::string::npos) {
        row.cells.at(i) = {};
      }
    }
  }
  const Comparison comparison = compare_with_paper(saved);
  Sentences sentences{fmt::format("{} of {} savings are lower than the paper's, {} equal it.", comparison.lower,
                                  comparison.cells, comparison.equal)};
  const std::string rate = "isend, million/s";
  const auto base = number_here(result.table, "no-err-single-ipo", rate);
  std::vector<std::string> slower;
  for (const Row &row : result.table.rows) {
    if (const auto own = number_here(result.table, row.label, rate); base && own && *own < *base) {
      slower.push_back(row.label);
    }
  }
  if (!slower.empty()) {
    sentences.push_back(fmt::format("Slower than no-err-single-ipo: {}.", joined(slower)));
  }
  return sentences;
}

struct Conclusion {
  const char *id;
  Sentences (*sentences)(const Result &result);
};
constexpr Conclusion kConclusions[] = {
    {"bytes-per-process", on_bytes_per_process},
    {"whole-device", on_whole_device},
    {"whole-device-rate", on_whole_device_rate},
    {"000/table1", on_mapping_models},
    {"000/table2", on_child_models},
    {"000/table3", on_instruction_counts},
    {"000/table4", on_cache_misses},
    {"000/table5", on_issue_rates},
    {"000/figure1", equal_values},
    {"000/figure9", on_growth},
    {"000/figure10", on_dup_growth},
    {"000/figure11", on_growth},
    {"000/figure12", on_growth},
    {"000/figure13", on_growth},
    {"000/figure14", on_dynamic_growth},
    {"000/figure15", on_creation},
    {"000/figure16", on_creation},
    {"000/figure18", on_miniapps},
    {"000/figure19", on_generations},
    {"001/table6", on_dispatch_rates},
    {"001/table7", on_issue_rates},
    {"001/figure17", on_miniapps_growth},
    {"002/table1", on_fft},
    {"002/table2", on_amg},
    {"002/figure2", equal_values},
    {"002/figure3", on_torus},
    {"002/figure4", on_ping_pong},
    {"002/figure5", on_near_neighbours},
    {"002/figure6", on_multi_hop},
    {"003/table1", on_breakdown},
    {"003/figure2", on_counts},
    {"003/figure3", on_build_rates},
    {"003/figure4", on_build_rates},
    {"003/figure5", on_fast_network_rates},
    {"003/figure6", on_proposals},
    {"003/figure7", on_mass_inversion},
    {"003/figure8", on_lennard_jones},
    {"004/table1", on_chain_regroupings},
    {"004/figure1", on_group_creation},
    {"004/figure2", on_chain_scaling},
};

} // namespace

std::vector<std::string> conclude(const std::string &id, const Result &result) {
  const auto found = std::find_if(std::begin(kConclusions), std::end(kConclusions),
                                  [&](const Conclusion &conclusion) { return conclusion.id == id; });
  return found == std::end(kConclusions) ? Sentences() : found->sentences(result);
}

} // namespace avrankmap::bench
