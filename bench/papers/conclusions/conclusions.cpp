// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/conclusions.h"

#include "papers/conclusions/applications.h"
#include "papers/conclusions/cartesian.h"
#include "papers/conclusions/comparison.h"
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

namespace avrankmap::bench {
namespace {

using Sentences = std::vector<std::string>;

std::string joined(const std::vector<std::string> &parts, const char *separator = ", ") {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string word_here(const Cell *cell) {
  const auto *const word = cell == nullptr ? nullptr : std::get_if<std::string>(&cell->here);
  return word == nullptr ? "" : *word;
}

/// Of a cell that may be marked as projected: "~1,234".
std::optional<double> marked_number(const Cell *cell) {
  std::string digits = word_here(cell);
  std::erase_if(digits, [](char c) { return c == '~' || c == ','; });
  return digits.empty() ? std::nullopt : std::optional(std::stod(digits));
}

/// A table without some rows.
template <class Unwanted> Table without_rows(Table table, Unwanted unwanted) {
  std::erase_if(table.rows, unwanted);
  return table;
}

Sentences equal_values(const Result &result) { return {equal_to_paper(result.table)}; }

// The pictures in README.md.

constexpr const char *kImplicit = "avrankmap, implicit AV";

Sentences on_bytes_per_process(const Result &result) {
  if (result.table.rows.empty()) {
    return {};
  }
  const std::string &processes = result.table.rows.back().label;
  const auto ours = number_here(result.table, processes, kImplicit);
  std::vector<double> ratios;
  for (const std::string &column : result.table.columns) {
    const auto theirs = number_here(result.table, processes, column);
    if (column.rfind("avrankmap", 0) != 0 && theirs && ours) {
      ratios.push_back(*theirs / *ours);
    }
  }
  if (ratios.empty()) {
    return {};
  }
  return {fmt::format("With {} processes the others take {} times the bytes of ours with an implicit AV.", processes,
                      range_text(ratios))};
}

Sentences on_whole_device(const Result &result) {
  Sentences sentences;
  for (const char *const processes : {"786,432", "100,000,000"}) {
    const auto ours = marked_number(find_cell(result.table, processes, kImplicit));
    std::vector<double> ratios;
    for (const std::string &column : result.table.columns) {
      const auto theirs = marked_number(find_cell(result.table, processes, column));
      if (column.rfind("avrankmap", 0) != 0 && theirs && ours) {
        ratios.push_back(*theirs / *ours);
      }
    }
    if (!ratios.empty()) {
      sentences.push_back(fmt::format("With {} processes the others take {} times the bytes of ours with an implicit "
                                      "AV.",
                                      processes, range_text(ratios)));
    }
  }
  return sentences;
}

// The AV-Rankmap paper.

/// The applications in whose row one of these columns names a table.
std::vector<std::string> with_tables(const Table &table, std::span<const std::string> columns) {
  std::vector<std::string> names;
  for (const Row &row : table.rows) {
    if (std::any_of(columns.begin(), columns.end(), [&](const std::string &column) {
          return word_here(find_cell(table, row.label, column)).find("lut") != std::string::npos;
        })) {
      names.push_back(row.label);
    }
  }
  return names;
}

std::string count_text(const std::vector<std::string> &names) {
  return names.empty() ? "0" : fmt::format("{} ({})", names.size(), joined(names));
}

/// On the applications that were recorded as they ran.
std::string on_recorded(const Table &recorded) {
  int irregular = 0;
  int joining = 0;
  for (const Row &row : recorded.rows) {
    irregular += word_here(find_cell(recorded, row.label, "split: Irreg.")).empty() ? 0 : 1;
    joining += word_here(find_cell(recorded, row.label, "Intercomm")) == "no call" ? 0 : 1;
  }
  return fmt::format("Of {} recorded runs {} have irregular maps when strict, {} need a table with all forms, and {} "
                     "make intercommunicators.",
                     recorded.rows.size(), irregular,
                     with_tables(recorded, std::array<std::string, 1>{"all forms"}).size(), joining);
}

Sentences on_mapping_models(const Result &result) {
  const auto is_recorded = [](const Row &row) { return row.label.ends_with(kRecorded); };
  const Table table = without_rows(result.table, is_recorded);
  const Table recorded = without_rows(result.table, [&](const Row &row) { return !is_recorded(row); });
  constexpr std::pair<const char *, const char *> kModels[] = {{"Dup", "direct"},
                                                               {"split: Offset", "offset"},
                                                               {"split: Stride", "stride"},
                                                               {"split: Irreg.", "lut"},
                                                               {"Topo", "direct"}};
  int marked = 0;
  std::vector<std::string> others;
  for (const Row &row : table.rows) {
    for (const auto &[column, model] : kModels) {
      const Cell *const cell = find_cell(table, row.label, column);
      if (cell == nullptr || cell->paper.index() == 0) {
        continue;
      }
      ++marked;
      if (word_here(cell) != model) {
        const std::string here = word_here(cell);
        others.push_back(fmt::format("{} in {}, {}", row.label, column, here.empty() ? "nothing" : here));
      }
    }
  }
  Sentences sentences{fmt::format("In {} of the {} marked cells before Intercomm the map has the model of the column, "
                                  "direct for Dup and Topo and lut for Irreg.",
                                  marked - static_cast<int>(others.size()), marked)};
  if (!others.empty()) {
    sentences.push_back(fmt::format("The others: {}.", joined(others, "; ")));
  }
  const std::vector<std::string> strict(table.columns.begin(),
                                        std::find(table.columns.begin(), table.columns.end(), "all forms"));
  sentences.push_back(fmt::format("Of {} applications these need a table: strict {}; with all forms {}.",
                                  table.rows.size(), count_text(with_tables(table, strict)),
                                  count_text(with_tables(table, std::array<std::string, 1>{"all forms"}))));
  const auto sum = [&](const char *column) {
    double all = 0;
    for (const double bytes : numbers_of_column(table, column)) {
      all += bytes;
    }
    return number_text(all);
  };
  sentences.push_back(fmt::format("All maps together take {} bytes strict and {} bytes with all forms.",
                                  sum("bytes, strict"), sum("bytes, ours")));
  if (!recorded.rows.empty()) {
    sentences.push_back(on_recorded(recorded));
  }
  return sentences;
}

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
  std::vector<double> over_vc_vcrt;
  for (const Row &row : result.table.rows) {
    const std::vector<double> ratios = numbers_of_row(result.table, row.label);
    if (row.label.rfind("over VC-VCRT (", 0) == 0) {
      over_vc_vcrt.insert(over_vc_vcrt.end(), ratios.begin(), ratios.end());
    }
  }
  Sentences sentences;
  if (!over_vc_vcrt.empty()) {
    const auto ahead = std::count_if(over_vc_vcrt.begin(), over_vc_vcrt.end(), [](double ratio) { return ratio >= 1; });
    sentences.push_back(fmt::format("On the null network {} of {} maps are issued on at least as fast as with VC-VCRT "
                                    "({} of its rate).",
                                    ahead, over_vc_vcrt.size(), range_text(over_vc_vcrt)));
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
  const std::vector<double> ratios = numbers_of_column(result.table, "ours over VC-VCRT");
  Sentences sentences{fmt::format("The maps of ours take {} of the time of VC-VCRT's and are faster in {} rows.",
                                  range_text(ratios), below_one(ratios))};
  const std::vector<double> strict = numbers_of_column(result.table, kStrictWhole);
  const std::vector<double> ours_whole = numbers_of_column(result.table, kOursWhole);
  if (!strict.empty() && !ours_whole.empty()) {
    sentences.push_back(fmt::format("Whole creations of real processes take {} % more time with strict maps than "
                                    "with VC-VCRT's, and {} % with ours.",
                                    range_text(strict), range_text(ours_whole)));
  }
  return sentences;
}

Sentences on_generations(const Result &result) {
  if (result.table.columns.empty()) {
    return {};
  }
  const std::string &last = result.table.columns.back();
  std::vector<std::string> ratios;
  for (const Row &row : result.table.rows) {
    if (const auto ratio = number_here(result.table, row.label, last); ratio && row.label != "Open MPI, default") {
      ratios.push_back(fmt::format("{} {}", row.label, number_text(*ratio)));
    }
  }
  return {fmt::format("Generation {}: {}.", last, joined(ratios, "; "))};
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
    const auto first = number_here(result.table, "mpich/ch4 (default)", column);
    const auto last = number_here(result.table, "mpich/ch4 (no-err-single-ipo)", column);
    if (column.find(", ") == std::string::npos && first && last && *first != 0) {
      gains.push_back(fmt::format("{} {}", column, number_text(*last / *first)));
    }
  }
  return gains.empty()
             ? Sentences()
             : Sentences{fmt::format("Rates of the leanest build over those of the default one: {}.", joined(gains))};
}

/// The same, and whether each build is faster than the one before: not if 1 lies within the middle
/// half of the rounds.
Sentences on_fast_network_rates(const Result &result) {
  Sentences sentences = on_build_rates(result);
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
      sentences.push_back(fmt::format("{} beside the build above: {}.", operation, joined(steps)));
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
  return {fmt::format("{} of {} savings are lower than the paper's, {} equal it.", comparison.lower, comparison.cells,
                      comparison.equal)};
}

struct Conclusion {
  const char *id;
  Sentences (*sentences)(const Result &result);
};
constexpr Conclusion kConclusions[] = {
    {"bytes-per-process", on_bytes_per_process},
    {"whole-device", on_whole_device},
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
