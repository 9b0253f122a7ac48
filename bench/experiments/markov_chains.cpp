// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Noncollective Communicator Creation in MPI": its kernel of Markov chains, whose groups merge
// when they run out of work. Figure 2 has its time, table 1 how often a process changes its group.
// Needs the device.
#include "experiments/catalogue.h"
#include "experiments/conclusions.h"
#include "experiments/presentation.h"
#include "noncollective/mcmc.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace avrankmap::bench {

namespace {

constexpr const char *kSimulated =
    "Simulated: the kernel in virtual time with 1 us per message; the paper's ran on a Blue Gene/P.";

McmcRow simulate(std::int32_t processes, Balancing balancing, std::int32_t interval) {
  McmcOptions options;
  options.processes = processes;
  options.balancing = balancing;
  options.interval = interval;
  return simulate_mcmc(options);
}

std::string name_of(const McmcRow &row) {
  return row.balancing == "collective" ? fmt::format("collective, every {}", row.interval) : row.balancing;
}

} // namespace

Result run_chain_scaling(Context &context) {
  Result result;
  Plot plot{"", "Markov chains: seconds by the way in which work is balanced", "processes", "seconds", true, false, {},
            {}};
  result.table = {"seconds, processes", {}, {}};
  std::vector<std::int32_t> sizes;
  for (std::int32_t processes = 32; processes <= context.choose(32, 2048, 8192); processes *= 4) {
    sizes.push_back(processes);
    result.table.columns.push_back(number_text(processes));
  }
  for (const std::int32_t processes : sizes) {
    context.progress()(fmt::format("{} simulated processes", processes));
    std::vector<McmcRow> rows = {simulate(processes, Balancing::kNone, 1),
                                 simulate(processes, Balancing::kAsynchronous, 1)};
    for (const std::int32_t interval : {1, 16, 128}) {
      rows.push_back(simulate(processes, Balancing::kCollective, interval));
    }
    rows.push_back({.balancing = "ideal", .processes = processes, .seconds = rows.front().ideal_seconds});
    for (const McmcRow &row : rows) {
      const std::string name = name_of(row);
      Cell &cell = cell_of(result.table, name, number_text(processes));
      cell.here = row.seconds;
      if (name == "none" || name == "ideal") {
        cell.paper = name == "none" ? 7.0 : 3.5;
      }
      series_of(plot, name, name == "asynchronous").points.emplace_back(processes, row.seconds);
    }
  }
  result.plots.push_back(std::move(plot));
  result.note = kSimulated;

  const std::string column = result.table.columns.back();
  const double none = number_here(result.table, "none", column).value_or(0);
  double collective = none;
  for (const int interval : {1, 16, 128}) {
    collective = std::min(
        collective, number_here(result.table, fmt::format("collective, every {}", interval), column).value_or(none));
  }
  const double asynchronous = number_here(result.table, "asynchronous", column).value_or(none);
  result.conclusions = {
      fmt::format("With {} processes asynchronous balancing saves {:.0f} % of the time without balancing (the paper: "
                  "over 40 %), the best collective one {:.0f} % (about 15 %).",
                  column, 100 * (1 - asynchronous / none), 100 * (1 - collective / none))};
  return result;
}

Result run_chain_regroupings(Context &context) {
  const std::int32_t processes = context.choose(32, 8192, 8192);
  context.progress()(fmt::format("{} simulated processes", processes));
  // The table as printed; the first interval is that of balancings without one.
  struct Printed {
    const char *label;
    Balancing balancing;
    std::int32_t interval;
    double mean, deviation, least, most;
  };
  constexpr Printed kPrinted[] = {
      {"None", Balancing::kNone, 1, 0, 0, 0, 0},
      {"Async.", Balancing::kAsynchronous, 1, 14.38, 3.54, 5, 26},
      {"Collect. 1", Balancing::kCollective, 1, 5.38, 2.12, 2, 8},
      {"Collect. 2", Balancing::kCollective, 2, 5.38, 2.12, 2, 8},
      {"Collect. 4", Balancing::kCollective, 4, 5.38, 2.12, 2, 8},
      {"Collect. 8", Balancing::kCollective, 8, 5.38, 2.12, 2, 8},
      {"Collect. 16", Balancing::kCollective, 16, 5.38, 2.12, 2, 8},
      {"Collect. 32", Balancing::kCollective, 32, 5.38, 2.12, 2, 8},
      {"Collect. 64", Balancing::kCollective, 64, 3.75, 1.20, 2, 5},
      {"Collect. 128", Balancing::kCollective, 128, 2.62, 0.48, 2, 3},
  };
  Result result;
  result.table = {"regroupings per process", {"Avg.", "St. Dev.", "Min", "Max"}, {}};
  for (const Printed &printed : kPrinted) {
    const McmcRow row = simulate(processes, printed.balancing, printed.interval);
    result.table.rows.push_back({printed.label,
                                 {{row.regroupings_mean, printed.mean},
                                  {row.regroupings_deviation, printed.deviation},
                                  {static_cast<double>(row.regroupings_min), printed.least},
                                  {static_cast<double>(row.regroupings_max), printed.most}}});
  }
  result.note = fmt::format("{} When ours balance asynchronously they merge only with groups that have work left; the "
                            "paper's merge with the group to their right, whatever work that has.",
                            kSimulated);
  result.conclusions = {equal_to_paper(result.table)};
  return result;
}

} // namespace avrankmap::bench
