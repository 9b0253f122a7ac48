// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// "Noncollective Communicator Creation in MPI", figure 1: the cost of making a group's communicator
// by its members alone, by all of the parent, by the paper's algorithm, which merges
// intercommunicators step by step, and by the paper's multicommunicators. Needs the device.
#include "device/creation/groups.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>

namespace avrankmap::bench {
namespace {

constexpr double kMessageUs = 1; // of its sender

struct Way {
  const char *op;
  const char *column;
};
constexpr std::array kWays = {
    Way{kByMembers, "by its members"},           Way{kByParent, "by the parent"},
    Way{kMerging, "merging step by step"},       Way{kMergingAtOnce, "merging step by step, at once"},
    Way{kMulti, "multicommunicator of singles"},
};

/// One quantity by way and size of the group: rows of the table and a picture.
class Quantity {
public:
  Quantity(const char *name, const std::string &title, const char *unit, const char *rows)
      : plot_{name, title, "members", unit, true, false, {}, {}}, rows_(rows) {
    for (const Way &way : kWays) {
      plot_.series.push_back({way.column, {}, way.op == std::string(kByMembers)});
    }
  }

  void add(Table &table, const CreationOp &op, double value) {
    const auto way = std::find_if(kWays.begin(), kWays.end(), [&](const Way &w) { return w.op == op.op; });
    if (way == kWays.end()) {
      return;
    }
    const std::string label = fmt::format("{} of {} {}", number_text(op.members), number_text(op.processes), rows_);
    cell_of(table, label, way->column).here = value;
    plot_.series[static_cast<std::size_t>(way - kWays.begin())].points.emplace_back(op.members, value);
  }
  [[nodiscard]] Plot take() { return std::move(plot_); }
  /// The part of the picture with groups of up to `most` members.
  [[nodiscard]] Plot small(std::int32_t most) const {
    Plot part = plot_;
    part.name += "small";
    part.title += fmt::format(", up to {} members", most);
    for (Series &line : part.series) {
      std::erase_if(line.points, [&](const auto &point) { return point.first > most; });
    }
    return part;
  }

private:
  Plot plot_;
  const char *rows_;
};

void add_real_groups(Context &context, Result &result) {
  const std::int32_t processes = context.choose(0, 16, 32);
  if (processes == 0) {
    return;
  }
  context.progress()(fmt::format("{} real processes", processes));
  Quantity real("b", fmt::format("Groups out of {} real processes: time", processes), "microseconds", "real, us");
  try {
    for (const CreationOp &op : measure_groups(processes, context.choose(1, 11, 31))) {
      real.add(result.table, op, op.seconds * 1e6);
    }
    result.plots.push_back(real.take());
  } catch (const std::exception &error) {
    result.omissions.emplace_back(error.what());
  }
}

} // namespace

Result run_group_creation(Context &context) {
  const std::int32_t processes = context.choose(64, 1024, 8192);
  Result result;
  result.table.corner = "members";
  for (const Way &way : kWays) {
    result.table.columns.emplace_back(way.column);
  }
  context.progress()(fmt::format("{} simulated processes", processes));
  const std::vector<CreationOp> simulated = simulate_groups(processes);
  const std::string title = fmt::format("Groups out of {} simulated processes: ", number_text(processes));
  Quantity time("a", title + "time", "microseconds", "simulated, us");
  Quantity messages("c", title + "messages of all", "messages", "simulated, messages");
  for (const CreationOp &op : simulated) {
    time.add(result.table, op, kMessageUs * static_cast<double>(op.depth.value_or(0)));
  }
  constexpr std::int32_t kSmall = 32;
  result.plots.push_back(time.small(kSmall));
  result.plots.push_back(time.take());
  add_real_groups(context, result);
  for (const CreationOp &op : simulated) {
    messages.add(result.table, op, static_cast<double>(op.messages.value_or(0)));
  }
  result.plots.push_back(messages.take());
  result.note =
      "Simulated: our algorithms, 1 us for each message that a process sends; then messages of all processes. The "
      "paper's figure "
      "has times on 8,192 cores of a Blue Gene/P, without numbers. Its text: merging is significantly faster than the "
      "parent for small groups, and well beyond it for large ones; by the parent the cost is flat. Real: processes of "
      "this machine over shared memory, from when the last one begins until the last one has the communicator; there "
      "are more of them than processors, and those that do not take part sleep. By its members is section 5.1 "
      "(avrm_comm_create_group), merging step by step the paper's algorithm 1, and at once the same with one agreement "
      "per level (avrm_comm_merge). The multicommunicator of section 5.2 has each member as a group of its own; "
      "making, "
      "flattening and merging it are three agreements. With 3, 12, 48, ... members a group has no neighbour to merge "
      "with at one level.";
  return result;
}

} // namespace avrankmap::bench
