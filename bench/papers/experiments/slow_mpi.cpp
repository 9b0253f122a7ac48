// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Why Is MPI So Slow?": instructions of an isend and a put by purpose (table 1, figure 2), and
// message rates on networks (figures 3 and 4) and without one (figures 5 and 6). Needs the device.
#include "component/translation/instruction_counts.h"
#include "device/fastpath/breakdown.h"
#include "device/fastpath/counts.h"
#include "device/fastpath/fastpath.h"
#include "device/fastpath/networks.h"
#include "papers/conclusions/conclusions.h"
#include "papers/experiment/tables.h"
#include "papers/experiments/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr double kMillion = 1e6;
/// Rates of the leanest build over those of MPICH/Original on real networks: "nearly a 50%
/// increase" and "close to a fourfold increase".
constexpr double kPaperGainIsend = 1.5;
constexpr double kPaperGainPut = 4;
/// MPICH/Original's, as stated.
constexpr double kIsendOfOriginal = 253;
constexpr double kPutOfOriginal = 1342;
constexpr const char *kLessThanOriginal = "isend, less than MPICH/Original, %";
constexpr const char *kLessThanLeanest = "isend, less than no-err-single-ipo, %";
constexpr const char *kGainOverOriginal = "ours (no-err-single-ipo) over MPICH/Original";
constexpr const char *kGainOverDefault = "ours (no-err-single-ipo) over ours (default)";
constexpr std::array kLadder = {"default", "no-err", "no-err-single", "no-err-single-ipo"};

/// A measurement, and what was left out of it.
template <class T> struct Noted {
  T value;
  std::vector<std::string> omissions;
};

const Fastpath &fastpath(Context &context, Result &result) {
  const auto &kept = context.once("fast path", [&] {
    Noted<Fastpath> noted;
    noted.value = measure_fastpath(context.choose(1, 15, 51), context.choose(1e-5, 0.005, 0.02),
                                   [&](const std::string &note) { noted.omissions.push_back(note); });
    return noted;
  });
  result.omissions.insert(result.omissions.end(), kept.omissions.begin(), kept.omissions.end());
  return kept.value;
}

const std::vector<FastpathCountRow> &counts(Context &context, Result &result) {
  const auto &kept = context.once("fast path, counts", [&] {
    Noted<std::vector<FastpathCountRow>> noted;
    noted.value = count_fastpath("", [&](const std::string &note) { noted.omissions.push_back(note); });
    return noted;
  });
  result.omissions.insert(result.omissions.end(), kept.omissions.begin(), kept.omissions.end());
  return kept.value;
}

const std::vector<FastpathNetworkRow> &networks(Context &context, Result &result) {
  const auto &kept = context.once("fast path on networks", [&] {
    Noted<std::vector<FastpathNetworkRow>> noted;
    if (context.effort() == Effort::kTiny) {
      noted.omissions.emplace_back("Nothing was measured: the effort is tiny");
      return noted;
    }
    noted.value =
        measure_fastpath_networks({context.choose(1, 7, 25), context.choose(1e-4, 0.0005, 0.004)}, context.progress(),
                                  [&](const std::string &note) { noted.omissions.push_back(note); });
    return noted;
  });
  result.omissions.insert(result.omissions.end(), kept.omissions.begin(), kept.omissions.end());
  return kept.value;
}

/// The network whose counts are compared with the paper's: its MPICH/CH4 has netmods for libfabric
/// and UCX.
std::string network_of_paper(const std::vector<FastpathCountRow> &counts) {
  const bool has_libfabric =
      std::any_of(counts.begin(), counts.end(), [](const FastpathCountRow &row) { return row.network == "libfabric"; });
  return has_libfabric ? "libfabric" : "null";
}

template <class T> Value value_of(const std::optional<T> &number) {
  return number ? Value(static_cast<double>(*number)) : Value();
}

/// What a proposal saves of a put in the paper, which gives a range for one of them.
Value paper_saving(const FastpathPart &part) {
  return part.section == "3.2" ? Value("3 to 4") : value_of(part.put_paper);
}

bool in_ladder(const std::string &name) { return std::find(kLadder.begin(), kLadder.end(), name) != kLadder.end(); }

/// Bars of both operations, one category per build or proposal.
class RatePlot {
public:
  explicit RatePlot(std::string title) : plot_{"", std::move(title), "", "million per second", false, false, {}, {}} {
    plot_.series = {{"isend, ours", {}, true}, {"put, ours", {}, true}};
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

/// Label of a build as the paper prints it.
std::string build_label(const std::string &build) { return fmt::format("ours ({})", build); }

Value rate_value(const std::optional<double> &rate) { return rate ? Value(*rate / kMillion) : Value(); }

/// Rows for the builds of ours, with empty cells for these columns.
Table build_table(std::string corner, std::vector<std::string> columns) {
  Table table{std::move(corner), std::move(columns), {}};
  for (const char *const build : kLadder) {
    row_of(table, build_label(build));
  }
  return table;
}

/// Rates over that of the leanest build, per network, and the paper's of MPICH/Original, of
/// which its text states the gain.
std::optional<Plot> relative_plot(const std::vector<const FastpathNetworkRow *> &rows, const char *title) {
  Plot plot{"relative", fmt::format("{}, over the leanest build's", title), "", "ratio", false, false, {}, {}};
  // The paper's bars and ours share their places: each has no height where the other one stands.
  plot.series = {{"isend, original MPICH of the paper", {{0, 1 / kPaperGainIsend}}, false},
                 {"isend, ours", {{0, 0}}, true, 0, true},
                 {"put, original MPICH of the paper", {{0, 1 / kPaperGainPut}}, false},
                 {"put, ours", {{0, 0}}, true, 0, true}};
  plot.categories = {"the paper's original"};
  for (const FastpathNetworkRow *const row : rows) {
    const auto leanest = std::find_if(rows.begin(), rows.end(), [&](const FastpathNetworkRow *other) {
      return other->network == row->network && other->configuration == kLadder.back();
    });
    if (leanest == rows.end()) {
      continue;
    }
    const auto x = static_cast<double>(plot.categories.size());
    plot.categories.push_back(fmt::format("{} {}", row->network, row->configuration));
    const auto ratio = [](const std::optional<double> &rate, const std::optional<double> &to) {
      return rate && to ? *rate / *to : 0;
    };
    const double heights[] = {0, ratio(row->rate_isend, (*leanest)->rate_isend), 0,
                              ratio(row->rate_put, (*leanest)->rate_put)};
    for (std::size_t i = 0; i < std::size(heights); ++i) {
      plot.series[i].points.emplace_back(x, heights[i]);
    }
  }
  return plot.categories.size() > 1 ? std::optional(std::move(plot)) : std::nullopt;
}

Result run_networks(Context &context, const std::string &prefix, const char *title, const char *theirs) {
  Result result;
  RatePlot plot(title);
  std::vector<const FastpathNetworkRow *> rows;
  std::vector<std::string> columns;
  for (const FastpathNetworkRow &row : networks(context, result)) {
    if (row.network.rfind(prefix, 0) != 0 || !in_ladder(row.configuration)) {
      continue;
    }
    rows.push_back(&row);
    for (const auto &[op, rate] : {std::pair("isend", row.rate_isend), std::pair("put", row.rate_put)}) {
      const std::string column = fmt::format("{} {}", row.network, op);
      if (rate && std::find(columns.begin(), columns.end(), column) == columns.end()) {
        columns.insert(columns.end(), {column, column + ", of bare"});
      }
    }
  }
  result.table = build_table("million per second; builds as the paper's MPICH/CH4", columns);
  for (const FastpathNetworkRow *const row : rows) {
    const auto add = [&](const char *op, const std::optional<double> &rate, const std::optional<double> &to_bare) {
      if (rate) {
        const std::string column = fmt::format("{} {}", row->network, op);
        cell_of(result.table, build_label(row->configuration), column).here = rate_value(rate);
        cell_of(result.table, build_label(row->configuration), column + ", of bare").here = value_of(to_bare);
      }
    };
    add("isend", row->rate_isend, row->isend_to_bare);
    add("put", row->rate_put, row->put_to_bare);
    plot.add(row->network + " " + row->configuration, row->rate_isend, row->rate_put);
  }
  drop_empty_rows(result.table);
  for (const std::string &column : columns) {
    const auto leanest = number_here(result.table, build_label(kLadder.back()), column);
    const auto first = number_here(result.table, build_label(kLadder.front()), column);
    if (leanest && first && column.find(", of bare") == std::string::npos) {
      const bool isend = column.find(" isend") != std::string::npos;
      cell_of(result.table, kGainOverDefault, column).here = *leanest / *first;
      cell_of(result.table, kGainOverOriginal, column).paper = isend ? "nearly 1.5" : "close to 4";
    }
  }
  if (auto drawn = plot.take()) {
    result.plots.push_back(*std::move(drawn));
  }
  if (auto drawn = relative_plot(rows, title)) {
    result.plots.push_back(*std::move(drawn));
  }
  result.note =
      fmt::format("Measured: messages of 1 byte between two processes of this machine; of bare is the rate over "
                  "that of the bare interface in the same rounds. The paper's is {}. Its text states no rates, but by "
                  "how much they grow from MPICH/Original, which is not measured here, to the leanest build: hence the "
                  "bars of the paper's original in the picture of relative rates.",
                  theirs);
  return result;
}

/// What the paper's text states in addition to its table 1.
void add_translation(Context &context, Result &result) {
  const auto &translations = context.once("translations", [&] {
    return context.effort() == Effort::kTiny ? std::vector<InstructionCount>()
                                             : count_instructions_of_all([](const std::string &) {});
  });
  const auto here = [&](const char *path, const char *mode) {
    const auto found = std::find_if(translations.begin(), translations.end(), [&](const InstructionCount &count) {
      return count.path == path && count.mode == mode;
    });
    return found == translations.end() ? Value() : Value(static_cast<double>(found->instructions));
  };
  const Value none;
  for (const auto &[label, value, paper] :
       {std::tuple("rank to address: an array per communicator", here("raw", "direct"), Value(2.0)),
        std::tuple("rank to address: compressed", here("avrankmap", "stride"), Value("around 11")),
        std::tuple("of the function call: loading stack and registers", none, Value("16 to 18"))}) {
    for (const char *const column : {"MPI_ISEND", "MPI_PUT"}) {
      cell_of(result.table, label, column) = {value, paper};
    }
  }
}

} // namespace

Result run_breakdown(Context &context) {
  constexpr std::array kPrinted = {"Error checking", "Thread-safety check", "MPI function call",
                                   "Redundant runtime checks", "MPI mandatory overheads"};
  Result result;
  const std::vector<FastpathCountRow> &measured = counts(context, result);
  const std::string as_printed = network_of_paper(measured);
  result.table = {"instructions", {"MPI_ISEND", "MPI_PUT"}, {}};
  const std::vector<std::string> networks = distinct(measured, [](const FastpathCountRow &row) { return row.network; });
  for (const std::string &network : networks) {
    if (network != as_printed) {
      result.table.columns.push_back("MPI_ISEND, " + network);
      result.table.columns.push_back("MPI_PUT, " + network);
    }
  }
  for (const std::string &network : networks) {
    const bool printed = network == as_printed;
    const std::string behind = printed ? "" : ", " + network;
    std::array<std::int64_t, 4> sums{};
    std::size_t row = 0;
    for (const FastpathPart &part : break_down(measured, network)) {
      if (part.section != "2") {
        continue;
      }
      const char *const label = kPrinted.at(row++);
      const std::array numbers = {part.isend, part.isend_paper, part.put, part.put_paper};
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += numbers[i].value_or(0);
      }
      cell_of(result.table, label, "MPI_ISEND" + behind) = {value_of(part.isend),
                                                            printed ? value_of(part.isend_paper) : Value()};
      cell_of(result.table, label, "MPI_PUT" + behind) = {value_of(part.put),
                                                          printed ? value_of(part.put_paper) : Value()};
    }
    if (row != 0) {
      const auto number = [&](std::size_t i) { return Value(static_cast<double>(sums[i])); };
      cell_of(result.table, "in all", "MPI_ISEND" + behind) = {number(0), printed ? number(1) : Value()};
      cell_of(result.table, "in all", "MPI_PUT" + behind) = {number(2), printed ? number(3) : Value()};
    }
  }
  add_translation(context, result);
  result.note = fmt::format("Counted by single steps with a strided communicator, from the first instruction of the "
                            "function that the application calls to its return: all functions of ours, those of the "
                            "netmod included, without the function of the network's library. Where a column names no "
                            "network, that is {}. The paper's is MPICH/CH4, to the library of its network; it states "
                            "215 for MPI_PUT in all, which is 2 less than the sum of its rows. Loading stack and "
                            "registers is a part of the function call that we do not tell apart. The paper's survey of "
                            "62 applications, of which 2 use derived datatypes, is not repeated.",
                            as_printed);
  return result;
}

Result run_build_counts(Context &context) {
  // Figure 2: MPICH/Original as stated, the others by table 1: what is left after each step.
  constexpr std::array kIsend = {kIsendOfOriginal, 221.0, 147.0, 141.0, 59.0};
  constexpr std::array kPut = {kPutOfOriginal, 215.0, 143.0, 129.0, 44.0};
  Result result;
  const std::vector<FastpathCountRow> &measured = counts(context, result);
  const std::string as_printed = network_of_paper(measured);
  std::vector<std::string> columns = {"MPI_ISEND", "MPI_PUT"};
  for (const char *const operation : {"isend", "put"}) {
    for (const std::string &network : distinct(measured, [](const FastpathCountRow &row) { return row.network; })) {
      columns.push_back(fmt::format("{}, {}", operation, network));
    }
  }
  result.table = build_table("instructions; builds as the paper's MPICH/CH4, whose values are in brackets", columns);
  result.table.rows.insert(result.table.rows.begin(), {"MPICH/Original of the paper", {}});
  for (std::size_t i = 0; i < result.table.rows.size(); ++i) {
    result.table.rows[i].cells = {{{}, kIsend[i]}, {{}, kPut[i]}};
    result.table.rows[i].cells.resize(columns.size());
  }
  Plot plot{"",      "Instructions from entry to return, without the network's function",
            "build", "instructions",
            false,   false,
            {},      {}};
  plot.series = {{"isend, MPICH of the paper", {}, false},
                 {"isend, ours", {}, true},
                 {"put, MPICH of the paper", {}, false},
                 {"put, ours", {}, true}};
  plot.categories.emplace_back("original");
  plot.series[0].points.emplace_back(0, kIsend.front());
  plot.series[2].points.emplace_back(0, kPut.front());
  for (const FastpathCountRow &row : measured) {
    if (!in_ladder(row.name) || !row.isend_before || !row.put_before || !row.isend || !row.put) {
      continue;
    }
    const std::string label = build_label(row.name);
    cell_of(result.table, label, "isend, " + row.network).here = both_counts(row.isend_before, row.isend);
    cell_of(result.table, label, "put, " + row.network).here = both_counts(row.put_before, row.put);
    if (row.network != as_printed) {
      continue;
    }
    Cell &isend = cell_of(result.table, label, "MPI_ISEND");
    Cell &put = cell_of(result.table, label, "MPI_PUT");
    isend.here = value_of(row.isend);
    put.here = value_of(row.put);
    const auto x = static_cast<double>(plot.categories.size());
    plot.categories.emplace_back(row.name);
    const Value values[] = {isend.paper, isend.here, put.paper, put.here};
    for (std::size_t s = 0; s < std::size(values); ++s) {
      plot.series[s].points.emplace_back(x, std::get<double>(values[s]));
    }
  }
  for (const auto &[build, isend, put] :
       {std::tuple(kLadder.front(), 13.0, 84.0), std::tuple(kLadder.back(), 77.0, 97.0)}) {
    const std::string name = build_label(build);
    const std::string label = fmt::format("{} less than MPICH/Original, %", name);
    const auto add = [&](const char *column, double original, double paper) {
      const auto count = number_here(result.table, name, column);
      cell_of(result.table, label, column) = {count ? Value(100 * (1 - *count / original)) : Value(), paper};
    };
    add("MPI_ISEND", kIsend.front(), isend);
    add("MPI_PUT", kPut.front(), put);
  }
  if (plot.categories.size() > 1) {
    result.plots.push_back(std::move(plot));
  }
  result.note = fmt::format(
      "Counted by single steps. Next to the paper's values: all instructions of ours over {}, from the call to its "
      "return, "
      "the function of the network's library left out. The other columns: up to that function / in all. The paper's "
      "values of MPICH/CH4 are computed from its table 1. MPICH/Original is not measured here: the paper's value "
      "stands "
      "alone.",
      as_printed);
  return result;
}

Result run_ofi_rates(Context &context) {
  return run_networks(context, "ofi:", "Message rates over libfabric",
                      "Omni-Path (PSM2) between Intel E5-2699 v4 at 2.2 GHz");
}
Result run_ucx_rates(Context &context) {
  return run_networks(context, "ucx:", "Message rates over UCX",
                      "InfiniBand (EDR) between Intel E7-8867 v3 at 2.5 GHz");
}

Result run_fast_network_rates(Context &context) {
  Result result;
  const Fastpath &measured = fastpath(context, result);
  std::vector<std::string> columns{"isend", "isend, of bare", "put", "put, of bare"};
  for (const char *const operation : {"isend", "put"}) {
    for (const char *const part : {kOverBuildAbove, kLowerQuartile, kUpperQuartile}) {
      columns.push_back(fmt::format("{}{}", operation, part));
    }
  }
  result.table = build_table("million per second; builds as the paper's MPICH/CH4", columns);
  RatePlot plot("Message rates on the null network");
  for (const FastpathRow &row : measured.rows) {
    if (!in_ladder(row.name)) {
      continue;
    }
    const auto put = [&](const char *column, const Value &value) {
      cell_of(result.table, build_label(row.name), column).here = value;
    };
    put("isend", rate_value(row.rate_isend));
    put("isend, of bare", value_of(row.isend_to_bare));
    put("put", rate_value(row.rate_put));
    put("put, of bare", value_of(row.put_to_bare));
    plot.add(row.name, row.rate_isend, row.rate_put);
  }
  for (const FastpathStep &step : measured.steps) {
    const auto put = [&](const char *operation, const Spread &spread) {
      const auto set = [&](const char *part, double value) {
        cell_of(result.table, build_label(step.name), fmt::format("{}{}", operation, part)).here = value;
      };
      set(kOverBuildAbove, spread.middle);
      set(kLowerQuartile, spread.low);
      set(kUpperQuartile, spread.high);
    };
    put("isend", step.isend);
    put("put", step.put);
  }
  Row &original = row_of(result.table, kGainOverOriginal);
  original.cells[0].paper = original.cells[2].paper = "several orders of magnitude";
  if (auto drawn = plot.take()) {
    result.plots.push_back(*std::move(drawn));
  }
  const auto saved = [&](std::optional<std::uint64_t> FastpathRow::*count) {
    std::array<std::optional<std::uint64_t>, 2> of;
    for (const FastpathRow &row : measured.rows) {
      of[0] = row.name == kLadder[1] ? row.*count : of[0];
      of[1] = row.name == kLadder[2] ? row.*count : of[1];
    }
    return of[0] && of[1] ? fmt::format("{}", *of[0] - *of[1]) : std::string("-");
  };
  result.note = fmt::format(
      "Measured on the null network; of bare is the rate over that of a loop with addresses known beforehand. Rates "
      "over those of the build above are of the same rounds, of which half lie between the quartiles. No-err-single "
      "has {} (isend) and {} (put) instructions fewer than no-err: the test of a flag, and a jump that is predicted "
      "and nothing waits for. The paper's text states no rate of a build, so that there is no bar of MPICH/Original, "
      "which is not measured here.",
      saved(&FastpathRow::isend), saved(&FastpathRow::put));
  return result;
}

Result run_proposals(Context &context) {
  Result result;
  const Fastpath &measured = fastpath(context, result);
  const std::vector<FastpathPart> parts = break_down(counts(context, result), "null");
  result.table = {"proposal",
                  {"isend, million/s", "isend, of bare", "isend, instructions", "isend, saved", "put, saved",
                   kLessThanOriginal, kLessThanLeanest},
                  {}};
  std::optional<double> leanest;
  for (const FastpathRow &row : measured.rows) {
    leanest = row.name == kLadder.back() && row.isend ? std::optional(static_cast<double>(*row.isend)) : leanest;
  }
  RatePlot plot("Proposals for the standard on the null network");
  for (const FastpathRow &row : measured.rows) {
    if (row.name == "datatype at run time" || (in_ladder(row.name) && row.name != kLadder.back())) {
      continue;
    }
    // The paper does not say which of the two it has.
    const bool all = row.name.substr(0, 3) == "all";
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const FastpathPart &p) { return p.reason == row.name; });
    const bool proposal = part != parts.end();
    const auto less_than = [&](std::optional<double> count, double paper) {
      return all ? Cell{row.isend && count ? Value(100 * (1 - static_cast<double>(*row.isend) / *count)) : Value(),
                        paper}
                 : Cell{};
    };
    result.table.rows.push_back({row.name,
                                 {{rate_value(row.rate_isend), all && row.rate_isend ? Value(132.8) : Value()},
                                  {value_of(row.isend_to_bare)},
                                  {value_of(row.isend), all                          ? Value(16.0)
                                                        : row.name == kLadder.back() ? Value(59.0)
                                                                                     : Value()},
                                  proposal ? Cell{value_of(part->isend), value_of(part->isend_paper)} : Cell{},
                                  proposal ? Cell{value_of(part->put), paper_saving(*part)} : Cell{},
                                  less_than(kIsendOfOriginal, 94),
                                  less_than(leanest, 73)}});
    if (row.rate_isend || row.rate_put) {
      plot.add(row.name, row.rate_isend, row.rate_put);
    }
  }
  if (auto drawn = plot.take()) {
    result.plots.push_back(*std::move(drawn));
  }
  result.note =
      "Measured on the null network; instructions are counted by single steps from the call to its return, "
      "without the network's function; of bare is the rate over that of a loop with addresses known "
      "beforehand. Saved are the instructions that no-err-single-ipo has more. The paper does not say whether "
      "the count of elements is constant in its code: its value stands next to both. Where it adds approximately 3 "
      "instructions to count an operation without request, ours counts none that the network injects. An info hint, "
      "its "
      "alternative to functions without matching at 2 instructions more, is not built. Its processor is an Intel "
      "E5-2699 v4, 2.2 GHz. MPICH/Original is not measured here: less than its 253 instructions.";
  return result;
}

} // namespace avrankmap::bench
