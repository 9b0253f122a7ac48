// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Noncollective Communicator Creation in MPI": what it costs to make a group's communicator by its members alone, by all of the
// parent, and by the paper's algorithm, which merges intercommunicators step by step (figure 1). Needs the device.
#include "experiments/catalogue.h"
#include "simulator/creation_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace avrankmap::bench {

Result run_group_creation(Context &context) {
  const std::int32_t processes = context.choose(64, 1024, 8192);
  context.progress()(fmt::format("{} simulated processes", processes));
  Result result;
  Plot plot{"a",       fmt::format("Groups out of {} processes: messages that one process sends at most", processes),
            "members", "messages",
            true,      true,
            {},        {}};
  Plot total{"b", "Messages of all processes", "members", "messages", true, true, {}, {}};
  std::uint64_t own = 0;
  std::uint64_t merging = 0;
  std::uint64_t parent = 0;
  std::int32_t members = 0;
  std::map<std::int32_t, std::uint64_t> of_parent;
  const std::vector<CreationOp> ops = simulate_groups(processes);
  for (const CreationOp &op : ops) {
    const char *const how =
        "simulated: our algorithms, messages counted; the paper's is time on 8,192 cores of a Blue Gene/P, in a figure "
        "without numbers";
    result.rows.push_back({fmt::format("{}, {} members", op.op, op.members),
                           "steps",
                           {},
                           static_cast<double>(op.steps.value_or(0)),
                           how});
    result.rows.push_back({fmt::format("{}, {} members, all processes", op.op, op.members),
                           "messages",
                           {},
                           static_cast<double>(op.messages.value_or(0)),
                           how});
    for (auto [which, value] : {std::pair(&plot, op.steps), std::pair(&total, op.messages)}) {
      auto line =
          std::find_if(which->series.begin(), which->series.end(), [&](const Series &s) { return s.name == op.op; });
      if (line == which->series.end()) {
        line = which->series.insert(line, {op.op, {}, op.op == "group, by its members"});
      }
      line->points.emplace_back(op.members, static_cast<double>(value.value_or(0)));
    }
    if (op.op == "group, by the parent") {
      of_parent[op.members] = op.messages.value_or(0);
    }
    if (op.members <= 32) {
      (op.op == "group, by its members"  ? own
       : op.op == "group, by the parent" ? parent
                                         : merging) = op.steps.value_or(0);
      members = op.members;
    }
  }
  std::int32_t merging_ahead = 0;
  std::int32_t own_ahead = 0;
  for (const CreationOp &op : ops) {
    if (op.op != "group, by the parent" && op.messages.value_or(0) < of_parent[op.members]) {
      (op.op == "group, by its members" ? own_ahead : merging_ahead) = op.members;
    }
  }
  result.plots.push_back(std::move(plot));
  result.plots.push_back(std::move(total));
  result.reading.push_back(fmt::format(
      "For {} members: {} messages one after another by themselves, {} by all of the parent, {} by merging. Merging "
      "sends fewer in all "
      "than the parent up to {} members; the paper measures it to be faster for small groups and slower for large "
      "ones. Members that agree directly, which it asks of the standard and MPI-3 has, send fewer than the parent up "
      "to {} members.",
      members, own, parent, merging, merging_ahead, own_ahead));
  return result;
}

} // namespace avrankmap::bench
