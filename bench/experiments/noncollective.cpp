// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Noncollective Communicator Creation in MPI", figure 1: the cost of making a group's communicator
// by its members alone, by all of the parent, and by the paper's algorithm, which merges
// intercommunicators step by step. Needs the device.
#include "creation/creation_ops.h"
#include "experiments/catalogue.h"
#include "experiments/presentation.h"
#include "experiments/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace avrankmap::bench {
namespace {

constexpr const char *kByMembers = "group, by its members";
constexpr const char *kByParent = "group, by the parent";
constexpr const char *kMerging = "merging step by step";
constexpr std::array kWays = {kByMembers, kByParent, kMerging};

std::string column(const std::string &way, bool of_all) {
  const std::size_t comma = way.find(", ");
  return fmt::format("{}: {}", of_all ? "all" : "one process",
                     comma == std::string::npos ? way : way.substr(comma + 2));
}

} // namespace

Result run_group_creation(Context &context) {
  const std::int32_t processes = context.choose(64, 1024, 8192);
  context.progress()(fmt::format("{} simulated processes", processes));
  Result result;
  Plot plot{"a",       fmt::format("Groups out of {} processes: messages that one process sends at most", processes),
            "members", "messages",
            true,      true,
            {},        {}};
  Plot total{"b", "Messages of all processes", "members", "messages", true, true, {}, {}};
  result.table = {"messages, members", {}, {}};
  for (const char *const way : kWays) {
    result.table.columns.push_back(column(way, false));
    plot.series.push_back({way, {}, way == kByMembers});
    total.series.push_back({way, {}, way == kByMembers});
  }
  for (const char *const way : kWays) {
    result.table.columns.push_back(column(way, true));
  }
  for (const CreationOp &op : simulate_groups(processes)) {
    const auto way = std::find(kWays.begin(), kWays.end(), op.op);
    if (way == kWays.end()) {
      continue;
    }
    const auto index = static_cast<std::size_t>(way - kWays.begin());
    const std::string label = number_text(op.members);
    Row &row = row_of(result.table, label);
    const auto steps = static_cast<double>(op.steps.value_or(0));
    const auto messages = static_cast<double>(op.messages.value_or(0));
    row.cells[index].here = steps;
    row.cells[kWays.size() + index].here = messages;
    plot.series[index].points.emplace_back(op.members, steps);
    total.series[index].points.emplace_back(op.members, messages);
  }
  result.plots = {std::move(plot), std::move(total)};
  result.note =
      fmt::format("Simulated: our algorithms with {} processes, messages counted; the paper's figure has times "
                  "on 8,192 cores of a Blue Gene/P, without numbers. Its text: merging is faster than the "
                  "parent for small groups and slower for large ones. "
                  "With 3, 12, 48, ... members a group has no neighbour to merge with at one level.",
                  number_text(processes));
  return result;
}

} // namespace avrankmap::bench
