// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper: rates of puts (table V and figure 19; tables VI and VII of the earlier
// text).
#include "component/translation/dispatch_rates.h"
#include "component/translation/generations.h"
#include "component/translation/issue_rate.h"
#include "device/processes/put_rates.h"
#include "papers/conclusions/conclusions.h"
#include "papers/experiment/tables.h"
#include "papers/experiments/catalogue.h"
#include "support/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

namespace avrankmap::bench {
namespace {

constexpr double kMillion = 1e6;
/// Benchmarks of issue_rate.h: puts by ours, and by those that the table compares it with.
constexpr const char *kPutsInTurn = "BM_Issue/put/((vc-vcrt|vc-lean|raw)/)?[^/]+/[0-9]+/rr$";
// The paper's modes, and one of ours.
constexpr std::array kModes = {"direct", "offset", "stride", "lut", "mlut", "blocked"};

/// A line of a printed table: VC-VCRT's rate, and those of the paper's modes in the order of
/// kModes; 0 is "N/A".
struct Line {
  const char *label;
  double baseline;
  std::array<double, 5> modes;
  int decimals; ///< as printed

  [[nodiscard]] Value rate(std::size_t mode) const {
    return mode >= modes.size() ? Value() : modes[mode] == 0 ? Value("N/A") : printed(modes[mode], decimals);
  }
  /// Over VC-VCRT, to two decimals.
  [[nodiscard]] Value ratio(std::size_t mode) const {
    return mode >= modes.size() ? Value() : printed(std::round(modes[mode] / baseline * 100) / 100, 2);
  }
};

// Table V of the published text, million puts per second.
constexpr Line kRates[] = {
    {"Mira (8 procs, real)", 0.8999, {0.8989, 0.8994, 0.8963, 0.8969, 0}, 4},
    {"Blues (8 procs, real)", 4.325, {4.338, 4.334, 4.322, 4.324, 4.318}, 3},
    {"Mira (8 procs, theoretical)", 11.08, {16.63, 15.48, 15.08, 16.00, 0}, 2},
    {"Blues (8 procs, theoretical)", 64.76, {98.79, 92.13, 89.64, 96.03, 84.51}, 2},
    {"Mira (2 procs, real)", 0.8899, {0.8879, 0.8884, 0.8863, 0.8969, 0}, 4},
    {"Blues (2 procs, real)", 4.302, {4.311, 4.313, 4.303, 4.304, 4.297}, 3},
    {"Mira (2 procs, theoretical)", 13.08, {16.63, 15.48, 15.08, 16.00, 0}, 2},
    {"Blues (2 procs, theoretical)", 78.20, {98.89, 93.43, 89.91, 96.96, 85.27}, 2},
};
// Tables VI and VII of the earlier text, there in puts per second.
constexpr Line kDispatchRates[] = {
    {"Mira (switch)", 11.088082, {16.633243, 15.486542, 15.081816, 16.005225, 0}, 6},
    {"Mira (hybrid)", 11.274682, {16.641417, 16.667171, 14.465111, 14.935122, 0}, 6},
    {"Blues (switch)", 64.762341, {98.799192, 92.134284, 96.640891, 96.031355, 84.512392}, 6},
    {"Blues (hybrid)", 64.762341, {99.848504, 93.003065, 85.790667, 89.610737, 82.112870}, 6},
};
[[maybe_unused]] constexpr Line kRealDispatchRates[] = {
    {"Mira (switch)", 0.899888, {0.898876, 0.899381, 0.896354, 0.896860, 0}, 6},
    {"Mira (hybrid)", 0.899888, {0.898741, 8.988278, 0.896162, 0.898547, 0}, 6}, // 8988278: so
    {"Blues (switch)", 4.324721, {4.338395, 4.323876, 4.311984, 4.324431, 4.316782}, 6},
    {"Blues (hybrid)", 4.324721, {4.327688, 4.330049, 4.321378, 4.314790, 4.310411}, 6},
};

std::vector<std::string> mode_columns() {
  std::vector<std::string> columns{"Baseline (VC-VCRT)"};
  columns.insert(columns.end(), kModes.begin(), kModes.end());
  return columns;
}

/// A row of a printed table, without values of this machine.
Row printed_row(const Line &line) {
  Row row{line.label, {{{}, printed(line.baseline, line.decimals)}}};
  for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
    row.cells.push_back({{}, line.rate(mode)});
  }
  return row;
}

void put(Table &table, const std::string &label, const std::string &mode, double value) {
  cell_of(table, label, mode).here = value;
}

/// Adds the paper's ratios over VC-VCRT to a row of ours.
void put_paper_ratios(Table &table, const std::string &label, const Line &line) {
  Row &row = row_of(table, label);
  for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
    row.cells[1 + mode].paper = line.ratio(mode);
  }
}

const Line &line_of(std::span<const Line> lines, const std::string &label) {
  return *std::find_if(lines.begin(), lines.end(), [&](const Line &line) { return line.label == label; });
}

std::string ratio_label(const std::string &over, const std::string &procs) {
  return fmt::format("over {} ({}, theoretical)", over, procs);
}

/// The paper's communicator for lut, the odd ranks reversed: a table there, a stride of -2 here.
void add_reversed(const IssueOptions &options, Result &result) {
  constexpr std::int32_t kRanks = 16;
  std::vector<avrm_gpid_t> reversed;
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    reversed.push_back({0, 2 * (kRanks - rank) - 1});
  }
  for (const IssueRate &rate :
       measure_issue_rates_of(reversed, options, [&](const std::string &note) { result.omissions.push_back(note); })) {
    if (rate.scheme == rate.mode) {
      put(result.table, fmt::format("odd ranks reversed, here a {} (8 procs, theoretical)", rate.mode), "lut",
          rate.rate / kMillion);
      if (rate.ratio_to_vc_vcrt) {
        put(result.table, "odd ranks reversed, over VC-VCRT (8 procs, theoretical)", "lut", *rate.ratio_to_vc_vcrt);
      }
    }
  }
}

/// The rows of ratios without a network, in the order of the printed rows.
void add_ratio_rows(Table &table) {
  for (const char *const procs : {"8 procs", "2 procs"}) {
    for (const char *const over : {"VC-VCRT", "VC-VCRT, inlined", "addresses known beforehand"}) {
      row_of(table, ratio_label(over, procs));
    }
    put_paper_ratios(table, ratio_label("VC-VCRT", procs),
                     line_of(kRates, fmt::format("Blues ({}, theoretical)", procs)));
  }
}

void add_null_rates(Context &context, Result &result) {
  const IssueOptions options =
      context.choose<IssueOptions>({{16}, 1, 1e-5, 1e-3, kPutsInTurn}, {{2, 16}, 15, 0.004, 0.03, kPutsInTurn},
                                   {{2, 16}, 20, 0.01, 0.3, kPutsInTurn});
  const std::vector<IssueRate> rates = measure_issue_rates(
      options, context.progress(), [&](const std::string &note) { result.omissions.push_back(note); });
  for (const IssueRate &rate : rates) {
    const std::string procs = rate.peers == 16 ? "8 procs" : "2 procs";
    const std::string label = fmt::format("Blues ({}, theoretical)", procs);
    if (rate.scheme == "vc-vcrt" && rate.mode == "stride") {
      row_of(result.table, label).cells.front().here = rate.rate / kMillion;
    }
    if (rate.scheme != rate.mode) {
      continue; // ours only
    }
    put(result.table, label, rate.mode, rate.rate / kMillion);
    const auto add_ratio = [&](const std::string &over, const std::optional<double> &ratio) {
      if (ratio) {
        put(result.table, ratio_label(over, procs), rate.mode, *ratio);
      }
    };
    add_ratio("VC-VCRT", rate.ratio_to_vc_vcrt);
    add_ratio("VC-VCRT, inlined", rate.ratio_to_vc_lean);
    add_ratio("addresses known beforehand", rate.ratio_to_raw);
  }
  add_reversed(options, result);
  drop_empty_rows(result.table);
}

#if AVRM_HAVE_DEVICE
std::vector<PutRate> real_rates(Context &context, Result &result) {
  if (context.effort() == Effort::kTiny) {
    return {};
  }
  const auto &kept = context.once("put rates", [&] {
    std::vector<std::string> notes;
    auto rates = measure_put_rates({{16, 2}, context.choose(1, 5, 31), context.choose(1e-4, 0.01, 0.025), "", true},
                                   context.progress(), [&](const std::string &note) { notes.push_back(note); });
    return std::pair(std::move(rates), std::move(notes));
  });
  result.omissions.insert(result.omissions.end(), kept.second.begin(), kept.second.end());
  return kept.first;
}

/// Adds a rate to the row of its network: to the printed one for the first network, else to one of
/// its own. Ratios have rows behind. Those of the paper are in `line`.
void add_real_rate(Table &table, const PutRate &rate, const std::string &first_network, const std::string &printed,
                   const Line *line) {
  const bool is_first = rate.transport == first_network;
  const std::string label = is_first ? printed : fmt::format("{}, {}", printed, rate.transport);
  if (rate.scheme == "vc-vcrt") {
    if (rate.mode == "stride") {
      row_of(table, label).cells.front().here = rate.rate / kMillion;
    }
    return;
  }
  put(table, label, rate.mode, rate.rate / kMillion);
  put(table, label + kOverVcVcrtOnNetwork, rate.mode, rate.of_vcrt);
  if (is_first && line != nullptr) {
    put_paper_ratios(table, label + kOverVcVcrtOnNetwork, *line);
  }
  put(table, label + kOfKnownAddresses, rate.mode, rate.of_known);
  put(table, label + kIssuingOnNetwork, rate.mode, rate.issuing);
}

std::string real_note(const std::vector<PutRate> &rates) {
  return rates.empty() ? " Nothing was measured on networks."
                       : fmt::format(" The rows named real are puts of 8 bytes over loopback, by {} where the row "
                                     "names no network, each process with an endpoint of its own on {} CPUs, all of "
                                     "them putting at once; the paper's were over InfiniBand, with a core each. All "
                                     "puts were found where they were meant to arrive. What processes that share "
                                     "CPUs get done in a time varies by itself; the processor time of issuing varies "
                                     "less.",
                                     rates.front().transport, cpu_count());
}

void add_real_rates(Context &context, Result &result) {
  const std::vector<PutRate> rates = real_rates(context, result);
  for (const PutRate &rate : rates) {
    if (rate.scheme == "ours" || rate.scheme == "vc-vcrt") {
      const std::string printed = fmt::format("Blues ({} procs, real)", rate.processes == 16 ? 8 : 2);
      add_real_rate(result.table, rate, rates.front().transport, printed, &line_of(kRates, printed));
    }
  }
  result.note += real_note(rates);
}
#else
void add_real_rates(Context & /*context*/, Result &result) {
  result.omissions.emplace_back("The rows named real need the device (AVRM_BUILD_DEVICE)");
}
#endif

} // namespace

Result run_issue_rates(Context &context) {
  Result result;
  result.table = {"million puts per second", mode_columns(), {}};
  for (const Line &line : kRates) {
    result.table.rows.push_back(printed_row(line));
  }
  result.note =
      "Measured: 8 procs are 16 ranks on two nodes. The lut holds the odd ranks in "
      "random order. The paper's holds them in reverse; our map needs no table for that order, which has "
      "its own rows. The rows named theoretical are puts on the null network; the paper's went through all of "
      "MPICH without its network. Rows that begin with over are ratios of rates in the same rounds; "
      "VC-VCRT, inlined, calls no function.";
  add_ratio_rows(result.table); // before those of networks, of which a page has fewer
  add_real_rates(context, result);
  (void)pin_to_one_cpu(); // add_real_rates() starts processes; what follows runs in this one
  add_null_rates(context, result);
  return result;
}

#if AVRM_HAVE_DEVICE
Result run_real_dispatch_rates(Context &context) {
  Result result;
  result.table = {"million messages per second", mode_columns(), {}};
  for (const Line &line : kRealDispatchRates) {
    result.table.rows.push_back(printed_row(line));
  }
  const std::vector<PutRate> rates = real_rates(context, result);
  for (const PutRate &rate : rates) {
    if (rate.processes != 16 || rate.scheme == "known") {
      continue;
    }
    for (const char *const way : {"switch", "hybrid"}) {
      if (rate.scheme == way || rate.scheme == "vc-vcrt") {
        const std::string printed = fmt::format("Blues ({})", way);
        add_real_rate(result.table, rate, rates.front().transport, printed, &line_of(kRealDispatchRates, printed));
      }
    }
    if (rate.scheme == "ours") {
      add_real_rate(result.table, rate, rates.front().transport, "ours", nullptr);
    }
  }
  result.note =
      "Measured: puts over loopback by 16 processes on the processors of this machine. Table V of the published text "
      "calls all rows real. The paper prints 8988278 puts per second; the "
      "other values of its row are below 1." +
      real_note(rates);
  return result;
}
#endif

Result run_dispatch_rates(Context &context) {
  const std::vector<DispatchRate> rates =
      measure_dispatch_rates(context.choose(1, 15, 41), context.choose(1e-5, 0.004, 0.01));
  Result result;
  result.table = {"million puts per second", mode_columns(), {}};
  for (const Line &line : kDispatchRates) {
    result.table.rows.push_back(printed_row(line));
  }
  const auto label_of = [](const std::string &way) {
    return way == "ours" ? way : way == "vc-lean" ? "VC-VCRT, inlined" : fmt::format("Blues ({})", way);
  };
  for (const DispatchRate &rate : rates) {
    if (rate.way != "vc-vcrt") {
      put(result.table, label_of(rate.way), rate.mode, rate.rate / kMillion);
    } else if (rate.mode == "stride") {
      for (const char *const way : {"switch", "hybrid"}) {
        row_of(result.table, label_of(way)).cells.front().here = rate.rate / kMillion;
      }
    }
  }
  for (const char *const way : {"switch", "hybrid", "ours"}) {
    const std::string label = fmt::format("{}, over VC-VCRT", way);
    for (const DispatchRate &rate : rates) {
      if (rate.way == way) {
        put(result.table, label, rate.mode, rate.ratio);
      }
    }
    if (way != std::string("ours")) {
      put_paper_ratios(result.table, label, line_of(kDispatchRates, label_of(way)));
    }
  }
  result.note =
      "Measured: puts on the null network to 16 ranks, inlined; the paper's went through all of MPICH without "
      "its network. Switch and hybrid are the paper's ways to dispatch, on our structures. The lut holds the odd ranks "
      "in random order; 000/table5 also has the paper's reverse order.";
  return result;
}

Result run_generations(Context &context) {
  const int generations = context.choose(2, 4, 8);
  const std::vector<GenerationRate> rates =
      measure_generations(generations, context.choose(1, 15, 41), context.choose(1e-5, 0.004, 0.01));
  constexpr std::pair<const char *, const char *> kRows[] = {{"ompi-dense", "Open MPI, default"},
                                                             {"ompi-sparse", "Open MPI, sparse groups"},
                                                             {"vc-vcrt", "VC-VCRT"},
                                                             {"avrankmap", "ours"}};
  Result result;
  result.table = {"rate over default Open MPI, generation", {}, {}};
  for (int generation = 0; generation <= generations; ++generation) {
    result.table.columns.push_back(fmt::to_string(generation));
  }
  Plot plot{"", "Puts on communicators of the n-th generation", "generation", "million per second", false, false, {},
            {}};
  for (const auto &[scheme, label] : kRows) {
    Row row{label, std::vector<Cell>(result.table.columns.size())};
    for (const GenerationRate &rate : rates) {
      if (rate.scheme != scheme) {
        continue;
      }
      const bool sparse = rate.scheme == "ompi-sparse";
      Cell &cell = row.cells[static_cast<std::size_t>(rate.generation)];
      cell.here = rate.ratio;
      cell.paper = rate.scheme == "ompi-dense"      ? Value(1.0)
                   : sparse && rate.generation == 1 ? Value("loses around 10 %")
                   : sparse && rate.generation == 4 ? Value("loses nearly 40 %")
                                                    : Value();
      series_of(plot, label, rate.scheme == "avrankmap").points.emplace_back(rate.generation, rate.rate / kMillion);
    }
    result.table.rows.push_back(std::move(row));
  }
  result.plots.push_back(std::move(plot));
  result.note =
      "Measured: puts on the null network; the paper's loop has all of Open MPI without its network in it. A "
      "sparse group walks through all generations, one call each; ours composes the strides when the "
      "communicator is made. Each generation has every third rank of the one before, the paper's every second: "
      "with 256 as stride the objects of all 16 peers would share one set of the cache.";
  return result;
}

} // namespace avrankmap::bench
