// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Noncollective Communicator Creation in MPI": what it costs to make a group's communicator by its members alone, by all of the
// parent, and by the paper's algorithm, which merges intercommunicators step by step (figure 1). Needs the device.
#include "experiments/catalogue.h"
#include "simulator/creation_ops.h"

#include <fmt/format.h>

#include <algorithm>

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
  for (const CreationOp &op : simulate_groups(processes)) {
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
    if (op.members <= 32) {
      (op.op == "group, by its members"  ? own
       : op.op == "group, by the parent" ? parent
                                         : merging) = op.steps.value_or(0);
      members = op.members;
    }
  }
  result.plots.push_back(std::move(plot));
  result.plots.push_back(std::move(total));
  result.reading.push_back(
      fmt::format("For {} members: {} steps by themselves, {} by all of the parent, {} by merging. The paper's "
                  "algorithm is faster than "
                  "creation by the parent for small groups and slower for large ones; a group whose members agree "
                  "directly, which the paper asks of the standard and MPI-3 has, is ahead of both at every size.",
                  members, own, parent, merging));
  return result;
}

} // namespace avrankmap::bench
