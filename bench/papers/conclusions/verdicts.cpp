// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/verdicts.h"

#include "papers/conclusions/comparison.h"
#include "papers/conclusions/conclusions.h"
#include "papers/conclusions/judgements.h"
#include "papers/conclusions/judging.h"
#include "papers/conclusions/mapping_models.h"
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <string_view>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr const char *kMerging = "merging step by step";
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

/// The rows of steps 1 and 2 say nothing: PaperRankmap composes where the paper's table does.
Verdict on_steps(const Result &result) {
  const Comparison written = compare_with_paper(
      without_rows(result.table, [](const Row &row) { return row.label.find(", ") != std::string::npos; }));
  const Comparison ours =
      compare_with_paper(without_rows(result.table, [](const Row &row) { return !row.label.ends_with(", step 3"); }));
  if (ours.cells == 0) {
    return missing();
  }
  return {word_for(static_cast<std::size_t>(ours.equal), static_cast<std::size_t>(ours.cells)),
          fmt::format("The library's maps, for which step 3 scans every table, have {} of {} models of the paper's "
                      "table; steps 1 and 2, written afresh to that table, have {} of {} by construction.",
                      ours.equal, ours.cells, written.equal, written.cells),
          fmt::format("{} values", ours.cells), fmt::format("{} of them equal", ours.equal)};
}

Verdict on_models(const Result &result) {
  int cells = 0;
  std::vector<std::string> others;
  const std::vector<MarkedCell> marked = marked_cells(result.table);
  for (const MarkedCell &cell : marked) {
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
  const bool from_zero = std::any_of(others.begin(), others.end(),
                                     [](const std::string &name) { return name.ends_with("split: Offset, direct"); });
  return {word_for_most(holds, cells),
          fmt::format(
              "Of the {} marked cells before Intercomm {} have shapes from the text, and {} of these have the paper's "
              "model{}{}; the others, which the marks themselves shape, are not counted.",
              marked.size(), cells, holds, others.empty() ? "" : " (not " + some_of(others) + ")",
              from_zero ? ", as a part that begins at rank 0 is direct here, an offset of 0 in the paper" : ""),
          fmt::format("{} cells", cells), fmt::format("{} of them equal", holds)};
}

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
              fmt::format("{} instructions here, {} in the paper, with another compiler: {}.", number_text(*here),
                          number_text(*paper),
                          ratio <= 1.25 ? "within a quarter"
                          : ratio <= 2  ? "within a factor of 2"
                                        : "beyond a factor of 2"),
              number_text(*paper), number_text(*here)};
    }
  }
  return missing();
}

/// The columns of maps that are translated in a function of the library, which earlier runs did not
/// count.
std::string misses_not_counted(const Result &result) {
  const bool has = !numbers_of_column(result.table, "blocked").empty();
  return has && result.note.find(kWithLibrary) == std::string::npos
             ? "; the column blocked has the misses of the array of ranks alone, as those of the library's function "
               "that translates such a map were not counted"
             : "";
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
                  "MPICH in the loop, and rows of 65,536 ranks, which outgrow the cache, are ours{}.",
                  kRow, number_text(base), number_text(direct), paper_text(result.table, kRow, "Baseline (VC-VCRT)"),
                  paper_text(result.table, kRow, "direct"), misses_not_counted(result)),
      paper_text(result.table, kRow, "Baseline (VC-VCRT)"), number_text(base)};
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
  const auto [least, greatest] = std::minmax_element(ratios.begin(), ratios.end());
  const auto percent = [](double ratio) { return fmt::format("{:+.1f}", 100 * (ratio - 1)); };
  const std::string here = (ratios.size() == 1 ? "" : percent(*least) + " to ") + percent(*greatest) + " %";
  if (most >= std::abs(effect)) {
    return {kNotMeasurable,
            fmt::format(
                "In these columns the plain table a second time differs by up to {:.1f} %, more than the paper's {}.",
                100 * most, theirs),
            theirs, here};
  }
  const auto holds = static_cast<std::size_t>(std::count_if(
      ratios.begin(), ratios.end(), [&](double ratio) { return std::abs(ratio - 1 - effect) <= std::abs(effect); }));
  return {word_for(holds, ratios.size()),
          fmt::format("In {} of {} rows of real processes the ratio to the plain table is within the paper's effect.",
                      holds, ratios.size()),
          theirs, here};
}
/// Rows of translation alone have the paper's ratios of something else next to them.
Verdict with_brackets(Verdict verdict, const Table &table, const char *brackets) {
  const bool has = std::any_of(table.rows.begin(), table.rows.end(), [&](const Row &row) {
    return row.label.ends_with(": here, over V1R2M0") &&
           std::any_of(row.cells.begin(), row.cells.end(), [](const Cell &cell) { return cell.paper.index() != 0; });
  });
  if (has && verdict.sentence.ends_with('.')) {
    verdict.sentence.pop_back();
    verdict.sentence +=
        fmt::format("; in rows of translation alone ours has a table AV, and the brackets have {}.", brackets);
  }
  return verdict;
}
Verdict on_transform(const Result &result) {
  return with_brackets(on_real_times(result, "2D Caching Comm", "V1R2M0 Comm", "again Comm", 0.045), result.table,
                       "the paper's Comm with all of its data, N = 512");
}
Verdict on_merit(const Result &result) {
  return with_brackets(on_real_times(result, "2D Caching", "V1R2M0", "again", 0.005), result.table,
                       "the inverse ratios of the paper's figures of merit");
}
Verdict on_neighbours(const Result &result) {
  Verdict verdict = on_real_times(result, "linear 16", "plain table", "plain table, again", 0.008);
  const std::vector<double> ours = numbers_of_column(result.table, kOverPaperCache);
  if (!ours.empty() && verdict.sentence.ends_with('.')) {
    verdict.sentence.pop_back();
    verdict.sentence += fmt::format(
        "; a translation by ours, with a table AV, takes {} times as long as by the 128 x 8 cache.", range_text(ours));
  }
  return verdict;
}

/// Compares what the scheme of that paper saves, which concerns maps only.
Verdict on_torus_memory(const Result &result) {
  constexpr const char *kPlain = "plain tables, MB";
  std::vector<bool> claims;
  std::vector<std::string> saved;
  for (const Row &row : result.table.rows) {
    const auto plain = number_here(result.table, row.label, kPlain);
    const auto rectangles = number_here(result.table, row.label, kRectangles);
    const auto paper_plain = number_of_paper(result.table, row.label, kPlain);
    const auto paper_rectangles = number_of_paper(result.table, row.label, kRectangles);
    if (plain && rectangles && paper_plain && paper_rectangles) {
      const double here = *plain - *rectangles;
      const double paper = *paper_plain - *paper_rectangles;
      claims.push_back(here > paper / 1.5 && here < paper * 1.5);
      saved.push_back(
          fmt::format("{} MB with {} nodes (the paper: {})", number_text(here), row.label, number_text(paper)));
    }
  }
  const auto mb = numbers_at(result.table, {{"8,192", kPlain}, {"8,192", kRectangles}, {"8,192", "ours, MB"}});
  if (!mb || saved.empty()) {
    return missing();
  }
  const auto [plain, rectangles, ours] = *mb;
  constexpr const char *kLast = "64 x 64 x 64 x 64 processes";
  constexpr double kStated = 2000; // MB
  const auto last = number_here(result.table, kLast, kPlain);
  if (last) {
    claims.push_back(*last > kStated / 1.5 && *last < kStated * 1.5);
  }
  return {word_for(claims),
          fmt::format("{}hat paper's scheme saves {}; with 8,192 nodes plain tables take {} MB, that paper's scheme "
                      "{} and our maps {}, and the paper's 60 and 20 MB are of all of the MPI library.",
                      last ? fmt::format("With {} plain tables take {} MB, where the paper extrapolates to {}; t",
                                         kLast, number_text(*last), paper_text(result.table, kLast, kPlain))
                           : "T",
                      fmt::join(saved, " and "), number_text(plain), number_text(rectangles), number_text(ours)),
          "60 and 20 MB", fmt::format("{} and {} MB", number_text(plain), number_text(rectangles))};
}

/// A cache does more than the plain table alone: by how much it measures faster is chance, and the
/// mapping function can only be compared if it is slower by more.
Verdict on_latency(const Result &result) {
  constexpr const char *kCaches[] = {"linear 8", "128 x 8"};
  std::vector<std::string> others; // schemes of the paper with a higher latency, by row
  std::size_t rows = 0;
  std::size_t holds = 0;
  double effect = 0;
  double chance = 0;
  for (const Row &row : result.table.rows) {
    const auto function = number_here(result.table, row.label, "mapping function");
    if (!function || !row.label.ends_with(kOverTable)) {
      continue;
    }
    ++rows;
    effect = std::max(effect, *function - 1);
    const std::size_t before = others.size();
    for (const char *const cache : kCaches) {
      const auto other = number_here(result.table, row.label, cache);
      chance = std::max(chance, 1 - other.value_or(1));
      if (other && *other > *function) {
        others.push_back(fmt::format("{} takes {:.3f} times the plain table and the function {:.3f}: {}", cache, *other,
                                     *function, row.label.substr(0, row.label.size() - kOverTable.size())));
      }
    }
    holds += others.size() == before && *function >= 1 ? 1 : 0;
  }
  if (rows == 0) {
    return missing();
  }
  const std::string here = fmt::format("in {} of {} rows", holds, rows);
  const std::string tally = fmt::format("{}{}", here, others.empty() ? "" : " (not where " + some_of(others) + ")");
  if (chance >= effect) {
    return {kNotMeasurable,
            fmt::format("The mapping function has the highest latency of the paper's schemes {}; this is chance, since "
                        "it measures at most {:.1f} % slower than the plain table, and a cache up to {:.1f} % faster.",
                        tally, 100 * effect, 100 * chance),
            "the highest", here};
  }
  return {word_for(holds, rows),
          fmt::format("Of the paper's schemes the mapping function without a cache has the highest latency {}.", tally),
          "the highest", here};
}

/// In how many rows a translation by the cache takes longer than by the mapping function alone.
std::string rows_of_slow_cache(const Table &table) {
  std::vector<std::string> slower;
  for (const Row &row : table.rows) {
    const auto cache = number_here(table, row.label, "128 x 8");
    const auto function = number_here(table, row.label, "mapping function");
    if (cache && function && *cache > *function && row.label.find("real processes") == std::string::npos) {
      slower.push_back(fmt::format("{} ({} ns; {})", row.label, number_text(*cache), number_text(*function)));
    }
  }
  return slower.empty() ? ""
                        : fmt::format("; the paper's cache hides the mapping function everywhere, here the cache takes "
                                      "longer than the function with {}",
                                      some_of(slower));
}

Verdict on_hits(const Result &result) {
  const auto hits = number_here(result.table, fmt::format("728 neighbours{}", kByNodes), "hits of 128 x 8, %");
  if (!hits) {
    return missing();
  }
  const auto by_rows = number_here(result.table, fmt::format("728 neighbours{}", kByRows), "hits of 128 x 8, %");
  return {std::abs(*hits - 60) < 5 ? kPartly : kContradicted,
          fmt::format("The cache finds {:.1f} % of 728 neighbours with ranks by nodes{}, the paper's about 60 % in an "
                      "order that it does not state{}; its latencies on a Blue Gene/Q cannot be measured here.",
                      *hits, by_rows ? fmt::format(" and {:.1f} % with ranks row by row", *by_rows) : "",
                      rows_of_slow_cache(result.table)),
          "about 60 %", by_rows ? fmt::format("{:.1f} to {:.1f} %", *hits, *by_rows) : fmt::format("{:.1f} %", *hits)};
}

/// In groups of how many members, from the smallest on, a row of `quantity` ("real, us") is faster
/// by merging than by the parent: "up to 2 members", "no group".
std::string extent_of_merging(const Table &table, const std::string &quantity) {
  std::string most;
  for (const Row &row : table.rows) {
    const auto merging = number_here(table, row.label, kMerging);
    const auto parent = number_here(table, row.label, "by the parent");
    if (!row.label.ends_with(quantity) || !merging || !parent) {
      continue;
    }
    if (*merging >= *parent) {
      break;
    }
    most = row.label.substr(0, row.label.find(' '));
  }
  return most.empty() ? "no group" : fmt::format("up to {} members", most);
}

/// The paper's "small groups" are more than those of two.
Verdict on_group(const Result &result) {
  constexpr const char *kAll = "8,192 of 8,192 simulated, us";
  const auto times =
      numbers_at(result.table, {{"2 of 8,192 simulated, us", kMerging}, {kAll, kMerging}, {kAll, "by the parent"}});
  if (!times) {
    return missing();
  }
  const auto [small, large, parent] = *times;
  constexpr const char *kMany = "32 of 32 real, us";
  const auto real = numbers_at(result.table, {{kMany, kMerging}, {kMany, "by the parent"}});
  const std::string simulated_extent = extent_of_merging(result.table, "simulated, us");
  const std::string real_extent = extent_of_merging(result.table, "real, us");
  const auto is_small = [](const std::string &extent) { return extent != "no group" && extent != "up to 2 members"; };
  std::vector<bool> claims{small < parent, is_small(simulated_extent), parent < large};
  if (real) {
    claims.insert(claims.end(), {is_small(real_extent), (*real)[1] < (*real)[0]});
  }
  return {word_for(claims),
          fmt::format(
              "Merging step by step is faster than creation by the parent for {} if simulated with 1 us per message{} "
              "(the paper: \"small groups\"); it takes {} us for 2 members and {} us for 8,192, the parent {} us{}; "
              "the paper prints no numbers.",
              simulated_extent, real ? fmt::format(", and for {} out of 32 real processes", real_extent) : "",
              number_text(small), number_text(large), number_text(parent),
              real ? fmt::format("; for 32 real processes it takes {} us, the parent {} us", number_text((*real)[0]),
                                 number_text((*real)[1]))
                   : ""),
          "no number", fmt::format("{} and {} us", number_text(small), number_text(large))};
}

/// Every interval of the collective balancing is one statement.
Verdict on_chains(const Result &result) {
  const std::string column = result.table.columns.empty() ? "" : result.table.columns.back();
  const char *const last = column.c_str();
  const auto seconds = numbers_at(result.table, {{"none", last}, {"asynchronous, to the right", last}});
  if (!seconds) {
    return missing();
  }
  const auto [none, right] = *seconds;
  // In percent, than without balancing.
  const auto less = [&](double time) { return 100 * (1 - time / none); };
  std::vector<bool> claims{std::abs(none - 7) < 0.1, less(right) > 40};
  std::vector<std::string> collective;
  std::vector<double> collective_less;
  for (const Row &row : result.table.rows) {
    constexpr std::string_view kCollective = "collective, every ";
    const auto time = number_here(result.table, row.label, column);
    if (time && row.label.starts_with(kCollective)) {
      claims.push_back(std::abs(less(*time) - 15) < 4);
      collective_less.push_back(less(*time));
      collective.push_back(fmt::format("{:.1f} % every {}", less(*time), row.label.substr(kCollective.size())));
    }
  }
  const auto real =
      numbers_at(result.table, {{"real processes: asynchronous, to the right", "32"}, {"real processes: none", "32"}});
  const double real_less = real ? 100 * (1 - (*real)[0] / (*real)[1]) : 0;
  if (real) {
    claims.push_back(real_less > 40);
  }
  return {
      word_for(claims),
      fmt::format("With {} simulated processes the kernel takes {} s without balancing (7 s), {:.1f} % less with "
                  "asynchronous (over 40 %) and, with collective balancing, less by {} items (roughly 15 % each){}{}.",
                  column, number_text(none), less(right), fmt::join(collective, ", "),
                  real ? fmt::format("; 32 real processes take {} s with asynchronous balancing, {:.1f} % less",
                                     number_text((*real)[0]), real_less)
                       : "",
                  paper_text(result.table, "asynchronous, to the right", column) == "below 4.2"
                      ? "; the paper's seconds of these rows are computed from its percentages"
                      : ""),
      "over 40 % less; collective roughly 15 %",
      fmt::format("{:.1f} % less; collective {} %", less(right), range_text(collective_less))};
}

template <Verdict (*Own)(const Result &)> Verdict and_others(const Result &result) {
  return with_others(Own(result), result.table, "before any process is met");
}

/// Connecting and spawning make the objects of the other job's processes.
Verdict on_dynamic_processes(const Result &result) {
  return with_others(on_negative_result(result), result.table, kConnectedInOpenMpi);
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
    {"000/figure9", and_others<on_split>},
    {"000/figure10", and_others<on_duplicates>},
    {"000/figure11", and_others<on_split_intercommunicators>},
    {"000/figure12", and_others<on_duplicate_intercommunicators>},
    {"000/figure13", and_others<on_random_growth>},
    {"000/figure14", on_dynamic_processes},
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
    {"003/figure3", on_gain_on_networks},
    {"003/figure4", on_gain_on_networks},
    {"003/figure5", on_gain_without_network},
    {"003/figure7", on_gain_of_application},
    {"003/figure8", on_gain_of_application},
    {"004/table1", on_all_equal},
    {"004/figure1", on_group},
    {"004/figure2", on_chains},
};

/// What ours take with what a network's library adds, by the sentences of the note on it; nothing
/// without any.
std::string with_provider(const Result &result) {
  static const std::regex kAdds(
      R"(Over (\S+) the process of avrankmap, (.+?) has ([0-9,]+) bytes more in a job of ([0-9,]+))");
  std::vector<std::string> ours;
  std::map<std::string, double> by_name;
  std::string network;
  std::string processes;
  for (std::sregex_iterator match(result.note.begin(), result.note.end(), kAdds), end; match != end; ++match) {
    network = (*match)[1];
    processes = (*match)[4];
    std::string added = (*match)[3];
    std::erase(added, ',');
    for (const auto &[bytes, name] : rivals_in(result.table, processes).ours) {
      if (name == (*match)[2]) {
        by_name[name] = bytes + std::stod(added);
        ours.push_back(fmt::format("{} ({})", number_text(by_name[name]), name));
      }
    }
  }
  return ours.empty() ? ""
                      : fmt::format("; with what {} adds for {} processes, which the table lacks, ours take {} bytes{}",
                                    network, processes, fmt::join(ours, " and "),
                                    by_name.size() > 1 && by_name["implicit AV"] > by_name["on demand"]
                                        ? ", an implicit AV the more since it connects all peers"
                                        : "");
}

/// All sentences, and in the contents the nearest rival and ours in one row: of rates the fastest.
Verdict on_ours(const std::string &id, const Result &result) {
  const bool of_rates = id == "whole-device-rate";
  const std::string row = id != "bytes-per-process"   ? "786,432"
                          : result.table.rows.empty() ? ""
                                                      : result.table.rows.back().label;
  const char *const unit = of_rates ? " million/s" : " bytes";
  const Rivals rivals = rivals_in(result.table, row);
  const auto &nearest = of_rates ? rivals.most : rivals.least;
  std::vector<std::string> ours;
  for (const auto &[number, name] : rivals.ours) {
    ours.push_back(fmt::format("{} ({})", number_text(number), name));
  }
  std::string sentence = fmt::format("{}", fmt::join(conclude(id, result), " "));
  if (!of_rates && sentence.ends_with('.')) {
    sentence.pop_back();
    sentence += with_provider(result) +
                "; MPICH is built for libfabric: for UCX the entry of a process takes 16 bytes instead of 72 in 4.0.2, "
                "and more than 32,000 in later versions.";
  }
  return {kNoPaper, sentence,
          nearest ? fmt::format("{}{} ({}), {} processes", number_text(nearest->first), unit, nearest->second, row)
                  : "",
          fmt::format("{}", fmt::join(ours, ", "))};
}

} // namespace

Verdict judge(const std::string &id, const Result &result, double spread) {
  if (id == "003/figure6") {
    return on_each_proposal(result, spread);
  }
  const auto *const found = std::find_if(std::begin(kJudgements), std::end(kJudgements),
                                         [&](const Judgement &judgement) { return judgement.id == id; });
  return found != std::end(kJudgements) ? found->verdict(result) : on_ours(id, result);
}

} // namespace avrankmap::bench
