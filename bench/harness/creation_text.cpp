// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"
#include "harness/text_table.h"

#include <fmt/format.h>

namespace avrankmap::bench {
namespace {

std::string number(const std::optional<std::uint64_t> &value) { return value ? std::to_string(*value) : "-"; }

} // namespace

std::string creation_text(const std::vector<CreationOp> &ops) {
  if (ops.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"processes", "creation", "members", "ms", "messages", "of one process", "bytes", "map bytes",
             "temporary bytes"});
  bool simulated = false;
  for (const CreationOp &op : ops) {
    if (op.simulated != simulated) {
      table.gap();
    }
    simulated = op.simulated;
    table.row({fmt::format("{} {}", op.processes, op.simulated ? "simulated" : "real"), op.op,
               std::to_string(op.members), fmt::format("{:.3f}", op.seconds * 1e3), number(op.messages),
               number(op.steps), number(op.bytes), std::to_string(op.map_bytes),
               std::to_string(op.peak_temporary_bytes)});
  }
  return "\nMaking communicators. Real: median, of the first process. Simulated: time of one core that does the work "
         "of all\n"
         "processes, messages of all of them, the most of one and their bytes, temporary bytes of one, coroutines "
         "included\n" +
         table.text();
}

std::string crossover_text(const std::vector<SplitCrossover> &rows) {
  if (rows.empty()) {
    return {};
  }
  TextTable table(1);
  table.row({"processes", "gathering us", "temporary bytes", "sorting us", "temporary bytes"});
  for (const SplitCrossover &row : rows) {
    table.row({std::to_string(row.processes), fmt::format("{:.1f}", row.gather_seconds * 1e6),
               std::to_string(row.gather_bytes), fmt::format("{:.1f}", row.sort_seconds * 1e6),
               std::to_string(row.sort_bytes)});
  }
  return "\nSplitting into columns by either method, simulated, on a network of 1 us and 10 GB/s\n" + table.text();
}

std::string mcmc_text(const std::vector<McmcRow> &rows) {
  if (rows.empty()) {
    return {};
  }
  TextTable table(2);
  table.row({"processes", "balancing", "every", "seconds", "ideal", "groups", "deviation", "least", "most"});
  for (const McmcRow &row : rows) {
    if (row.balancing == "none" && &row != rows.data()) {
      table.gap();
    }
    table.row({fmt::format("{} {}", row.processes, row.simulated ? "simulated" : "real"), row.balancing,
               row.interval == 0 ? "-" : std::to_string(row.interval), fmt::format("{:.3f}", row.seconds),
               fmt::format("{:.3f}", row.ideal_seconds), fmt::format("{:.2f}", row.regroupings_mean),
               fmt::format("{:.2f}", row.regroupings_deviation), std::to_string(row.regroupings_min),
               std::to_string(row.regroupings_max)});
  }
  return "\nMarkov chains of unequal lengths, walked by groups of processes, and the groups that a process is in\n" +
         table.text();
}

} // namespace avrankmap::bench
