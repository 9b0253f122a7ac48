// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper: the time to create communicators (figures 15 and 16). Maps alone at all
// sizes of the paper; whole creations, messages included, between real processes of this machine
// and, per process, between simulated ones.
#include "baseline/mpich4.h"
#include "component/memory/growth.h"
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "papers/experiments/creation_rows.h"
#include "support/machine.h"

#if AVRM_HAVE_DEVICE
#include "device/creation/creation_ops.h"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr double kMicro = 1e6;
/// Real processes of the largest whole creation.
constexpr int kMostReal = 16;

/// A way to create a communicator.
struct Kind {
  const char *name;
  GrowthKind maps;
  const char *paper;                ///< whole creation with AV-Rankmap, % above VC-VCRT
  std::vector<const char *> wholes; ///< the same in creation_ops.h
};

struct Figure {
  std::int32_t largest;
  std::vector<Kind> kinds;
};

MapTimes map_times(GrowthKind kind, std::int32_t size, int repetitions) {
  // Each of these creations brings a world, and MPICH 4's table of worlds is full at some number.
  const int most = kind == GrowthKind::kInterDynamic ? Mpich4Parts::kMaxWorlds - 1 : repetitions;
  const std::vector<Growth> all = measure_growth(kind, size, std::min(repetitions, most));
  const auto seconds = [&](const char *scheme) {
    return std::find_if(all.begin(), all.end(), [&](const Growth &g) { return g.scheme == scheme; })->seconds;
  };
  return {seconds("vc-vcrt"), seconds("strict"), seconds("table"), seconds("default")};
}

/// Two kinds share a plot, so that it has six lines.
void add_map_rows(Context &context, const Figure &figure, Result &result) {
  const std::int32_t most = context.choose(512, figure.largest, figure.largest);
  const std::size_t first = result.plots.size();
  for (std::size_t i = 0; i < figure.kinds.size(); ++i) {
    const Kind &kind = figure.kinds[i];
    if (i % 2 == 0) {
      result.plots.push_back({fmt::format("maps{}", i / 2 + 1),
                              "Creation of the maps of a communicator, without messages",
                              "processes",
                              "microseconds per process",
                              true,
                              false,
                              {},
                              {}});
    }
    Plot &plot = result.plots[first + i / 2];
    for (std::int32_t size = 128;; size = std::min(most, size * context.choose(4, figure.largest > 4096 ? 16 : 4, 2))) {
      context.progress()(fmt::format("{}, {} processes", kind.name, size));
      const MapTimes times = map_times(kind.maps, size, context.choose(2, 21, 101));
      series_of(plot, fmt::format("{}, VC-VCRT", kind.name), false).points.emplace_back(size, times.vc_vcrt * kMicro);
      const auto add_ours = [&](const char *name, double seconds) {
        series_of(plot, fmt::format("{}, {}", kind.name, name), true).points.emplace_back(size, seconds * kMicro);
      };
      add_ours(kOursTable, times.table);
      add_ours(kOursImplicit, times.implicit);
      if (size == most || size == 4096) {
        add_maps(result.table, fmt::format("{}, {} processes", kind.name, number_text(size)), times);
      }
      if (size == most) {
        break;
      }
    }
  }
}

#if AVRM_HAVE_DEVICE
/// The bars of a whole creation between real processes. Those in which jobs meet, and in which one
/// starts the other, take so much longer that they have pictures of their own, of all numbers of
/// processes.
Plot &bars_of(Result &result, const std::string &op, std::int32_t processes) {
  const bool meets = op == kConnected || op == kMergedJobs;
  const std::string name = op == kSpawned ? "wholespawn" : meets ? "wholemeet" : fmt::format("whole{}", processes);
  const auto found =
      std::find_if(result.plots.begin(), result.plots.end(), [&](const Plot &plot) { return plot.name == name; });
  if (found != result.plots.end()) {
    return *found;
  }
  result.plots.push_back(
      creation_bars(name, op == kSpawned ? "Whole creation of a communicator with processes that are started"
                          : meets        ? "Whole creation of a communicator between jobs that meet"
                                  : fmt::format("Whole creation of a communicator, {} real processes", processes)));
  return result.plots.back();
}

void add_whole(Context &context, const Kind &kind, const CreationOp &op, Result &result) {
  const bool is_named = op.op.starts_with(kind.name); // "split into two, sorting"
  const std::string what = kind.wholes.size() == 1 ? kind.name
                           : is_named              ? op.op
                                                   : fmt::format("{}: {}", kind.name, op.op);
  const std::string label =
      fmt::format("{}, {} {} processes", what, number_text(op.processes), op.simulated ? "simulated" : "real");
  if (op.simulated) { // its messages arrive in no time, so that a share of it would mean nothing
    const double micro = op.seconds / op.processes * kMicro;
    cell_of(result.table, label, kWholeCreation).here = micro;
    series_of(result.plots.front(), what, true).points.emplace_back(op.processes, micro);
    return;
  }
  Plot &bars = bars_of(result, op.op, op.processes);
  const bool by_processes = !bars.name.ends_with(std::to_string(op.processes));
  add_real_creation(result.table, bars,
                    {label, by_processes ? fmt::format("{}, {} processes", op.op, op.processes) : what, op.seconds,
                     map_times(kind.maps, op.processes, context.choose(2, 21, 101)), kind.paper});
}

void add_whole_rows(Context &context, const Figure &figure, Result &result) {
  result.plots.push_back(
      {"simulated",
       "Whole creation of a communicator, ours: processor time of simulated processes, without addresses",
       "processes",
       "microseconds per process",
       true,
       false,
       {},
       {}});
  const auto add = [&](const std::vector<CreationOp> &ops) {
    for (const Kind &kind : figure.kinds) {
      for (const CreationOp &op : ops) {
        if (std::find(kind.wholes.begin(), kind.wholes.end(), op.op) != kind.wholes.end()) {
          add_whole(context, kind, op, result);
        }
      }
    }
  };
  const bool is_dynamic = std::any_of(figure.kinds.begin(), figure.kinds.end(),
                                      [](const Kind &kind) { return kind.maps == GrowthKind::kInterDynamic; });
  const int repetitions = context.choose(1, 31, 201);
  for (const std::int32_t processes : context.choose<std::vector<std::int32_t>>({}, {kMostReal}, {4, 8, kMostReal})) {
    add(context.once(fmt::format("whole creations, {}", processes), [&] {
      context.progress()(fmt::format("whole creations, {} real processes", processes));
      return measure_creation(processes, repetitions);
    }));
    if (is_dynamic) {
      context.progress()(fmt::format("whole creations, {} real processes that meet", processes));
      const std::vector<CreationOp> ops = measure_dynamic(processes, context.choose(1, 11, 51));
      if (ops.empty()) {
        result.omissions.push_back("Jobs that meet: left out, this machine has no network for them");
      }
      add(ops);
    }
  }
  for (const std::int32_t processes :
       context.choose<std::vector<std::int32_t>>({64}, {1024, 4096}, {1024, 4096, 65536})) {
    add(context.once(fmt::format("simulated creations, {}", processes), [&] {
      context.progress()(fmt::format("whole creations, {} simulated processes", processes));
      return simulate_creation(processes);
    }));
  }
  // The paper's pictures come first.
  std::rotate(result.plots.begin(), result.plots.begin() + 1, result.plots.end());
}
#else
void add_whole_rows(Context & /*context*/, const Figure & /*figure*/, Result &result) {
  result.omissions.emplace_back("Whole creations need the device (AVRM_BUILD_DEVICE)");
}
constexpr const char *kSplitGathering = "";
constexpr const char *kSplitInTwo = "";
constexpr const char *kJoined = "";
constexpr const char *kMergedSides = "";
constexpr const char *kConnected = "";
constexpr const char *kSpawned = "";
constexpr const char *kMergedJobs = "";
#endif

Result run_creation(Context &context, const Figure &figure) {
  Result result;
  result.table = creation_table();
  const int cpus = cpu_count();
  add_whole_rows(context, figure, result);
  (void)pin_to_one_cpu(); // add_whole_rows() starts processes; what follows runs in this one
  add_map_rows(context, figure, result);
  result.note = fmt::format(
      "Measured: the columns before the whole creation are the maps of a communicator and of its internal ones, with "
      "the scan for patterns and without messages; the whole creation is that of our library, with a table AV and "
      "messages included; the columns in % and the bars of VC-VCRT, strict and an implicit AV are computed from it, "
      "with their maps in place of ours. A whole creation of real processes, which {} {} CPUs, is the median time of "
      "the first one; of simulated ones, the processor time of one, without an address vector, whose messages arrive "
      "at once. The paper's figures are of whole creations; its section IV says 3 to 7 % of the same overhead.",
      cpus < kMostReal ? "share" : "have", cpus);
  return result;
}

} // namespace

Result run_creation_on_mira(Context &context) {
  constexpr const char *kPaper = "3 to 6";
  constexpr const char *kEarlier = "3 to 6, less than 5 in the earlier text";
  return run_creation(context, {786432,
                                {{"dup", GrowthKind::kDup, kEarlier, {"dup"}},
                                 {"split", GrowthKind::kSplit, kEarlier, {kSplitGathering, kSplitInTwo}},
                                 {"intercommunicator", GrowthKind::kInter, kEarlier, {kJoined}},
                                 {"merge", GrowthKind::kMergeOne, kPaper, {kMergedSides}}}});
}

Result run_creation_on_blues(Context &context) {
  constexpr const char *kPaper = "3 to 8";
  constexpr const char *kEarlier = "3 to 8, 6 to 8 in the earlier text";
  return run_creation(
      context,
      {4096,
       {{"dup", GrowthKind::kDup, kPaper, {"dup"}},
        {"split", GrowthKind::kSplit, kPaper, {kSplitGathering, kSplitInTwo}},
        {"intercommunicator", GrowthKind::kInter, kEarlier, {kJoined}},
        {"merge", GrowthKind::kMergeOne, kPaper, {kMergedSides}},
        {"intercommunicator with dynamic processes", GrowthKind::kInterDynamic, kEarlier, {kConnected, kSpawned}},
        {"merge with dynamic processes", GrowthKind::kMerge, kPaper, {kMergedJobs}}}});
}

} // namespace avrankmap::bench
