// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Why Is MPI So Slow?": instructions of an isend and a put by what they are for (table 1, figure 2), and message rates on
// networks (figures 3 and 4) and without one (figures 5 and 6). Needs the device.
#include "experiments/catalogue.h"
#include "fastpath/breakdown.h"
#include "fastpath/fastpath.h"
#include "fastpath/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr double kMillion = 1e6;
constexpr std::array kLadder = {"default", "no-err", "no-err-single", "no-err-single-ipo"};

/// What was measured, and the notes about it.
template <class T> struct Noted {
  T value;
  std::vector<std::string> notes;
};

const Fastpath &fastpath(Context &context, Result &result) {
  const auto &kept = context.once("fast path", [&] {
    Noted<Fastpath> noted;
    noted.value = measure_fastpath(context.choose(1, 15, 51), context.choose(1e-5, 0.005, 0.02),
                                   [&](const std::string &note) { noted.notes.push_back(note); });
    return noted;
  });
  result.notes.insert(result.notes.end(), kept.notes.begin(), kept.notes.end());
  return kept.value;
}

const std::vector<FastpathNetworkRow> &networks(Context &context, Result &result) {
  const auto &kept = context.once("fast path on networks", [&] {
    Noted<std::vector<FastpathNetworkRow>> noted;
    if (context.effort() == Effort::kTiny) {
      noted.notes.emplace_back("not measured: tiny");
      return noted;
    }
    noted.value =
        measure_fastpath_networks({context.choose(1, 7, 25), context.choose(1e-4, 0.0005, 0.004)}, context.progress(),
                                  [&](const std::string &note) { noted.notes.push_back(note); });
    return noted;
  });
  result.notes.insert(result.notes.end(), kept.notes.begin(), kept.notes.end());
  return kept.value;
}

template <class T> Value value_of(const std::optional<T> &number) {
  return number ? Value(static_cast<double>(*number)) : Value();
}

bool in_ladder(const std::string &name) { return std::find(kLadder.begin(), kLadder.end(), name) != kLadder.end(); }

/// Bars of both operations, one category per build or proposal.
class RatePlot {
public:
  explicit RatePlot(std::string title) : plot_{"", std::move(title), "", "million per second", false, false, {}, {}} {
    plot_.series = {{"isend", {}, false}, {"put", {}, true}};
  }
  void add(const std::string &category, const std::optional<double> &isend, const std::optional<double> &put) {
    const auto x = static_cast<double>(plot_.categories.size());
    plot_.categories.push_back(category);
    if (isend) {
      plot_.series[0].points.emplace_back(x, *isend / kMillion);
    }
    if (put) {
      plot_.series[1].points.emplace_back(x, *put / kMillion);
    }
  }
  [[nodiscard]] std::optional<Plot> take() {
    plot_.series.erase(
        std::remove_if(plot_.series.begin(), plot_.series.end(), [](const Series &s) { return s.points.empty(); }),
        plot_.series.end());
    return plot_.series.empty() ? std::nullopt : std::optional(std::move(plot_));
  }

private:
  Plot plot_;
};

Result run_networks(Context &context, const std::string &prefix, const char *title, const char *theirs) {
  Result result;
  RatePlot plot(title);
  std::string network;
  double isend_gain = 0;
  double put_gain = 0;
  std::optional<double> first_isend;
  std::optional<double> first_put;
  for (const FastpathNetworkRow &row : networks(context, result)) {
    if (row.network.rfind(prefix, 0) != 0 || !in_ladder(row.configuration)) {
      continue;
    }
    const auto add = [&](const char *op, const std::optional<double> &rate, const std::optional<double> &to_bare) {
      if (rate) {
        result.rows.push_back(
            {fmt::format("{}, {}, {}", row.network, row.configuration, op),
             "million per second",
             {},
             *rate / kMillion,
             fmt::format(
                 "measured: 1 byte, two processes of this machine, {:.2f} of the bare interface in the same rounds; {}",
                 to_bare.value_or(0), theirs)});
      }
    };
    add("isend", row.rate_isend, row.isend_to_bare);
    add("put", row.rate_put, row.put_to_bare);
    plot.add(row.network + " " + row.configuration, row.rate_isend, row.rate_put);
    if (row.configuration == kLadder.front()) {
      first_isend = row.rate_isend;
      first_put = row.rate_put;
    } else if (row.configuration == kLadder.back()) {
      isend_gain = std::max(isend_gain, first_isend && row.rate_isend ? *row.rate_isend / *first_isend : 0);
      put_gain = std::max(put_gain, first_put && row.rate_put ? *row.rate_put / *first_put : 0);
    }
  }
  if (auto drawn = plot.take()) {
    result.plots.push_back(*std::move(drawn));
  }
  if (isend_gain > 0 || put_gain > 0) {
    result.rows.push_back({"gain of the leanest build over default, isend, best network",
                           "ratio",
                           {},
                           isend_gain,
                           "measured: the paper's 1.5 is over MPICH/Original, which does not exist here"});
    result.rows.push_back({"gain of the leanest build over default, put, best network",
                           "ratio",
                           {},
                           put_gain,
                           "measured: the paper's 4 is over MPICH/Original, which does not exist here"});
    result.reading.push_back(fmt::format("From the default build to the leanest, rates become {:.2f} (isend) and "
                                         "{:.2f} (put) times as high at best. These networks "
                                         "are software, and take far longer than any build of ours.",
                                         isend_gain, put_gain));
  }
  return result;
}

} // namespace

Result run_breakdown(Context &context) {
  Result result;
  const Fastpath &measured = fastpath(context, result);
  std::int64_t ours = 0;
  std::int64_t theirs = 0;
  for (const FastpathPart &part : break_down(measured)) {
    if (part.section != "2") {
      continue;
    }
    const std::string how = "counted by single steps; null network, strided communicator, gcc 12; the paper's: "
                            "MPICH/CH4";
    if (part.isend) {
      result.rows.push_back(
          {part.reason + ", isend", "instructions", value_of(part.isend_paper), static_cast<double>(*part.isend), how});
    }
    if (part.put) {
      result.rows.push_back(
          {part.reason + ", put", "instructions", value_of(part.put_paper), static_cast<double>(*part.put), how});
    }
    ours += part.isend.value_or(0);
    theirs += part.isend_paper.value_or(0);
  }
  if (theirs > 0) {
    result.reading.push_back(
        fmt::format("{} instructions of an isend in all, where the paper has {}. Error checks are the largest part "
                    "here, too; redundant "
                    "checks at run time hardly exist, since the path was written with datatypes that carry their size.",
                    ours, theirs));
  }
  return result;
}

Result run_build_counts(Context &context) {
  struct Build {
    const char *name;
    double isend;
    double put;
  };
  // Figure 2 by table 1: what is left after each step.
  constexpr Build kPaper[] = {
      {"default", 221, 215}, {"no-err", 147, 143}, {"no-err-single", 141, 129}, {"no-err-single-ipo", 59, 44}};
  Result result;
  const Fastpath &measured = fastpath(context, result);
  Plot plot{"", "Instructions from the call to the network", "build", "instructions", false, false, {}, {}};
  plot.series = {
      {"isend, paper", {}, false}, {"isend, here", {}, true}, {"put, paper", {}, false}, {"put, here", {}, true}};
  for (const Build &build : kPaper) {
    const auto row = std::find_if(measured.rows.begin(), measured.rows.end(),
                                  [&](const FastpathRow &r) { return r.name == build.name; });
    if (row == measured.rows.end() || !row->isend || !row->put) {
      continue;
    }
    const std::string how = "counted by single steps; the paper's: MPICH/CH4, computed from its table 1";
    result.rows.push_back(
        {fmt::format("{}, isend", build.name), "instructions", build.isend, static_cast<double>(*row->isend), how});
    result.rows.push_back(
        {fmt::format("{}, put", build.name), "instructions", build.put, static_cast<double>(*row->put), how});
    const auto x = static_cast<double>(plot.categories.size());
    plot.categories.emplace_back(build.name);
    const double values[] = {build.isend, static_cast<double>(*row->isend), build.put, static_cast<double>(*row->put)};
    for (std::size_t i = 0; i < std::size(values); ++i) {
      plot.series[i].points.emplace_back(x, values[i]);
    }
  }
  if (!plot.categories.empty()) {
    result.plots.push_back(std::move(plot));
    result.reading.emplace_back(
        "In every build less than the paper's. MPICH/Original, its first bar (253 and 1,342), does not exist here.");
  }
  return result;
}

Result run_ofi_rates(Context &context) {
  return run_networks(context, "ofi:", "Message rates over libfabric", "the paper's: Omni-Path (PSM2)");
}
Result run_ucx_rates(Context &context) {
  return run_networks(context, "ucx:", "Message rates over UCX", "the paper's: InfiniBand (EDR)");
}

Result run_fast_network_rates(Context &context) {
  Result result;
  const Fastpath &measured = fastpath(context, result);
  RatePlot plot("Message rates on the null network");
  const FastpathRow *first = nullptr;
  double gain = 0;
  for (const FastpathRow &row : measured.rows) {
    if (!in_ladder(row.name)) {
      continue;
    }
    first = first == nullptr ? &row : first;
    const auto add = [&](const char *op, const std::optional<double> &rate, const std::optional<double> &to_bare,
                         const std::optional<double> &of_first) {
      if (rate) {
        result.rows.push_back({fmt::format("{}, {}", row.name, op),
                               "million per second",
                               {},
                               *rate / kMillion,
                               fmt::format("measured on the null network: {:.2f} of default, {:.2f} of a loop over "
                                           "addresses known beforehand; the "
                                           "paper's figure has no numbers in its text",
                                           of_first ? *rate / *of_first : 0, to_bare.value_or(0))});
      }
    };
    add("isend", row.rate_isend, row.isend_to_bare, first->rate_isend);
    add("put", row.rate_put, row.put_to_bare, first->rate_put);
    plot.add(row.name, row.rate_isend, row.rate_put);
    gain = row.rate_isend && first->rate_isend ? *row.rate_isend / *first->rate_isend : gain;
  }
  if (auto drawn = plot.take()) {
    result.plots.push_back(*std::move(drawn));
  }
  if (gain > 0) {
    result.reading.push_back(fmt::format("From the default build to the leanest, isends become {:.2f} times as fast. "
                                         "The paper's gain of orders of magnitude starts from "
                                         "MPICH/Original, which does not exist here.",
                                         gain));
  }
  return result;
}

Result run_proposals(Context &context) {
  Result result;
  const Fastpath &measured = fastpath(context, result);
  const std::vector<FastpathPart> parts = break_down(measured);
  RatePlot plot("Proposals for the standard on the null network");
  double best = 0;
  for (const FastpathRow &row : measured.rows) {
    if (row.name == "datatype at run time" || (in_ladder(row.name) && row.name != kLadder.back())) {
      continue;
    }
    if (row.rate_isend) {
      result.rows.push_back(
          {row.name + ", isend", "million per second", row.name == "all" ? Value(132.8) : Value(),
           *row.rate_isend / kMillion,
           fmt::format(
               "measured on the null network, {:.2f} of a loop over addresses known beforehand; the paper's: Intel "
               "E5-2699 v4, 2.2 GHz",
               row.isend_to_bare.value_or(0))});
      best = std::max(best, *row.rate_isend / kMillion);
    }
    if (row.isend) {
      result.rows.push_back({row.name + ", isend", "instructions",
                             row.name == "all"            ? Value(16.0)
                             : row.name == kLadder.back() ? Value(59.0)
                                                          : Value(),
                             static_cast<double>(*row.isend), "counted by single steps"});
    }
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const FastpathPart &p) { return p.reason == row.name; });
    if (part != parts.end() && part->isend) {
      result.rows.push_back({row.name + " saves, isend", "instructions", value_of(part->isend_paper),
                             static_cast<double>(*part->isend),
                             "counted by single steps" + (part->note.empty() ? "" : ": " + part->note)});
    }
    if (part != parts.end() && part->put) {
      result.rows.push_back({row.name + " saves, put", "instructions", value_of(part->put_paper),
                             static_cast<double>(*part->put), "counted by single steps"});
    }
    plot.add(row.name, row.rate_isend, row.rate_put);
  }
  if (auto drawn = plot.take()) {
    result.plots.push_back(*std::move(drawn));
  }
  result.reading.push_back(fmt::format("Each proposal saves less than in the paper because there is less to save; all "
                                       "of them together still go further down than "
                                       "its 16 instructions. The best rate is {:.0f} million per second.",
                                       best));
  return result;
}

} // namespace avrankmap::bench
