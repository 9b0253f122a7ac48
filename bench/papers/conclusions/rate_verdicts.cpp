// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/judgements.h"

#include "papers/conclusions/comparison.h"
#include "papers/conclusions/judging.h"
#include "papers/conclusions/names.h"

#include <cmath>
#include <cstdio>
#include <string_view>

namespace avrankmap::bench {
namespace {

/// The paper's texts of a row without repetitions: "nearly 1.5 and close to 4".
std::string texts_of_paper(const Table &table, const std::string &row) {
  std::vector<std::string> texts;
  for (const std::string &column : table.columns) {
    const std::string text = paper_text(table, row, column);
    if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(text);
    }
  }
  return fmt::format("{}", fmt::join(texts, " and "));
}

/// Ratios to VC-VCRT's rate in rows of a table, in the cells in which the paper has one.
struct OverVcVcrt {
  std::vector<double> here;
  std::vector<double> papers;
  std::vector<std::string> behind;  ///< cells below 1
  std::vector<std::string> of_ours; ///< the same without a ratio of the paper
  std::size_t inlined = 0;          ///< cells that can be compared with VC-VCRT inlined
  std::size_t faster_than_inlined = 0;

  /// @param is_faster  than VC-VCRT inlined, by row and column; nothing if that is not known
  template <class IsFaster> OverVcVcrt(const Table &table, const std::vector<std::string> &rows, IsFaster is_faster) {
    for (const std::string &row : rows) {
      for (const std::string &column : table.columns) {
        const auto ratio = number_here(table, row, column);
        const auto paper = number_of_paper(table, row, column);
        if (ratio && !paper && *ratio < 1) {
          of_ours.push_back(fmt::format("{}, {} ({})", row, column, number_text(*ratio)));
        }
        if (!ratio || !paper) {
          continue;
        }
        here.push_back(*ratio);
        papers.push_back(*paper);
        if (*ratio < 1) {
          behind.push_back(fmt::format("{}, {} ({})", row, column, number_text(*ratio)));
        }
        if (const std::optional<bool> faster = is_faster(row, column)) {
          ++inlined;
          faster_than_inlined += *faster ? 1 : 0;
        }
      }
    }
  }

  /// Reproduced only if the maps are also as fast as VC-VCRT without its call.
  [[nodiscard]] Verdict verdict(const std::string &remark) const {
    if (here.empty()) {
      return missing();
    }
    const std::size_t holds = here.size() - behind.size();
    return {
        word_for(holds + faster_than_inlined, here.size() + inlined),
        fmt::format("Without a network a map is at least as fast as VC-VCRT{} with a call per operation, as in MPICH "
                    "3.2, in {} of the {} cells for which the paper has a ratio{}{}{}.",
                    inlined == 0 ? "" : fmt::format(" inlined in {} of {} cells, and as", faster_than_inlined, inlined),
                    holds, here.size(), behind.empty() ? "" : "; slower: " + some_of(behind),
                    of_ours.empty() ? "" : "; slower, where the paper has none: " + some_of(of_ours), remark),
        range_text(papers) + " times", range_text(here) + " times"};
  }
};

/// Counts of the operations whose number falls from build to build, and where ours are greater.
struct Builds {
  std::vector<double> here;
  std::vector<std::string> greater; ///< than the paper's

  Builds(const Table &table, const char *operation, const char *name) {
    for (const Row &row : table.rows) {
      const auto count = number_here(table, row.label, operation);
      if (!count || row.label.find("less than") != std::string::npos) {
        continue;
      }
      here.push_back(*count);
      if (const auto paper = number_of_paper(table, row.label, operation); paper && *count > *paper) {
        greater.push_back(fmt::format("{}, {} ({}; {})", row.label, name, number_text(*count), number_text(*paper)));
      }
    }
  }
  /// "81 to 54", of the first and the last build.
  [[nodiscard]] std::string extent() const {
    return here.empty() ? "-" : fmt::format("{} to {}", number_text(here.front()), number_text(here.back()));
  }
  [[nodiscard]] bool falls() const { return std::is_sorted(here.rbegin(), here.rend()); }
};

/// "; goto takes 0 more than switch (the paper: 13)", in all columns or in one; nothing without
/// values of both. Ours has none in the paper.
std::string more_instructions(const Table &table, const char *base, const char *way, const std::string &only) {
  std::vector<double> here;
  std::vector<double> papers;
  for (const std::string &column : table.columns) {
    const auto counts = numbers_at(table, {{base, column.c_str()}, {way, column.c_str()}});
    const auto paper = number_of_paper(table, way, column);
    const auto paper_base = number_of_paper(table, base, column);
    if (counts && paper_base && (only.empty() || only == column)) {
      here.push_back((*counts)[1] - (*counts)[0]);
    }
    if (counts && paper_base && paper && (only.empty() || only == column)) {
      papers.push_back(*paper - *paper_base);
    }
  }
  return here.empty() ? ""
                      : fmt::format("; {} takes {} more than {}{}{}", way, range_text(here), base,
                                    only.empty() ? "" : fmt::format(" for a {} map", only),
                                    papers.empty() ? "" : fmt::format(" (the paper: {})", range_text(papers)));
}

/// "3 to 6 times as long as VC-VCRT's with up to 16 processes, more in 15 of 15 rows"
std::string times_of_some_maps(const std::vector<double> &ratios, const char *processes) {
  const auto more = std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio > 1; });
  return fmt::format("{} times as long as VC-VCRT's with {}, longer in {} of {} rows", range_text(ratios), processes,
                     more, ratios.size());
}

/// How long strict maps alone take, of few processes and of many, where the paper's AV-Rankmap
/// always adds time; nothing without such rows.
std::string times_of_maps(const Table &table) {
  std::vector<double> few;
  std::vector<double> many;
  for (const Row &row : table.rows) {
    if (const auto ratio = number_here(table, row.label, kStrictMapsOver)) {
      (row.label.ends_with("real processes") ? few : many).push_back(*ratio);
    }
  }
  if (few.empty() || many.empty()) {
    return "";
  }
  return fmt::format("In the paper, AV-Rankmap makes every creation take longer; strict maps alone take {}, and {}",
                     times_of_some_maps(few, "up to 16 processes"), times_of_some_maps(many, "4,096 or more"));
}

/// How many of the computed percentages lie outside the paper's, "3 to 6".
std::string percentages_outside(const Table &table) {
  std::size_t all = 0;
  std::size_t outside = 0;
  for (const Row &row : table.rows) {
    const auto here = number_here(table, row.label, kStrictWhole);
    double least = 0;
    double most = 0;
    const std::string paper = paper_text(table, row.label, kStrictWhole);
    if (here && std::sscanf(paper.c_str(), "%lf to %lf", &least, &most) == 2) { // NOLINT(cert-err34-c)
      ++all;
      outside += *here < least || *here > most ? 1 : 0;
    }
  }
  return all == 0 ? "" : fmt::format("; {} of {} computed percentages lie outside the paper's", outside, all);
}

std::string open_mpi_as_shipped(const Table &table) {
  const auto shipped = numbers_of_row(table, kOpenMpiAsShipped);
  return shipped.empty() ? ""
                         : fmt::format("; Open MPI, which has no sparse groups as shipped, takes {}, with the test "
                                       "whether a process was met, which the row of sparse groups lacks",
                                       range_text(shipped));
}

} // namespace

/// VC-VCRT takes the same for every map, so that all of its counts are one.
Table with_vc_vcrt_once(Table table) {
  for (Row &row : table.rows) {
    for (std::size_t i = 1; row.label == "VC-VCRT" && i < row.cells.size(); ++i) {
      row.cells[i].paper = {};
    }
  }
  return table;
}

Verdict on_table_of_instructions(const Result &result) {
  const Table counts = with_vc_vcrt_once(result.table);
  const Ratios near = ratios_to_paper(counts, 1.25);
  const Ratios twice = ratios_to_paper(counts, 2);
  if (near.all.empty()) {
    return missing();
  }
  const std::size_t all = near.all.size();
  const std::size_t outside = twice.outside.size();
  const auto stride = numbers_at(result.table, {{"switch", "direct"}, {"switch", "stride"}});
  const std::string more = more_instructions(result.table, "VC-VCRT", "switch", "direct") +
                           more_instructions(result.table, "VC-VCRT", "ours", "direct") +
                           more_instructions(result.table, "switch", "goto", "") +
                           more_instructions(result.table, "hybrid", "switch", "direct") +
                           (stride ? fmt::format("; a stride takes {} more than direct in the switch (the paper: 4)",
                                                 number_text((*stride)[1] - (*stride)[0]))
                                   : "") +
                           open_mpi_as_shipped(result.table);
  return {near.outside.empty() ? kReproduced
          : outside == all     ? kContradicted
                               : kPartly,
          fmt::format("{} of {} counts lie within a quarter of the paper's, {} within a factor of 2{}{}.",
                      all - near.outside.size(), all, all - outside,
                      outside == 0 ? "" : "; not: " + places_text(twice.outside), more),
          range_text(near.paper), range_text(near.here)};
}

Verdict on_rates(const Result &result) {
  const OverVcVcrt ratios(result.table, {"over VC-VCRT (8 procs, theoretical)", "over VC-VCRT (2 procs, theoretical)"},
                          [&](const std::string &row, const std::string &column) -> std::optional<bool> {
                            constexpr std::string_view kCalled = "over VC-VCRT";
                            const auto ratio = number_here(
                                result.table, std::string(kCalled) + ", inlined" + row.substr(kCalled.size()), column);
                            return ratio ? std::optional(*ratio >= 1) : std::nullopt;
                          });
  Verdict verdict = ratios.verdict(
      "; the rows are of the translation that our library has, the paper's of a switch (001/table6); rows "
      "on a network are not judged, since processes share this machine's processors");
  verdict.word = verdict.word == kReproduced ? kPartly : verdict.word;
  return verdict;
}

Verdict on_dispatch(const Result &result) {
  const OverVcVcrt ratios(result.table, {"switch, over VC-VCRT", "hybrid, over VC-VCRT"},
                          [&](const std::string &row, const std::string &column) -> std::optional<bool> {
                            const std::string way = row.substr(0, row.find(','));
                            const auto rate = number_here(result.table, fmt::format("Blues ({})", way), column);
                            const auto inlined = number_here(result.table, "VC-VCRT, inlined", column);
                            return rate && inlined ? std::optional(*rate >= *inlined) : std::nullopt;
                          });
  return ratios.verdict("");
}

Verdict on_network(const Result &result) {
  const std::vector<double> rates = numbers_of_row(result.table, "Blues (switch)");
  return {kNotMeasurable,
          "The paper's rates are over InfiniBand and a torus with a core per process; here 16 processes share this "
          "machine's processors over loopback.",
          "4.3 million/s", rates.empty() ? "" : range_text(rates) + " million/s"};
}

Verdict on_creation_times(const Result &result) {
  const std::vector<double> strict = numbers_of_column(result.table, kStrictWhole);
  const std::string here = strict.empty() ? "" : range_text(strict) + " %";
  std::string paper; // the published text's; that of the earlier one follows a comma
  for (const Row &row : result.table.rows) {
    const std::string text = paper_text(result.table, row.label, kStrictWhole);
    paper = paper.empty() && !text.empty() ? text.substr(0, text.find(',')) + " %" : paper;
  }
  if (strict.empty() || result.note.find("share") != std::string::npos) {
    const std::string of_maps = times_of_maps(result.table);
    return {kNotMeasurable,
            fmt::format("{}hole creations are not measurable, since the paper's processes have a processor each and up "
                        "to 16 processes share those of this machine{}.",
                        of_maps.empty() ? "W" : of_maps + "; w", percentages_outside(result.table)),
            paper, here};
  }
  const auto holds = static_cast<std::size_t>(
      std::count_if(strict.begin(), strict.end(), [](double percent) { return percent >= 0 && percent <= 8; }));
  return {word_for(holds, strict.size()),
          fmt::format("Whole creations take {} more time with strict maps than with VC-VCRT's.", here), paper, here};
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
          fmt::format("Sparse groups run at {} of default Open MPI's rate in generation 1 and {} in generation 4: they "
                      "lose {:.0f} and {:.0f} % where the paper's lose around 10 and nearly 40 %, with all of Open MPI "
                      "in the loop; each generation here has every third rank of the one before, the paper's every "
                      "second.",
                      number_text(first), number_text(fourth), 100 * (1 - first), 100 * (1 - fourth)),
          "loses nearly 40 %", fmt::format("loses {:.0f} %", 100 * (1 - fourth))};
}

Verdict on_purposes(const Result &result) {
  const auto isend = number_here(result.table, "in all", "MPI_ISEND");
  std::vector<std::string> negative;
  for (const Row &row : result.table.rows) {
    for (const std::string &column : result.table.columns) {
      if (const auto count = number_here(result.table, row.label, column); count && *count < 0) {
        negative.push_back(fmt::format("{}, {}", row.label, column));
      }
    }
  }
  return {kNotMeasurable,
          fmt::format("The paper counts MPICH/CH4 of 2017, which is not built here, and its rows of MPI_PUT add up to "
                      "217 where its text has 215; the counts here are of our own device{}.",
                      negative.empty() ? ""
                                       : "; each is the difference of two builds, and below 0 where the leaner one "
                                         "takes more: " +
                                             some_of(negative)),
          "221", isend ? number_text(*isend) : ""};
}

Verdict on_builds(const Result &result) {
  const Builds isend(result.table, "MPI_ISEND", "isend");
  const Builds put(result.table, "MPI_PUT", "put");
  if (isend.here.size() < 2) {
    return missing();
  }
  std::vector<std::string> greater = isend.greater;
  greater.insert(greater.end(), put.greater.begin(), put.greater.end());
  const bool both = isend.falls() && put.falls();
  return {both ? kPartly : kContradicted,
          fmt::format("Counts of {} from build to build, as the paper's do; they are of our own device{}, and the "
                      "percentages are of the paper's MPICH/Original, which is not built here.",
                      both            ? "an isend and of a put fall"
                      : isend.falls() ? "a put do not fall"
                                      : "an isend do not fall",
                      greater.empty() ? "" : ", greater than the paper's in " + some_of(greater)),
          "221 to 59 (isend), 215 to 44 (put)", isend.extent() + " (isend), " + put.extent() + " (put)"};
}

Verdict on_gain_on_networks(const Result &result) {
  const std::string theirs = texts_of_paper(result.table, "ours (no-err-single-ipo) over MPICH/Original");
  const std::vector<double> gains = numbers_of_row(result.table, "ours (no-err-single-ipo) over ours (default)");
  return {kNotMeasurable,
          fmt::format(
              "The paper's leanest build has {} times the rate of MPICH/Original on networks that are not here (isends "
              "and puts); ours has {} times the rate of our own default build.",
              theirs.empty() ? "several" : theirs, range_text(gains)),
          theirs.empty() ? "" : theirs + " times MPICH/Original",
          gains.empty() ? "" : range_text(gains) + " times our default build"};
}

Verdict on_gain_without_network(const Result &result) {
  const std::string theirs = texts_of_paper(result.table, "ours (no-err-single-ipo) over MPICH/Original");
  std::vector<double> gains; // of printed rates
  for (const char *const operation : {"isend", "put"}) {
    const auto lean = number_here(result.table, "ours (no-err-single-ipo)", operation);
    const auto base = number_here(result.table, "ours (default)", operation);
    if (lean && base && *base != 0) {
      gains.push_back(*lean / *base);
    }
  }
  return {kNotMeasurable,
          fmt::format("The paper's gain is over MPICH/Original, which is not built here; by the printed rates our "
                      "leanest build has {} times the rate of our own default build.",
                      range_text(gains)),
          theirs, gains.empty() ? "" : range_text(gains) + " times our default build"};
}

Verdict on_each_proposal(const Result &result, double spread) {
  constexpr const char *kRate = "isend, million/s";
  const auto base = number_here(result.table, "no-err-single-ipo", kRate);
  std::vector<std::string> slower;
  std::size_t all = 0;
  std::size_t by_chance = 0; // faster, but by no more than runs differ
  const Row *fastest = nullptr;
  double highest = 0;
  for (const Row &row : result.table.rows) {
    const auto rate = number_here(result.table, row.label, kRate);
    if (base && rate && row.label != "no-err-single-ipo") {
      ++all;
      if (*rate > highest) {
        fastest = &row;
        highest = *rate;
      }
      if (*rate < *base) {
        slower.push_back(fmt::format("{} ({} times)", row.label, number_text(*rate / *base)));
      } else {
        by_chance += *rate <= *base * (1 + spread) ? 1 : 0;
      }
    }
  }
  if (all == 0) {
    return missing();
  }
  std::size_t savings = 0;
  std::vector<std::string> less;
  for (const Row &row : result.table.rows) {
    for (const std::string operation : {"isend", "put"}) {
      const auto here = number_here(result.table, row.label, operation + ", saved");
      const auto paper = number_of_paper(result.table, row.label, operation + ", saved");
      if (here && paper) {
        ++savings;
        if (*here < *paper) {
          less.push_back(fmt::format("{} {} ({}; {})", row.label, operation, number_text(*here), number_text(*paper)));
        }
      }
    }
  }
  const auto most = number_here(result.table, "all, constant count", kRate);
  const std::string on_most = most && *most < highest
                                  ? fmt::format("; all proposals together have {} million/s, fewer than {} alone ({})",
                                                number_text(*most), fastest->label, number_text(highest))
                                  : "";
  const std::string on_savings =
      savings == 0
          ? ""
          : fmt::format(
                "; of the {1} savings of instructions for which the paper prints one number, {0} are below it{2}",
                less.size(), savings, less.empty() ? "" : ": " + some_of(less));
  const std::size_t faster = all - slower.size();
  const std::string on_spread = by_chance == 0
                                    ? ""
                                    : fmt::format(", {} of them by more than the {:.1f} % by which one number "
                                                  "in ten differs from run to run",
                                                  faster - by_chance, 100 * spread);
  return {word_for(faster - by_chance + savings - less.size(), all + savings),
          fmt::format("{} of {} rows of proposals have a higher rate of isends than no-err-single-ipo{}{}{}{}.", faster,
                      all, on_spread, slower.empty() ? "" : "; slower: " + some_of(slower), on_most, on_savings),
          "132.8 million/s", most ? number_text(*most) + " million/s" : ""};
}

Verdict on_gain_of_application(const Result &result) {
  std::vector<double> gains;
  std::string fastest;
  for (const Row &row : result.table.rows) {
    if (const auto gain = number_here(result.table, row.label, kGain)) {
      fastest = gains.empty() || *gain > *std::max_element(gains.begin(), gains.end()) ? row.label : fastest;
      gains.push_back(*gain);
    }
  }
  const auto slower = std::count_if(gains.begin(), gains.end(), [](double gain) { return gain < 1; });
  const std::string here = gains.empty() ? "" : range_text(gains) + " times our default build";
  return {kNotMeasurable,
          fmt::format(
              "The paper's gain is over MPICH/Original on a Blue Gene/Q; here all proposals together are slower than "
              "our default build in {} of the {} rows whose rounds agree within 5 %, and have {} times its rate{}.",
              slower, gains.size(), range_text(gains),
              fastest.empty() ? "" : fmt::format(", the most in \"{}\"", fastest)),
          "1.2 to 1.25 times MPICH/Original", here};
}

} // namespace avrankmap::bench
