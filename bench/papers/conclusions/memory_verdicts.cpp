// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/judgements.h"

#include "papers/conclusions/comparison.h"
#include "papers/conclusions/judging.h"
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr const char *kWith10 = "10 communicators, MiB";
constexpr const char *kWith100 = "100 communicators, MiB";
constexpr const char *kMapsOf100 = "maps of 100, bytes";
constexpr const char *kTheirMib = "VC-VCRT, MiB";
constexpr const char *kStrictRow = "AV-Rankmap (strict)";
constexpr const char *kFourBytes = "VC-VCRT, tables of 4 bytes (computed)";
constexpr const char *kAvRankmapMib = "AV-Rankmap (all forms, table AV), MiB";
constexpr const char *kTableRow = "ours, table AV";
constexpr const char *kImplicit = "ours, implicit AV";

/// Why our address tables are larger than the paper's bars, or nothing if none is.
std::string entries_of_12_bytes(const Table &table) {
  for (const Row &row : table.rows) {
    const auto here = number_here(table, row.label, kAvRankmapMib);
    const auto paper = number_of_paper(table, row.label, kAvRankmapMib);
    if (here && paper && *here > 1.1 * *paper) {
      return fmt::format("; AV-Rankmap's {} MiB in the row {} are 12 bytes per process, as the paper describes its "
                         "entries, and its {} MB are {}",
                         number_text(*here), row.label, number_text(*paper),
                         number_text(std::round(12 * *paper / *here)));
    }
  }
  return "";
}

/// VC-VCRT's memory in the rows where the paper has words for it, "around 15", and those words.
std::string theirs_in_words(const Table &table) {
  std::vector<double> here;
  std::string paper;
  for (const Row &row : table.rows) {
    const std::string words = paper_text(table, row.label, kTheirMib);
    const auto mib = number_here(table, row.label, kTheirMib);
    if (mib && !words.empty() && !number_of_paper(table, row.label, kTheirMib)) {
      here.push_back(*mib);
      paper = words;
    }
  }
  return here.empty() ? ""
                      : fmt::format("; VC-VCRT takes {} MiB in the {} rows where the paper has {}", range_text(here),
                                    here.size(), paper);
}

/// How large Nekbone's tables of VCRTs are in comparison with those of the other rows, or nothing.
std::string tables_of_nekbone(const Table &table) {
  constexpr const char *kTheirMaps = "VC-VCRT, maps, bytes";
  const auto nekbone = number_here(table, "Nekbone", kTheirMaps);
  std::vector<double> ratios;
  for (const Row &row : table.rows) {
    const auto other = number_here(table, row.label, kTheirMaps);
    if (nekbone && other && *other != 0 && row.label != "Nekbone") {
      ratios.push_back(*nekbone / *other);
    }
  }
  return ratios.empty()
             ? ""
             : fmt::format("; Nekbone's VCRTs take {} times the bytes of the others', {} of them more than "
                           "Nekbone's (the paper: Nekbone's take about 50 % more)",
                           range_text(ratios),
                           std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio < 1; }));
}

constexpr const char *kWithNodes = "VC-VCRT, with its tables of nodes";

/// MiB of MPICH 3.2's tables of nodes, 8 bytes per rank, of an application whose communicators have
/// all processes; those with fewer take less. Each communicator has two internal ones without such
/// tables, and a process a VC of 480 bytes.
std::optional<double> tables_of_nodes(const Table &table, const std::string &application) {
  constexpr double kMib = 1 << 20;
  const auto communicators = number_here(table, application, "communicators");
  const auto all = number_here(table, application, kTheirMib);
  const auto maps = number_here(table, application, "VC-VCRT, maps, bytes");
  if (!communicators || !all || !maps) {
    return std::nullopt;
  }
  return (*all - *maps / kMib) / 480 * 8 * *communicators / 3;
}

/// What VC-VCRT's values of applications lack.
std::string without_tables_of_nodes(const Table &table) {
  std::vector<double> most;
  for (const Row &row : table.rows) {
    if (const auto nodes = tables_of_nodes(table, row.label)) {
      most.push_back(*nodes);
    }
  }
  return fmt::format("; VC-VCRT's values are without MPICH 3.2's tables of nodes, 8 bytes per rank of each "
                     "communicator{}, which 000/figure9 needs and the paper's values here exclude",
                     most.empty() ? "" : fmt::format(" (at most {} MiB more)", range_text(most)));
}

/// Rows of other systems whose maps take fewer bytes than ours, or nothing.
std::string smaller_maps(const Table &table) {
  const auto ours = number_here(table, kTableRow, kMapsOf100);
  std::vector<std::string> smaller;
  for (const Row &row : table.rows) {
    const auto theirs = number_here(table, row.label, kMapsOf100);
    const bool is_other =
        row.label.starts_with("MPICH") || row.label.starts_with("Open MPI") || row.label.starts_with("VC-VCRT");
    if (ours && theirs && is_other && *theirs < *ours) {
      const bool has_two = row.label.starts_with("MPICH 4.0.2");
      smaller.push_back(
          fmt::format("{} ({}{})", row.label, number_text(*theirs), has_two ? ", with one of its two maps" : ""));
    }
  }
  return smaller.empty() ? ""
                         : fmt::format("; maps of 100 communicators take fewer bytes than ours ({}) in {}",
                                       number_text(*ours), some_of(smaller));
}

} // namespace

Verdict with_others(Verdict verdict, const Table &table, const char *state) {
  const auto mib = numbers_at(
      table, {{kOpenMpiAsShipped, kWith100}, {kOpenMpiSparse, kWith100}, {kTableRow, kWith100}, {kImplicit, kWith100}});
  if (mib && verdict.sentence.ends_with('.')) {
    const auto [shipped, sparse, table_av, implicit] = *mib;
    verdict.sentence.pop_back();
    verdict.sentence +=
        fmt::format("; Open MPI takes {} MiB with 100 communicators as shipped and {} with sparse groups, {}, ours {} "
                    "with a table AV and {} with an implicit one{}.",
                    number_text(shipped), number_text(sparse), state, number_text(table_av), number_text(implicit),
                    smaller_maps(table));
  }
  return verdict;
}

Verdict on_split(const Result &result) {
  const auto mib = numbers_at(result.table, {{"VC-VCRT", kWith10},
                                             {kWithNodes, kWith10},
                                             {"VC-VCRT", kWith100},
                                             {kWithNodes, kWith100},
                                             {kStrictRow, kWith100}});
  if (!mib) {
    return missing();
  }
  const auto [drawn_10, nodes_10, drawn_100, nodes_100, strict] = *mib;
  const auto percent = [](double of) { return 100 * of / 1024; }; // MiB of a process on Mira
  return {
      word_for(
          {std::abs(strict - 9) < 0.5, percent(nodes_10) > 40, percent(nodes_100) > 100, nodes_100 >= 1000 * strict}),
      fmt::format(
          "With 100 communicators VC-VCRT takes {:.1f} % of the 1 GiB of a process on Mira as drawn, and {:.1f} % "
          "with its tables of nodes (the paper: exceeds it); with 10 it takes {:.1f} and {:.1f} % (more than 40 %); "
          "AV-Rankmap (strict, with a table of addresses) takes {} MiB with 100 (9 MB), a factor of {} to {}, where "
          "the paper's introduction has \"several orders of magnitude in many important cases\".",
          percent(drawn_100), percent(nodes_100), percent(drawn_10), percent(nodes_10), number_text(strict),
          number_text(drawn_100 / strict), number_text(nodes_100 / strict)),
      paper_text(result.table, "VC-VCRT", kWith100), range_text(std::array{drawn_100, nodes_100}) + " MiB"};
}

Verdict on_split_intercommunicators(const Result &result) {
  const auto mib = numbers_at(result.table, {{kWithNodes, kWith100}, {"VC-VCRT", kWith100}, {kStrictRow, kWith100}});
  if (!mib) {
    return missing();
  }
  const auto [with_nodes, without, strict] = *mib;
  constexpr double kPaper = 1400;
  const auto whole = number_here(result.table, std::string(kWithNodes) + ", groups not halved", kWith100);
  const std::string intra = std::string(kSplitOfTheWorld) + "VC-VCRT";
  const std::string intra_nodes = std::string(kSplitOfTheWorld) + kWithNodes;
  const auto split = numbers_at(result.table, {{intra.c_str(), kWith100}, {intra_nodes.c_str(), kWith100}});
  std::vector<bool> claims{std::abs(with_nodes - kPaper) < kPaper / 10, with_nodes > 10 * strict};
  std::string more;
  if (split) { // the paper: 1.4 GB instead of 1
    claims.insert(claims.end(), {without > (*split)[0], with_nodes > (*split)[1]});
    more = fmt::format("; that they take more than split communicators of the world, as in the paper, is {} as drawn "
                       "({} and {} MiB) and {} with tables of nodes ({} and {}){}",
                       claims[2], number_text(without), number_text((*split)[0]), claims[3], number_text(with_nodes),
                       number_text((*split)[1]),
                       whole ? fmt::format(", and {} with these if groups are not halved", *whole > (*split)[1]) : "");
  }
  return {
      word_for(claims),
      fmt::format("With 100 intercommunicators VC-VCRT takes {} MiB as drawn and {} with its tables of nodes, {} to "
                  "{} times as much as AV-Rankmap (strict, with a table of addresses), which takes {}; the paper's "
                  "VC-VCRT takes about 1.4 GB{}{}.",
                  number_text(without), number_text(with_nodes), number_text(without / strict),
                  number_text(with_nodes / strict), number_text(strict),
                  whole ? fmt::format(", and here {} MiB if groups are not halved", number_text(*whole)) : "", more),
      "about 1.4 GB", range_text(std::array{without, with_nodes, whole.value_or(with_nodes)}) + " MiB"};
}

/// The share of addresses in VC-VCRT's memory, in both sizes of its tables.
Verdict on_duplicates(const Result &result) {
  constexpr const char *kAddresses = "addresses, MiB";
  const auto mib = numbers_at(result.table, {{"VC-VCRT", kAddresses},
                                             {"VC-VCRT", kWith100},
                                             {kFourBytes, kWith100},
                                             {kWithNodes, kWith100},
                                             {kStrictRow, kWith100}});
  if (!mib) {
    return missing();
  }
  const auto [addresses, pointers, indices, with_nodes, strict] = *mib;
  const auto share = [of = addresses](double all) { return 100 * of / all; };
  const auto is_near = [](double percent) { return std::abs(percent - 95) <= 2; };
  return {word_for({is_near(share(pointers)), is_near(share(indices))}),
          fmt::format(
              "With 100 duplicates addresses are {:.1f} % of VC-VCRT's memory with tables of pointers, {:.1f} % "
              "with tables of 4 bytes, and {:.1f} % with the tables of nodes of MPICH 3.2 (the paper: nearly 95 %{}); "
              "AV-Rankmap (strict, with a table of addresses) takes {} MiB instead of {}.",
              share(pointers), share(indices), share(with_nodes),
              is_near(share(with_nodes)) ? "" : ", which cannot include these", number_text(strict),
              number_text(pointers)),
          "nearly 95 %", fmt::format("{:.1f} %", share(pointers))};
}

/// Whether intercommunicators take more of VC-VCRT than duplicates of the world, with and without
/// its tables of nodes.
Verdict on_duplicate_intercommunicators(const Result &result) {
  const std::string pointers = std::string(kOfTheWorld) + "VC-VCRT";
  const std::string with_nodes = pointers + ", with its tables of nodes";
  const auto mib = numbers_at(result.table, {{"VC-VCRT", kWith100},
                                             {pointers.c_str(), kWith100},
                                             {kWithNodes, kWith100},
                                             {with_nodes.c_str(), kWith100},
                                             {kStrictRow, kWith100}});
  if (!mib) {
    return missing();
  }
  const auto [inter, intra, inter_nodes, intra_nodes, strict] = *mib;
  const auto slightly = [](double more, double less) { return more > less && more < 1.5 * less; };
  return {
      word_for({slightly(inter, intra), slightly(inter_nodes, intra_nodes)}),
      fmt::format("The paper's numbers are slightly higher than those of duplicates of the world: here VC-VCRT takes "
                  "{} MiB with 100 intercommunicators and {} with 100 duplicates{} with its tables of nodes {} and {}; "
                  "AV-Rankmap (strict, with a table of addresses) takes {}.",
                  number_text(inter), number_text(intra),
                  (inter > intra) == (inter_nodes > intra_nodes) ? ", and" : ", but", number_text(inter_nodes),
                  number_text(intra_nodes), number_text(strict)),
      "slightly higher", range_text(std::array{inter / intra, inter_nodes / intra_nodes}) + " times"};
}

Verdict on_random_growth(const Result &result) {
  const auto bytes =
      numbers_at(result.table, {{kStrictRow, kMapsOf100}, {"VC-VCRT", kMapsOf100}, {kFourBytes, kMapsOf100}});
  if (!bytes) {
    return missing();
  }
  const auto [strict, pointers, indices] = *bytes;
  const auto with_nodes = number_here(result.table, kWithNodes, kMapsOf100);
  const auto is_near_one = [](double ratio) { return std::abs(ratio - 1) < 0.1; };
  std::vector<double> ratios{strict / pointers, strict / indices};
  if (with_nodes) {
    ratios.push_back(strict / *with_nodes);
  }
  return {
      is_near_one(strict / pointers)  ? kReproduced
      : is_near_one(strict / indices) ? kPartly
                                      : kContradicted,
      fmt::format("The paper has maps as large as VC-VCRT's: here AV-Rankmap (strict) takes {} times VC-VCRT's tables "
                  "of pointers, as in MPICH 3.2{}, and {} times tables of 4 bytes, as in the paper's listing.",
                  number_text(strict / pointers),
                  with_nodes ? fmt::format(" ({} times with its tables of nodes)", number_text(ratios.back())) : "",
                  number_text(strict / indices)),
      "as VC-VCRT's", range_text(ratios) + " times"};
}

Verdict on_negative_result(const Result &result) {
  const auto mib = numbers_at(result.table, {{kStrictRow, kWith100}, {"VC-VCRT", kWith100}, {kFourBytes, kWith100}});
  if (!mib) {
    return missing();
  }
  const auto [strict, pointers, indices] = *mib;
  const auto bytes =
      numbers_at(result.table, {{kStrictRow, kMapsOf100}, {"VC-VCRT", kMapsOf100}, {kFourBytes, kMapsOf100}});
  const auto with_10 = numbers_at(result.table, {{kStrictRow, kWith10}, {"VC-VCRT", kWith10}, {kFourBytes, kWith10}});
  return {word_for({strict > pointers, strict > indices}),
          fmt::format(
              "The paper's negative result is that mlut takes more than VC-VCRT with 100 communicators: here "
              "AV-Rankmap (strict) takes {} MiB, VC-VCRT {} with entries of 8 bytes and {} with 4{}{}.",
              number_text(strict), number_text(pointers), number_text(indices),
              with_10 ? fmt::format("; with 10 it takes {}, VC-VCRT {} and {} (the paper: less than VC-VCRT)",
                                    number_text((*with_10)[0]), number_text((*with_10)[1]), number_text((*with_10)[2]))
                      : "",
              bytes ? fmt::format("; its maps alone take {} times the bytes of VC-VCRT's with 8-byte entries "
                                  "and {} times with 4-byte ones (the paper: about twice)",
                                  number_text((*bytes)[0] / (*bytes)[1]), number_text((*bytes)[0] / (*bytes)[2]))
                    : ""),
          "more than VC-VCRT", range_text(std::array{strict / pointers, strict / indices}) + " times"};
}

Verdict on_nek5000(const Result &result) {
  std::vector<double> without;
  std::vector<double> with_nodes;
  for (const Row &row : result.table.rows) {
    const auto mib = number_here(result.table, row.label, kTheirMib);
    const auto nodes = tables_of_nodes(result.table, row.label);
    if (mib && nodes) {
      without.push_back(*mib);
      with_nodes.push_back(*mib + *nodes);
    }
  }
  if (without.empty()) {
    return missing();
  }
  const auto near = [](const std::vector<double> &all) {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](double mib) { return std::abs(mib - 250) < 25; }));
  };
  const std::size_t near_without = near(without);
  const std::size_t near_with = near(with_nodes);
  std::vector<double> all = without;
  all.insert(all.end(), with_nodes.begin(), with_nodes.end());
  return {word_for(near_without + near_with, all.size()),
          fmt::format(
              "VC-VCRT takes {} MiB without MPICH 3.2's tables of nodes, around the paper's 250, within a tenth, "
              "in {} of {} rows, and {} with them, computed as 8 bytes per rank of each communicator, around 250 in "
              "{}{}; AV-Rankmap, which the paper calls negligible, takes {}.",
              range_text(without), near_without, without.size(), range_text(with_nodes), near_with,
              near_without > near_with ? ": 000/figure9 needs these tables, and 000/figure10 and this figure "
                                         "exclude them, so that they do not fit one MPICH 3.2"
                                       : "",
              range_text(numbers_of_column(result.table, kAvRankmapMib))),
          "around 250 MB", range_text(all) + " MiB"};
}

Verdict on_miniapps_memory(const Result &result) {
  Verdict verdict = within(result.table, 1.1, "values");
  if (verdict.sentence.ends_with('.') && verdict.word != kNotMeasurable) {
    verdict.sentence.pop_back();
    verdict.sentence += entries_of_12_bytes(result.table) + tables_of_nekbone(result.table) +
                        theirs_in_words(result.table) + without_tables_of_nodes(result.table) + ".";
  }
  std::vector<std::pair<std::string, std::vector<double>>> theirs; // by the paper's text
  for (const Row &row : result.table.rows) {
    const auto mib = number_here(result.table, row.label, kTheirMib);
    if (const std::string paper = paper_text(result.table, row.label, kTheirMib); mib && !paper.empty()) {
      if (theirs.empty() || theirs.back().first != paper) {
        theirs.push_back({paper, {}});
      }
      theirs.back().second.push_back(*mib);
    }
  }
  if (!theirs.empty()) {
    std::vector<std::string> papers;
    std::vector<std::string> here;
    for (const auto &[paper, mib] : theirs) {
      papers.push_back(paper);
      here.push_back(range_text(mib));
    }
    verdict.paper = fmt::format("{} MB", fmt::join(papers, ", "));
    verdict.here = fmt::format("{} MiB", fmt::join(here, ", "));
  }
  return verdict;
}

} // namespace avrankmap::bench
