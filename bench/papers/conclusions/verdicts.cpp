// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/verdicts.h"

#include "papers/conclusions/comparison.h"
#include "papers/conclusions/conclusions.h"
#include "papers/conclusions/mapping_models.h"
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr const char *kWith100 = "100 communicators, MiB";
constexpr const char *kMapsOf100 = "maps of 100, bytes";
constexpr const char *kStrictRow = "AV-Rankmap (strict)";
constexpr const char *kFourBytes = "VC-VCRT, tables of 4 bytes";

Verdict missing() { return {kNotMeasurable, "This run has no value to compare.", "", ""}; }

std::string paper_text(const Table &table, const std::string &row, const std::string &column) {
  const Cell *const cell = find_cell(table, row, column);
  return cell == nullptr ? "" : cell_text({cell->paper});
}

const char *word_for(std::size_t holds, std::size_t all) {
  return holds == all ? kReproduced : holds == 0 ? kContradicted : kPartly;
}

/// "a, b, c"; at most five.
std::string some_of(const std::vector<std::string> &names) {
  const std::size_t shown = std::min<std::size_t>(names.size(), 5);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

/// Cells in rows that are wanted, all of which the paper states, by name and ratio of ours to its.
struct Ratios {
  std::vector<double> all;
  std::vector<std::string> outside; ///< names of those beyond `factor`
};
template <class Wanted> Ratios ratios_to_paper(const Table &table, double factor, Wanted wanted) {
  Ratios ratios;
  for (const Row &row : table.rows) {
    for (std::size_t i = 0; wanted(row) && i < row.cells.size(); ++i) {
      const auto *const here = std::get_if<double>(&row.cells[i].here);
      const auto *const paper = std::get_if<double>(&row.cells[i].paper);
      if (here != nullptr && paper != nullptr && *paper != 0) {
        ratios.all.push_back(*here / *paper);
        if (ratios.all.back() > factor || ratios.all.back() < 1 / factor) {
          ratios.outside.push_back(fmt::format("{}, {}", row.label, table.columns.at(i)));
        }
      }
    }
  }
  return ratios;
}

bool any_row(const Row & /*row*/) { return true; }

Verdict within(const Ratios &ratios, double factor, const char *what) {
  if (ratios.all.empty()) {
    return missing();
  }
  const std::size_t holds = ratios.all.size() - ratios.outside.size();
  return {word_for(holds, ratios.all.size()),
          fmt::format("{} of {} {} lie within a factor of {} of the paper's{}.", holds, ratios.all.size(), what,
                      number_text(factor), ratios.outside.empty() ? "" : "; not: " + some_of(ratios.outside)),
          "1", fmt::format("{} times", range_text(ratios.all))};
}

/// Nine of ten values are equal, zeros aside.
Verdict on_equal(const Table &table) {
  const Comparison comparison = compare_with_paper(table);
  const int cells = comparison.cells - comparison.zeros;
  const int equal = comparison.equal - comparison.zeros;
  if (cells <= 0) {
    return missing();
  }
  return {equal * 10 >= cells * 9 ? kReproduced
          : equal == 0            ? kContradicted
                                  : kPartly,
          fmt::format("{} of {} values that are not 0 equal the paper's.", equal, cells), fmt::format("{}", cells),
          fmt::format("{} equal", equal)};
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
      holds * 10 >= cells * 9 ? kReproduced : kPartly,
      fmt::format("Of the {} marked cells of applications whose shape is from the text {} have the paper's model{}; "
                  "cells that the marks themselves shape are not counted.",
                  cells, holds, others.empty() ? "" : ", not " + some_of(others)),
      fmt::format("{}", cells), fmt::format("{}", holds)};
}

Verdict on_table_of_instructions(const Result &result) {
  return within(ratios_to_paper(result.table, 2, any_row), 2, "counts");
}

Verdict on_listings(const Result &result) {
  Table table{"", {"instructions"}, {}};
  for (const Listing &listing : result.listings) {
    table.rows.push_back({listing.title, {listing.instructions}});
  }
  Verdict verdict = within(ratios_to_paper(table, 2, any_row), 2, "counts");
  for (const Row &row : table.rows) {
    if (row.cells[0].paper.index() != 0) {
      verdict.theirs = cell_text({row.cells[0].paper});
      verdict.here = cell_text({row.cells[0].here});
    }
  }
  return verdict;
}

Verdict on_misses(const Result &result) {
  constexpr const char *kRow = "L1D (8 procs, Blues)";
  const auto base = number_here(result.table, kRow, "Baseline (VC-VCRT)");
  const auto direct = number_here(result.table, kRow, "direct");
  if (!base || !direct) {
    return missing();
  }
  const bool holds = *base > 10 * *direct && *base > 1000;
  return {
      holds ? kReproduced : kContradicted,
      fmt::format("{}: VC-VCRT misses {} times here and our direct map {} times; the paper's {} and {} are of all of "
                  "MPICH in the loop. The rows of 65,536 ranks, which outgrow the cache, are ours.",
                  kRow, number_text(*base), number_text(*direct), paper_text(result.table, kRow, "Baseline (VC-VCRT)"),
                  paper_text(result.table, kRow, "direct")),
      paper_text(result.table, kRow, "Baseline (VC-VCRT)"), number_text(*base)};
}

/// Rows of ratios over VC-VCRT: which are at least 1.
Verdict on_over_vc_vcrt(const Result &result, const std::vector<std::string> &rows) {
  std::vector<double> ratios;
  std::vector<double> papers;
  std::vector<std::string> behind;
  for (const std::string &label : rows) {
    for (const std::string &column : result.table.columns) {
      const Cell *const cell = find_cell(result.table, label, column);
      const auto *const here = cell == nullptr ? nullptr : std::get_if<double>(&cell->here);
      const auto *const paper = cell == nullptr ? nullptr : std::get_if<double>(&cell->paper);
      if (here != nullptr && paper != nullptr) {
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
  return {
      word_for(ratios.size() - behind.size(), ratios.size()),
      fmt::format("In {} of the {} cells that the paper states a map is at least as fast as VC-VCRT, which is called "
                  "per operation{}.",
                  ratios.size() - behind.size(), ratios.size(), behind.empty() ? "" : "; slower: " + some_of(behind)),
      range_text(papers), range_text(ratios)};
}
Verdict on_rates(const Result &result) {
  return on_over_vc_vcrt(result, {"over VC-VCRT (8 procs, theoretical)", "over VC-VCRT (2 procs, theoretical)"});
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

Verdict on_regular_growth(const Result &result) {
  const auto theirs = number_here(result.table, "VC-VCRT, with its tables of nodes", kWith100);
  const auto strict = number_here(result.table, kStrictRow, kWith100);
  if (!theirs || !strict) {
    return missing();
  }
  const double factor = *theirs / *strict;
  const std::string paper = paper_text(result.table, "VC-VCRT", kWith100);
  return {
      factor > 10 ? kReproduced : kContradicted,
      fmt::format("With 100 communicators VC-VCRT with its tables of nodes takes {} MiB, AV-Rankmap (strict, with a "
                  "table of addresses) {}: {} times, which is not yet \"several orders of magnitude\".",
                  number_text(*theirs), number_text(*strict), number_text(factor)),
      paper.empty() ? "no number" : paper, number_text(*theirs) + " MiB"};
}

Verdict on_random_growth(const Result &result) {
  const auto strict = number_here(result.table, kStrictRow, kMapsOf100);
  const auto pointers = number_here(result.table, "VC-VCRT", kMapsOf100);
  const auto indices = number_here(result.table, kFourBytes, kMapsOf100);
  if (!strict || !pointers || !indices) {
    return missing();
  }
  const auto near = [&](double other) { return std::abs(*strict / other - 1) < 0.1; };
  return {near(*pointers)  ? kReproduced
          : near(*indices) ? kPartly
                           : kContradicted,
          fmt::format("The paper has maps as large as VC-VCRT's. AV-Rankmap (strict) takes {} of VC-VCRT's tables of "
                      "pointers, as in MPICH 3.2, and {} of tables of 4 bytes, as in the paper's listing.",
                      number_text(*strict / *pointers), number_text(*strict / *indices)),
          "1", number_text(*strict / *pointers)};
}

Verdict on_negative_result(const Result &result) {
  const auto strict = number_here(result.table, kStrictRow, kWith100);
  const auto pointers = number_here(result.table, "VC-VCRT", kWith100);
  const auto indices = number_here(result.table, kFourBytes, kWith100);
  if (!strict || !pointers || !indices) {
    return missing();
  }
  const std::size_t holds =
      static_cast<std::size_t>(*strict > *pointers) + static_cast<std::size_t>(*strict > *indices);
  return {word_for(holds, 2),
          fmt::format("The paper's negative result is that mlut takes more than VC-VCRT with 100 communicators. Here "
                      "AV-Rankmap (strict) takes {} MiB, VC-VCRT {} with entries of 8 bytes and {} with 4.",
                      number_text(*strict), number_text(*pointers), number_text(*indices)),
          paper_text(result.table, kStrictRow, kMapsOf100), number_text(*strict / *pointers) + " times"};
}

Verdict on_creation_times(const Result &result) {
  std::vector<double> strict = numbers_of_column(result.table, kStrictWhole);
  const std::string here = strict.empty() ? "" : range_text(strict) + " %";
  if (strict.empty() || result.note.find("share") != std::string::npos) {
    return {
        kNotMeasurable,
        "The denominator is a creation between processes with a processor each; here 16 share this machine's, which "
        "makes it many times as long.",
        "3 to 8 %", here};
  }
  const auto holds = static_cast<std::size_t>(
      std::count_if(strict.begin(), strict.end(), [](double percent) { return percent >= 0 && percent <= 8; }));
  return {word_for(holds, strict.size()),
          fmt::format("Whole creations take {} more time with strict maps than with VC-VCRT's.", here), "3 to 8 %",
          here};
}

Verdict on_applications(const Result &result) {
  Verdict verdict = within(ratios_to_paper(result.table, 1.1, any_row), 1.1, "values");
  const std::vector<double> theirs = numbers_of_column(result.table, "VC-VCRT, MiB");
  if (verdict.theirs.empty() && !theirs.empty()) { // stated in words
    const bool holds = std::all_of(theirs.begin(), theirs.end(), [](double mib) { return std::abs(mib - 250) < 25; });
    verdict = {holds ? kReproduced : kPartly,
               fmt::format("VC-VCRT takes {} MiB in rows of Nek5000.", range_text(theirs)), "", ""};
  }
  if (!theirs.empty() && !result.table.rows.empty()) {
    verdict.theirs = paper_text(result.table, result.table.rows.back().label, "VC-VCRT, MiB") + " MB";
    verdict.here = number_text(theirs.back()) + " MiB";
  }
  return verdict;
}

Verdict on_generation_rates(const Result &result) {
  constexpr const char *kSparse = "Open MPI, sparse groups";
  const auto first = number_here(result.table, kSparse, "1");
  const auto fourth = number_here(result.table, kSparse, "4");
  if (!first || !fourth) {
    return missing();
  }
  const bool near = std::abs(*first - 0.9) <= 0.1 && std::abs(*fourth - 0.6) <= 0.1;
  return {near                              ? kReproduced
          : *fourth < *first && *fourth < 1 ? kPartly
                                            : kContradicted,
          fmt::format("Sparse groups run at {} of default Open MPI's rate in generation 1 and {} in generation 4; the "
                      "paper has around 0.9 and nearly 0.6, with all of Open MPI in the loop.",
                      number_text(*first), number_text(*fourth)),
          "nearly 0.6", number_text(*fourth)};
}

/// Times of real processes: measurable if the plain table a second time is nearer to itself than
/// the paper's effect, `effect` of 1.
Verdict on_real_times(const Result &result, const std::string &column, const std::string &again, double effect) {
  std::vector<double> ratios;
  std::vector<double> chance;
  for (const Row &row : result.table.rows) {
    if (row.label.ends_with(kRealOverTable)) {
      if (const auto ratio = number_here(result.table, row.label, column)) {
        ratios.push_back(*ratio);
      }
      if (const auto ratio = number_here(result.table, row.label, again)) {
        chance.push_back(std::abs(*ratio - 1));
      }
    }
  }
  if (ratios.empty() || chance.empty()) {
    return missing();
  }
  const double most = *std::max_element(chance.begin(), chance.end());
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
Verdict on_transform(const Result &result) { return on_real_times(result, "2D Caching Comm", "again Comm", 0.045); }
Verdict on_merit(const Result &result) { return on_real_times(result, "2D Caching", "again", 0.005); }
Verdict on_neighbours(const Result &result) { return on_real_times(result, "linear 16", "plain table, again", 0.008); }

Verdict on_torus_memory(const Result &result) {
  const auto plain = number_here(result.table, "8,192", "plain tables, MB");
  const auto ours = number_here(result.table, "8,192", "ours, MB");
  if (!plain || !ours) {
    return missing();
  }
  return {kPartly,
          fmt::format(
              "With 8,192 nodes plain tables take {} MB and our maps {}; the paper's 60 and 20 MB are of all of the "
              "MPI library, and its compressed scheme is not built here.",
              number_text(*plain), number_text(*ours)),
          "60 and 20 MB", number_text(*plain) + " MB"};
}

Verdict on_latency(const Result &result) {
  std::vector<std::string> lower;
  std::size_t rows = 0;
  double most = 0;
  for (const Row &row : result.table.rows) {
    const auto function = number_here(result.table, row.label, "mapping function");
    if (!function || !row.label.ends_with("over the plain table")) {
      continue;
    }
    ++rows;
    most = std::max(most, *function);
    const bool highest = std::all_of(row.cells.begin(), row.cells.end(), [&](const Cell &cell) {
      const auto *const number = std::get_if<double>(&cell.here);
      return number == nullptr || *number <= *function;
    });
    if (!highest) {
      lower.push_back(row.label);
    }
  }
  if (rows == 0) {
    return missing();
  }
  return {word_for(rows - lower.size(), rows),
          fmt::format("The mapping function without a cache has the highest latency in {} of {} rows{}.",
                      rows - lower.size(), rows, lower.empty() ? "" : "; not in: " + some_of(lower)),
          "the highest", number_text(most) + " times"};
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
          "The paper counts MPICH/CH4 of 2017, which is not built here; the counts beside it are of our own device and "
          "show what the same purposes can cost.",
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
  const auto most = number_here(result.table, "all, constant count", kRate);
  return {word_for(all - slower.size(), all),
          fmt::format("{} of {} rows of proposals issue an isend faster than no-err-single-ipo{}.", all - slower.size(),
                      all, slower.empty() ? "" : "; slower: " + some_of(slower)),
          "132.8 million/s", most ? number_text(*most) + " million/s" : ""};
}

Verdict on_gain_of_application(const Result &result) {
  const std::vector<double> gains = numbers_of_column(result.table, kGain);
  return {
      kNotMeasurable,
      fmt::format("The paper's gain is over MPICH/Original on a Blue Gene/Q; between our own builds all rows have {}.",
                  range_text(gains)),
      "1.2 to 1.25", range_text(gains)};
}

Verdict on_group(const Result &result) {
  constexpr const char *kMerging = "merging step by step";
  const auto of = [&](const char *row, const char *column) { return number_here(result.table, row, column); };
  const auto small = of("2 of 8,192 simulated, us", kMerging);
  const auto large = of("8,192 of 8,192 simulated, us", kMerging);
  const auto parent = of("8,192 of 8,192 simulated, us", "by the parent");
  if (!small || !large || !parent) {
    return missing();
  }
  const std::size_t holds = static_cast<std::size_t>(*small < *parent) + static_cast<std::size_t>(*large > *parent);
  return {
      word_for(holds, 2),
      fmt::format("Merging step by step takes {} us for 2 members and {} for 8,192, the parent {}: simulated, 1 us per "
                  "message; the paper prints no numbers.",
                  number_text(*small), number_text(*large), number_text(*parent)),
      "no number", fmt::format("{} and {} us", number_text(*small), number_text(*large))};
}

Verdict on_chains(const Result &result) {
  const std::string column = result.table.columns.empty() ? "" : result.table.columns.back();
  const auto none = number_here(result.table, "none", column);
  const auto right = number_here(result.table, "asynchronous, to the right", column);
  const auto collective = number_here(result.table, "collective, every 16", column);
  if (!none || !right || !collective) {
    return missing();
  }
  const std::size_t holds = static_cast<std::size_t>(std::abs(*none - 7) < 0.1) +
                            static_cast<std::size_t>(*right < 4.2) +
                            static_cast<std::size_t>(std::abs(*collective - 5.95) < 0.3);
  return {word_for(holds, 3),
          fmt::format(
              "With {} processes the kernel takes {} s without balancing (7 s), {} with asynchronous (below 4.2 s) and "
              "{} with collective balancing (about 5.95 s).",
              column, number_text(*none), number_text(*right), number_text(*collective)),
          "below 4.2 s", number_text(*right) + " s"};
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
    {"000/figure10", on_regular_growth},
    {"000/figure11", on_regular_growth},
    {"000/figure12", on_regular_growth},
    {"000/figure13", on_random_growth},
    {"000/figure14", on_negative_result},
    {"000/figure15", on_creation_times},
    {"000/figure16", on_creation_times},
    {"000/figure17", on_applications},
    {"000/figure18", on_applications},
    {"000/figure19", on_generation_rates},
    {"001/table6", on_dispatch},
    {"001/table7", on_network},
    {"001/figure8", on_listings},
    {"001/figure17", on_applications},
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
  return {kNoPaper, sentences.empty() ? "" : sentences.front(), "", ""};
}

} // namespace avrankmap::bench
