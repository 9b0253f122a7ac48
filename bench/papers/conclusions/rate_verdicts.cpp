// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/rate_verdicts.h"

#include "papers/conclusions/comparison.h"
#include "papers/conclusions/judging.h"
#include "papers/conclusions/names.h"

#include <cmath>
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
  std::vector<std::string> behind; ///< cells below 1
  std::size_t inlined = 0;         ///< cells that can be compared with VC-VCRT inlined
  std::size_t faster_than_inlined = 0;

  /// @param is_faster  than VC-VCRT inlined, by row and column; nothing if that is not known
  template <class IsFaster> OverVcVcrt(const Table &table, const std::vector<std::string> &rows, IsFaster is_faster) {
    for (const std::string &row : rows) {
      for (const std::string &column : table.columns) {
        const auto ratio = number_here(table, row, column);
        const auto paper = number_of_paper(table, row, column);
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
        fmt::format("Without a network, in {} of {} cells with a ratio of the paper's, a map is at least as fast as "
                    "VC-VCRT that is called per operation, as in MPICH 3.2{}{}{}.",
                    holds, here.size(), behind.empty() ? "" : "; slower: " + some_of(behind),
                    inlined == 0
                        ? ""
                        : fmt::format(", and in {} of {} as fast as VC-VCRT inlined", faster_than_inlined, inlined),
                    remark),
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
  [[nodiscard]] bool falls() const { return std::is_sorted(here.rbegin(), here.rend()); }
};

} // namespace

Verdict on_table_of_instructions(const Result &result) {
  const Ratios near = ratios_to_paper(result.table, 1.25);
  const Ratios twice = ratios_to_paper(result.table, 2);
  if (near.all.empty()) {
    return missing();
  }
  const std::size_t all = near.all.size();
  const std::size_t outside = twice.outside.size();
  const std::string more = [&]() -> std::string {
    const auto counts = numbers_at(result.table, {{"switch", "direct"}, {"VC-VCRT", "direct"}, {"ours", "direct"}});
    const auto theirs = number_of_paper(result.table, "switch", "direct");
    const auto their_base = number_of_paper(result.table, "VC-VCRT", "direct");
    if (!counts || !theirs || !their_base) {
      return "";
    }
    return fmt::format("; for a direct map the switch takes {} more than VC-VCRT (the paper: {}), and ours {} more",
                       number_text((*counts)[0] - (*counts)[1]), number_text(*theirs - *their_base),
                       number_text((*counts)[2] - (*counts)[1]));
  }();
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
  Verdict verdict =
      ratios.verdict("; rows on a network are not judged, since processes share this machine's processors");
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
    return {
        kNotMeasurable,
        "The denominator is a creation between processes with a processor each; here up to 16 share this machine's, "
        "which makes it many times as long.",
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
          fmt::format("Sparse groups run at {} of default Open MPI's rate in generation 1 and {} in generation 4; the "
                      "paper has around 0.9 and nearly 0.6, with all of Open MPI in the loop.",
                      number_text(first), number_text(fourth)),
          "nearly 0.6", number_text(fourth)};
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
          fmt::format("The paper counts MPICH/CH4 of 2017, which is not built here; the counts here are of our own "
                      "device{}.",
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
          "221 to 59", fmt::format("{} to {}", number_text(isend.here.front()), number_text(isend.here.back()))};
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
  const std::string on_savings = savings == 0
                                     ? ""
                                     : fmt::format("; {} of {} savings of instructions are below the paper's{}",
                                                   less.size(), savings, less.empty() ? "" : ": " + some_of(less));
  return {word_for(all - slower.size() + savings - less.size(), all + savings),
          fmt::format("{} of {} rows of proposals have a higher rate of isends than no-err-single-ipo{}{}.",
                      all - slower.size(), all, slower.empty() ? "" : ", slower: " + some_of(slower), on_savings),
          "132.8 million/s", most ? number_text(*most) + " million/s" : ""};
}

Verdict on_gain_of_application(const Result &result) {
  const std::vector<double> gains = numbers_of_column(result.table, kGain);
  const auto slower = std::count_if(gains.begin(), gains.end(), [](double gain) { return gain < 1; });
  const std::string here = gains.empty() ? "" : range_text(gains) + " times our default build";
  return {
      kNotMeasurable,
      fmt::format("The paper's gain is over MPICH/Original on a Blue Gene/Q; here all proposals have {} of our "
                  "default build's rate in the {} rows whose rounds agree within 5 %, and are slower in {} of them.",
                  range_text(gains), gains.size(), slower),
      "1.2 to 1.25 times MPICH/Original", here};
}

} // namespace avrankmap::bench
