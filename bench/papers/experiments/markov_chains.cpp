// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Noncollective Communicator Creation in MPI": its kernel of Markov chains, whose groups merge
// when they run out of work. Figure 2 has its time, table 1 how often a process changes its group.
// Needs the device.
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "papers/noncollective/mcmc.h"

#include <fmt/format.h>

#include <exception>
#include <vector>

namespace avrankmap::bench {

namespace {

constexpr const char *kSimulated =
    "Simulated: the kernel in virtual time with 1 us per message; the paper's ran on a Blue Gene/P. Groups have G = 4 "
    "processes, an item takes T = 100 ms over the size of the group, and the chain of leader R has 10 (R mod 32) "
    "items: "
    "0, 40, ..., 280, as the paper lists them, where its formula 10 R mod 32 has less than 32.";

constexpr const char *kToTheRight =
    "Async. and to the right: a group that has come to its end merges with the group to its right, as in the paper; "
    "its text does not say how two idle groups meet, here they merge at once, and the last group has no group to its "
    "right.";
constexpr const char *kToWork = "To work: it merges with the next group to the right that has work left.";

McmcRow simulate(std::int32_t processes, Balancing balancing, std::int32_t interval, double spread_seconds = 0) {
  McmcOptions options;
  options.processes = processes;
  options.balancing = balancing;
  options.interval = interval;
  options.spread_seconds = spread_seconds;
  return simulate_mcmc(options);
}

std::string name_of(const McmcRow &row) {
  return row.balancing == "collective"     ? fmt::format("collective, every {}", row.interval)
         : row.balancing == "asynchronous" ? "asynchronous, to work"
         : row.balancing == "to the right" ? "asynchronous, to the right"
                                           : row.balancing;
}

/// Forked processes, which sleep instead of working. Measured once for all experiments.
McmcRow measure(Context &context, std::int32_t processes, Balancing balancing, std::int32_t interval) {
  McmcOptions options;
  options.processes = processes;
  options.item_seconds = context.choose(0.001, 0.025, 0.1);
  options.balancing = balancing;
  options.interval = interval;
  const std::string name = fmt::format("chains {} {} {}", processes, static_cast<int>(balancing), interval);
  return context.once(name, [&] {
    context.progress()(fmt::format("{} real processes", processes));
    return measure_mcmc(options);
  });
}

struct Way {
  Balancing balancing;
  std::int32_t interval;
};

/// Adds rows of 32 real processes.
void add_real(Context &context, Result *result) {
  using Ways = std::vector<Way>;
  const Ways quick = {
      {Balancing::kNone, 1}, {Balancing::kToTheRight, 1}, {Balancing::kAsynchronous, 1}, {Balancing::kCollective, 16}};
  Ways full = quick;
  full.push_back({Balancing::kCollective, 1});
  full.push_back({Balancing::kCollective, 128});
  for (const auto &[balancing, interval] : context.choose(Ways(), quick, full)) {
    try {
      const McmcRow row = measure(context, 32, balancing, interval);
      cell_of(result->table, "real processes: " + name_of(row), number_text(row.processes)).here = row.seconds;
    } catch (const std::exception &error) {
      result->omissions.emplace_back(error.what());
    }
  }
}

Row regroupings_of(const std::string &label, const McmcRow &row) {
  return {label,
          {{row.regroupings_mean},
           {row.regroupings_deviation},
           {static_cast<double>(row.regroupings_min)},
           {static_cast<double>(row.regroupings_max)}}};
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
                                 simulate(processes, Balancing::kToTheRight, 1),
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
      } else if (row.balancing != "asynchronous") {
        cell.paper = row.balancing == "collective" ? "roughly 15 % less" : "over 40 % less";
      }
      series_of(plot, name, name == "asynchronous, to work").points.emplace_back(processes, row.seconds);
    }
  }
  add_real(context, &result);
  result.plots.push_back(std::move(plot));
  result.note =
      fmt::format("{} {} {} Real processes are forked on this machine, and sleep instead of working, {} ms per "
                  "item and process; the paper's T is 100 ms, as in the other rows.",
                  kSimulated, kToTheRight, kToWork, context.choose(1, 25, 100));
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
      {"Async.", Balancing::kToTheRight, 1, 14.38, 3.54, 5, 26},
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
  for (const Printed &line : kPrinted) {
    const McmcRow row = simulate(processes, line.balancing, line.interval);
    result.table.rows.push_back({line.label,
                                 {{row.regroupings_mean, printed(line.mean, 2)},
                                  {row.regroupings_deviation, printed(line.deviation, 2)},
                                  {static_cast<double>(row.regroupings_min), line.least},
                                  {static_cast<double>(row.regroupings_max), line.most}}});
  }
  for (const double milliseconds : {0.1, 1.0}) {
    result.table.rows.push_back(regroupings_of(fmt::format("Async., within {} ms", milliseconds),
                                               simulate(processes, Balancing::kToTheRight, 1, milliseconds / 1000)));
  }
  result.table.rows.push_back(regroupings_of("Async., to work", simulate(processes, Balancing::kAsynchronous, 1)));
  for (const std::int32_t few : context.choose<std::vector<std::int32_t>>({}, {32}, {32, 64})) {
    for (const Balancing balancing : {Balancing::kToTheRight, Balancing::kAsynchronous}) {
      const char *const label = balancing == Balancing::kToTheRight ? "Async." : "Async., to work";
      result.table.rows.push_back(
          regroupings_of(fmt::format("{}, {} simulated processes", label, few), simulate(few, balancing, 1)));
      try {
        result.table.rows.push_back(
            regroupings_of(fmt::format("{}, {} real processes", label, few), measure(context, few, balancing, 1)));
      } catch (const std::exception &error) {
        result.omissions.emplace_back(error.what());
      }
    }
  }
  result.note =
      fmt::format("{} {} {} All periods of 32 processes come to their end at the same time here, and merge in "
                  "pairs; within 0.1 or 1 ms: groups begin at random within that time. Real processes are "
                  "forked on this machine.",
                  kSimulated, kToTheRight, kToWork);
  return result;
}

} // namespace avrankmap::bench
