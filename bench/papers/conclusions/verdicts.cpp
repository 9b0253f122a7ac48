// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/verdicts.h"

#include "papers/conclusions/comparison.h"
#include "papers/conclusions/conclusions.h"
#include "papers/conclusions/judging.h"
#include "papers/conclusions/mapping_models.h"
#include "papers/conclusions/memory_verdicts.h"
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr std::string_view kOverTable = ", over the plain table";

/// Whether values equal the paper's; those that are 0 are not counted.
Verdict on_equal(const Table &table) {
  const Comparison comparison = compare_with_paper(table);
  const int cells = comparison.cells - comparison.zeros;
  const int equal = comparison.equal - comparison.zeros;
  if (cells <= 0) {
    return missing();
  }
  std::vector<std::string> others; // rows with another value
  for (const Row &row : table.rows) {
    const Comparison of_row = compare_with_paper({table.corner, table.columns, {row}});
    if (of_row.equal != of_row.cells) {
      others.push_back(row.label);
    }
  }
  return {word_for_most(equal, cells),
          fmt::format("{} of {} values{} equal the paper's{}", equal, cells,
                      comparison.zeros == 0 ? "" : " that are not 0",
                      others.empty() ? "." : fmt::format("; others in: \"{}\".", fmt::join(others, "\", \""))),
          fmt::format("{} values", cells), fmt::format("{} of them equal", equal)};
}

Verdict on_all_equal(const Result &result) { return on_equal(result.table); }

Verdict on_steps(const Result &result) {
  Table table = result.table;
  std::erase_if(table.rows, [](const Row &row) { return row.label.find(", ") != std::string::npos; });
  return on_equal(table);
}

Verdict on_models(const Result &result) {
  int cells = 0;
  std::vector<std::string> others;
  for (const MarkedCell &cell : marked_cells(result.table)) {
    if (!cell.shaped_by_mark) {
      ++cells;
      if (!cell.as_marked) {
        others.push_back(cell.name);
      }
    }
  }
  if (cells == 0) {
    return missing();
  }
  const int holds = cells - static_cast<int>(others.size());
  return {
      word_for_most(holds, cells),
      fmt::format("Of the {} marked cells of applications whose shape is from the text {} have the paper's model{}; "
                  "cells that the marks themselves shape are not counted.",
                  cells, holds, others.empty() ? "" : ", not " + some_of(others)),
      fmt::format("{} cells", cells), fmt::format("{} of them equal", holds)};
}

Verdict on_table_of_instructions(const Result &result) { return within(result.table, 2, "counts"); }

/// With another compiler a count is reproduced within a quarter, and partly within a factor of 2.
Verdict on_listings(const Result &result) {
  for (const Listing &listing : result.listings) {
    const auto here = number_of(listing.instructions.here);
    const auto paper = number_of(listing.instructions.paper);
    if (here && paper && *paper != 0) {
      const double ratio = std::max(*here / *paper, *paper / *here);
      return {ratio <= 1.25 ? kReproduced
              : ratio <= 2  ? kPartly
                            : kContradicted,
              fmt::format("{} instructions here, {} in the paper, with another compiler.", number_text(*here),
                          number_text(*paper)),
              number_text(*paper), number_text(*here)};
    }
  }
  return missing();
}

Verdict on_misses(const Result &result) {
  constexpr const char *kRow = "L1D (8 procs, Blues)";
  const auto misses = numbers_at(result.table, {{kRow, "Baseline (VC-VCRT)"}, {kRow, "direct"}});
  if (!misses) {
    return missing();
  }
  const auto [base, direct] = *misses;
  const bool holds = base > 10 * direct && base > 1000;
  return {
      holds ? kReproduced : kContradicted,
      fmt::format("{}: VC-VCRT misses {} times here and our direct map {} times; the paper's {} and {} are of all of "
                  "MPICH in the loop, and rows of 65,536 ranks, which outgrow the cache, are ours.",
                  kRow, number_text(base), number_text(direct), paper_text(result.table, kRow, "Baseline (VC-VCRT)"),
                  paper_text(result.table, kRow, "direct")),
      paper_text(result.table, kRow, "Baseline (VC-VCRT)"), number_text(base)};
}

/// Whether the ratios to VC-VCRT's rate in these rows are at least 1.
Verdict on_over_vc_vcrt(const Result &result, const std::vector<std::string> &rows) {
  std::vector<double> ratios;
  std::vector<double> papers;
  std::vector<std::string> behind;
  for (const std::string &label : rows) {
    for (const std::string &column : result.table.columns) {
      const auto here = number_here(result.table, label, column);
      const auto paper = number_of_paper(result.table, label, column);
      if (here && paper) {
        ratios.push_back(*here);
        papers.push_back(*paper);
        if (*here < 1) {
          behind.push_back(fmt::format("{}, {} ({})", label, column, number_text(*here)));
        }
      }
    }
  }
  if (ratios.empty()) {
    return missing();
  }
  return {word_for(ratios.size() - behind.size(), ratios.size()),
          fmt::format("Without a network, in {} of {} cells with a ratio of the paper's, a map is at least as fast as "
                      "VC-VCRT, which is called per operation{}.",
                      ratios.size() - behind.size(), ratios.size(),
                      behind.empty() ? "" : "; slower: " + some_of(behind)),
          range_text(papers) + " times", range_text(ratios) + " times"};
}
/// At most partly: half of the table is over networks with a core per process.
Verdict on_rates(const Result &result) {
  Verdict verdict =
      on_over_vc_vcrt(result, {"over VC-VCRT (8 procs, theoretical)", "over VC-VCRT (2 procs, theoretical)"});
  verdict.word = verdict.word == kReproduced ? kPartly : verdict.word;
  if (verdict.sentence.ends_with('.')) {
    verdict.sentence.back() = ';';
    verdict.sentence += " rows on a network are not judged, since processes share this machine's processors.";
  }
  return verdict;
}
Verdict on_dispatch(const Result &result) {
  return on_over_vc_vcrt(result, {"switch, over VC-VCRT", "hybrid, over VC-VCRT"});
}
Verdict on_network(const Result & /*result*/) {
  return {kNotMeasurable,
          "The paper's rates are over InfiniBand and a torus with a core per process; here 16 processes share this "
          "machine's processors over loopback.",
          "4.3", ""};
}

Verdict on_creation_times(const Result &result) {
  std::vector<double> strict = numbers_of_column(result.table, kStrictWhole);
  const std::string here = strict.empty() ? "" : range_text(strict) + " %";
  if (strict.empty() || result.note.find("share") != std::string::npos) {
    return {
        kNotMeasurable,
        "The denominator is a creation between processes with a processor each; here up to 16 share this machine's, "
        "which makes it many times as long.",
        "3 to 8 %", here};
  }
  const auto holds = static_cast<std::size_t>(
      std::count_if(strict.begin(), strict.end(), [](double percent) { return percent >= 0 && percent <= 8; }));
  return {word_for(holds, strict.size()),
          fmt::format("Whole creations take {} more time with strict maps than with VC-VCRT's.", here), "3 to 8 %",
          here};
}

Verdict on_generation_rates(const Result &result) {
  constexpr const char *kSparse = "Open MPI, sparse groups";
  const auto rates = numbers_at(result.table, {{kSparse, "1"}, {kSparse, "4"}});
  if (!rates) {
    return missing();
  }
  const auto [first, fourth] = *rates;
  const bool near = std::abs(first - 0.9) <= 0.1 && std::abs(fourth - 0.6) <= 0.1;
  return {near                           ? kReproduced
          : fourth < first && fourth < 1 ? kPartly
                                         : kContradicted,
          fmt::format("Sparse groups run at {} of default Open MPI's rate in generation 1 and {} in generation 4; the "
                      "paper has around 0.9 and nearly 0.6, with all of Open MPI in the loop.",
                      number_text(first), number_text(fourth)),
          "nearly 0.6", number_text(fourth)};
}

/// Values of real processes, over the plain table's (`base`). They can be compared with the
/// paper's only if the plain table, measured again, differs by less than the paper's `effect`.
Verdict on_real_times(const Result &result, const std::string &column, const std::string &base,
                      const std::string &again, double effect) {
  const std::vector<double> ratios = numbers_of_column(result.table, column, kRealOverTable);
  const std::vector<double> chance = numbers_of_column(result.table, again, kRealOverTable);
  if (ratios.empty() || chance.empty()) {
    return missing();
  }
  double most = 0;
  for (const double ratio : chance) {
    most = std::max(most, std::abs(ratio - 1));
  }
  for (const Row &row : result.table.rows) {
    const auto once = number_here(result.table, row.label, base);
    const auto twice = number_here(result.table, row.label, again);
    if (once && twice && *once != 0 && row.label.find("real processes") != std::string::npos) {
      most = std::max(most, std::abs(*twice / *once - 1));
    }
  }
  const std::string theirs = fmt::format("{:+.1f} %", 100 * effect);
  if (most >= std::abs(effect)) {
    return {kNotMeasurable,
            fmt::format("The plain table a second time differs by up to {:.1f} %, more than the paper's {}.",
                        100 * most, theirs),
            theirs, range_text(ratios) + " times"};
  }
  const auto holds = static_cast<std::size_t>(std::count_if(
      ratios.begin(), ratios.end(), [&](double ratio) { return std::abs(ratio - 1 - effect) <= std::abs(effect); }));
  return {word_for(holds, ratios.size()),
          fmt::format("In {} of {} rows of real processes the ratio to the plain table is within the paper's effect.",
                      holds, ratios.size()),
          theirs, range_text(ratios) + " times"};
}
Verdict on_transform(const Result &result) {
  return on_real_times(result, "2D Caching Comm", "V1R2M0 Comm", "again Comm", 0.045);
}
Verdict on_merit(const Result &result) { return on_real_times(result, "2D Caching", "V1R2M0", "again", 0.005); }
Verdict on_neighbours(const Result &result) {
  return on_real_times(result, "linear 16", "plain table", "plain table, again", 0.008);
}

Verdict on_torus_memory(const Result &result) {
  const auto mb =
      numbers_at(result.table, {{"8,192", "plain tables, MB"}, {"8,192", kRectangles}, {"8,192", "ours, MB"}});
  if (!mb) {
    return missing();
  }
  const double plain = (*mb)[0];
  const double rectangles = (*mb)[1];
  return {plain >= 3 * rectangles ? kPartly : kContradicted,
          fmt::format("With 8,192 nodes plain tables take {} MB, that paper's scheme {} and our maps {}; the paper's "
                      "60 and 20 MB are of all of the MPI library.",
                      number_text(plain), number_text(rectangles), number_text((*mb)[2])),
          "60 and 20 MB", fmt::format("{} and {} MB", number_text(plain), number_text(rectangles))};
}

Verdict on_latency(const Result &result) {
  std::vector<std::string> others; // schemes of the paper with a higher latency, by row
  std::size_t rows = 0;
  std::size_t holds = 0;
  for (const Row &row : result.table.rows) {
    const auto function = number_here(result.table, row.label, "mapping function");
    if (!function || !row.label.ends_with(kOverTable)) {
      continue;
    }
    ++rows;
    const std::size_t before = others.size();
    for (const char *const scheme : {"plain table", "linear 8", "128 x 8"}) {
      const auto other = number_here(result.table, row.label, scheme);
      if (other && *other > *function) {
        others.push_back(fmt::format("{} takes {:.3f} times the plain table, the function {:.3f} ({})", scheme, *other,
                                     *function, row.label.substr(0, row.label.size() - kOverTable.size())));
      }
    }
    holds += others.size() == before ? 1 : 0;
  }
  if (rows == 0) {
    return missing();
  }
  return {word_for(holds, rows),
          fmt::format("Of the paper's schemes the mapping function without a cache has the highest latency in {} of {} "
                      "rows{}.",
                      holds, rows, others.empty() ? "" : "; not: " + some_of(others)),
          "the highest", fmt::format("in {} of {} rows", holds, rows)};
}

Verdict on_hits(const Result &result) {
  const auto hits = number_here(result.table, fmt::format("728 neighbours{}", kByNodes), "hits of 128 x 8, %");
  if (!hits) {
    return missing();
  }
  return {std::abs(*hits - 60) < 5 ? kPartly : kContradicted,
          fmt::format(
              "The cache finds {:.1f} % of 728 neighbours with ranks by nodes, the paper's about 60 %; its latencies "
              "on a Blue Gene/Q cannot be measured here.",
              *hits),
          "about 60 %", fmt::format("{:.1f} %", *hits)};
}

Verdict on_purposes(const Result &result) {
  const auto isend = number_here(result.table, "in all", "MPI_ISEND");
  return {kNotMeasurable,
          "The paper counts MPICH/CH4 of 2017, which is not built here; the counts here are of our own device and show "
          "what the same purposes can cost.",
          "221", isend ? number_text(*isend) : ""};
}

Verdict on_builds(const Result &result) {
  std::vector<double> counts;
  for (const Row &row : result.table.rows) {
    if (const auto count = number_here(result.table, row.label, "MPI_ISEND");
        count && row.label.find("less than") == std::string::npos) {
      counts.push_back(*count);
    }
  }
  if (counts.size() < 2) {
    return missing();
  }
  const bool falls = std::is_sorted(counts.rbegin(), counts.rend());
  return {
      falls ? kPartly : kContradicted,
      fmt::format("Counts of an isend {} from build to build, as the paper's do; they are of our own device, and MPICH/"
                  "Original is not built here.",
                  falls ? "fall" : "do not fall"),
      "221 to 59", fmt::format("{} to {}", number_text(counts.front()), number_text(counts.back()))};
}

Verdict on_gain_over_original(const Result & /*result*/) {
  return {kNotMeasurable, "The paper's gain is over MPICH/Original on its networks; neither is here.", "1.5 to 4 times",
          ""};
}

Verdict on_each_proposal(const Result &result) {
  constexpr const char *kRate = "isend, million/s";
  const auto base = number_here(result.table, "no-err-single-ipo", kRate);
  std::vector<std::string> slower;
  std::size_t all = 0;
  for (const Row &row : result.table.rows) {
    const auto rate = number_here(result.table, row.label, kRate);
    if (base && rate && row.label != "no-err-single-ipo") {
      ++all;
      if (*rate < *base) {
        slower.push_back(fmt::format("{} ({})", row.label, number_text(*rate / *base)));
      }
    }
  }
  if (all == 0) {
    return missing();
  }
  std::size_t savings = 0;
  std::vector<std::string> less;
  for (const Row &row : result.table.rows) {
    for (const char *const column : {"isend, saved", "put, saved"}) {
      const auto here = number_here(result.table, row.label, column);
      const auto paper = number_of_paper(result.table, row.label, column);
      if (here && paper) {
        ++savings;
        if (*here < *paper) {
          less.push_back(fmt::format("{} {} ({}; {})", row.label,
                                     std::string(column).substr(0, std::string(column).find(',')), number_text(*here),
                                     number_text(*paper)));
        }
      }
    }
  }
  const auto most = number_here(result.table, "all, constant count", kRate);
  const std::string on_savings = savings == 0
                                     ? ""
                                     : fmt::format("; {} of {} savings of instructions are below the paper's{}",
                                                   less.size(), savings, less.empty() ? "" : ": " + some_of(less));
  return {word_for(all - slower.size() + savings - less.size(), all + savings),
          fmt::format("{} of {} rows of proposals issue an isend faster than no-err-single-ipo{}{}.",
                      all - slower.size(), all, slower.empty() ? "" : ", slower: " + some_of(slower), on_savings),
          "132.8 million/s", most ? number_text(*most) + " million/s" : ""};
}

Verdict on_gain_of_application(const Result &result) {
  const std::vector<double> gains = numbers_of_column(result.table, kGain);
  return {
      kNotMeasurable,
      fmt::format("The paper's gain is over MPICH/Original on a Blue Gene/Q; between our own builds the {} rows whose "
                  "rounds agree within 5 % have {}.",
                  gains.size(), range_text(gains)),
      "1.2 to 1.25", range_text(gains)};
}

Verdict on_group(const Result &result) {
  constexpr const char *kMerging = "merging step by step";
  constexpr const char *kAll = "8,192 of 8,192 simulated, us";
  const auto times =
      numbers_at(result.table, {{"2 of 8,192 simulated, us", kMerging}, {kAll, kMerging}, {kAll, "by the parent"}});
  if (!times) {
    return missing();
  }
  const auto [small, large, parent] = *times;
  return {
      word_for({small < parent, parent < large}),
      fmt::format("Merging step by step takes {} us for 2 members and {} for 8,192, the parent {}: simulated, 1 us per "
                  "message; the paper prints no numbers.",
                  number_text(small), number_text(large), number_text(parent)),
      "no number", fmt::format("{} and {} us", number_text(small), number_text(large))};
}

Verdict on_chains(const Result &result) {
  const std::string column = result.table.columns.empty() ? "" : result.table.columns.back();
  const char *const last = column.c_str();
  const auto seconds =
      numbers_at(result.table, {{"none", last}, {"asynchronous, to the right", last}, {"collective, every 16", last}});
  if (!seconds) {
    return missing();
  }
  const auto [none, right, collective] = *seconds;
  return {word_for({std::abs(none - 7) < 0.1, right < 4.2, std::abs(collective - 5.95) < 0.3}),
          fmt::format(
              "With {} processes the kernel takes {} s without balancing (7 s), {} with asynchronous (below 4.2 s) and "
              "{} with collective balancing every 16 items (about 5.95 s).",
              column, number_text(none), number_text(right), number_text(collective)),
          "below 4.2 s", number_text(right) + " s"};
}

struct Judgement {
  std::string_view id;
  Verdict (*verdict)(const Result &result);
};
constexpr Judgement kJudgements[] = {
    {"000/table1", on_models},
    {"000/table2", on_steps},
    {"000/table3", on_table_of_instructions},
    {"000/table4", on_misses},
    {"000/table5", on_rates},
    {"000/figure1", on_all_equal},
    {"000/figure3", on_listings},
    {"000/figure4", on_listings},
    {"000/figure5", on_listings},
    {"000/figure6", on_listings},
    {"000/figure7", on_listings},
    {"000/figure8", on_listings},
    {"000/figure9", on_regular_growth},
    {"000/figure10", on_duplicates},
    {"000/figure11", on_regular_growth},
    {"000/figure12", on_duplicate_intercommunicators},
    {"000/figure13", on_random_growth},
    {"000/figure14", on_negative_result},
    {"000/figure15", on_creation_times},
    {"000/figure16", on_creation_times},
    {"000/figure17", on_nek5000},
    {"000/figure18", on_miniapps_memory},
    {"000/figure19", on_generation_rates},
    {"001/table6", on_dispatch},
    {"001/table7", on_network},
    {"001/figure8", on_listings},
    {"001/figure17", on_miniapps_memory},
    {"002/table1", on_transform},
    {"002/table2", on_merit},
    {"002/figure2", on_all_equal},
    {"002/figure3", on_torus_memory},
    {"002/figure4", on_latency},
    {"002/figure5", on_neighbours},
    {"002/figure6", on_hits},
    {"003/table1", on_purposes},
    {"003/figure2", on_builds},
    {"003/figure3", on_gain_over_original},
    {"003/figure4", on_gain_over_original},
    {"003/figure5", on_gain_over_original},
    {"003/figure6", on_each_proposal},
    {"003/figure7", on_gain_of_application},
    {"003/figure8", on_gain_of_application},
    {"004/table1", on_all_equal},
    {"004/figure1", on_group},
    {"004/figure2", on_chains},
};

} // namespace

Verdict judge(const std::string &id, const Result &result) {
  const auto *const found = std::find_if(std::begin(kJudgements), std::end(kJudgements),
                                         [&](const Judgement &judgement) { return judgement.id == id; });
  if (found != std::end(kJudgements)) {
    return found->verdict(result);
  }
  const std::vector<std::string> sentences = conclude(id, result);
  return {kNoPaper, fmt::format("{}", fmt::join(sentences, " ")), "", ""};
}

} // namespace avrankmap::bench
