// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The second picture in README.md: bytes that a process, and a node, hold of a whole device, by the
// number of processes.
#include "whole/whole_device.h"

#include "experiments/catalogue.h"
#include "experiments/conclusions.h"
#include "experiments/presentation.h"
#include "support/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace avrankmap::bench {
namespace {

struct Shown {
  const char *scheme; ///< as in WholeDevice
  const char *label;
  bool ours;
};
constexpr Shown kShown[] = {{"vc-vcrt", "VC-VCRT (MPICH 3)", false},
                            {"mpich4", "MPICH 4", false},
                            {"mpich5", "MPICH 5", false},
                            {kWholeOnDemand, kWholeOnDemand, true},
                            {kWholeInOrder, kWholeInOrder, true}};

const Shown &shown_as(const std::string &scheme) {
  return *std::find_if(std::begin(kShown), std::end(kShown), [&](const Shown &s) { return s.scheme == scheme; });
}

bool is_over_provider(const WholeDevice &row) { return !row.network.empty() && row.network != "null"; }

Plot plot_of(const std::vector<WholeDevice> &rows, std::string name, std::string title, double times) {
  Plot plot{std::move(name), std::move(title), "processes", "", true, true, {}, {}};
  plot.labelled = true;
  for (const WholeDevice &row : rows) {
    if (!is_over_provider(row)) {
      const Shown &shown = shown_as(row.scheme);
      Series &series = series_of(plot, shown.label, shown.ours);
      series.points.emplace_back(row.processes, static_cast<double>(row.resident) * times);
      series.projected += row.measured ? 0 : 1;
    }
  }
  return plot;
}

void add_rows(Table *table, const std::vector<WholeDevice> &rows, const std::string &behind, double times) {
  for (const WholeDevice &row : rows) {
    if (!is_over_provider(row)) {
      const std::string bytes = number_text(static_cast<double>(row.resident) * times);
      cell_of(*table, number_text(row.processes) + behind, shown_as(row.scheme).label).here =
          row.measured ? bytes : "~" + bytes;
    }
  }
}

/// How the others compare with ours in one job, and what of ours is the AV.
std::vector<std::string> conclusions_of(const std::vector<WholeDevice> &rows, std::int32_t processes) {
  const auto row_of = [&](const std::string &scheme) {
    return std::find_if(rows.begin(), rows.end(), [&](const WholeDevice &row) {
      return row.scheme == scheme && row.processes == processes && !is_over_provider(row);
    });
  };
  const auto in_order = row_of(kWholeInOrder);
  const auto on_demand = row_of(kWholeOnDemand);
  if (in_order == rows.end() || on_demand == rows.end()) {
    return {};
  }
  std::vector<double> ratios;
  for (const Shown &shown : kShown) {
    const auto other = row_of(shown.scheme);
    if (!shown.ours && other != rows.end()) {
      ratios.push_back(static_cast<double>(other->resident) / static_cast<double>(in_order->resident));
    }
  }
  std::vector<std::string> all{
      fmt::format("With {} processes the others take {} times the bytes of ours with an implicit AV.",
                  number_text(processes), range_text(ratios)),
      fmt::format("There ours has {} bytes of address space with an implicit AV, and {} on demand, where {} of the "
                  "resident bytes are pages of the AV that were touched.",
                  grouped(in_order->address_space), grouped(on_demand->address_space), grouped(on_demand->av_touched))};
  for (const WholeDevice &row : rows) {
    if (is_over_provider(row)) {
      all.push_back(fmt::format("Over {} the process of {} has {} bytes more in a job of {}: the provider's own.",
                                row.network, row.scheme, grouped(row.provider), number_text(row.processes)));
    }
  }
  return all;
}

} // namespace

Result run_whole_device(Context &context) {
  constexpr std::int32_t kJob = 786432;
  WholeOptions options;
  options.processes =
      context.choose<std::vector<std::int32_t>>({128, 1024}, {1024, 65536, kJob, 1 << 24, 100000000},
                                                {1024, 4096, 16384, 65536, kJob, 1 << 22, 1 << 24, 100000000});
  options.over_provider = context.choose<std::vector<std::int32_t>>({}, {kJob}, {kJob});
  options.memory = std::min<std::uint64_t>(available_memory() / 2, 4'000'000'000);
  std::vector<std::string> omissions;
  const std::vector<WholeDevice> rows =
      measure_whole_device(options, context.progress(), [&](const std::string &note) { omissions.push_back(note); });
  Result result;
  result.omissions = std::move(omissions);
  result.table = {"bytes, processes", {}, {}};
  for (const Shown &shown : kShown) {
    result.table.columns.emplace_back(shown.label);
  }
  const WholeJob job;
  const std::string per_node = fmt::format(", node of {}", options.per_node);
  add_rows(&result.table, rows, "", 1);
  add_rows(&result.table, rows, per_node, options.per_node);
  result.plots = {
      plot_of(rows, "", "Memory of a whole device, per process (dashed: projected)", 1),
      plot_of(rows, "-per-node",
              fmt::format("Memory of a whole device, per node of {} processes (dashed: projected)", options.per_node),
              options.per_node)};
  result.note = fmt::format(
      "Measured: resident bytes of the null network's device and of the structures of others; ~ and dashed lines are "
      "projected along the line through the two largest jobs that were measured. {} addresses per peer; the world, {} "
      "communicators, half of them duplicates, half of every second rank, each with its hierarchy, node and node-roots "
      "communicator; {} windows, whose keys the provider chooses, with {} targets met, spread over the job. MPICH 5 "
      "needs no tables of nodes here, as each node has the same number of consecutive ranks.",
      job.addresses, job.communicators, job.windows, grouped(static_cast<std::uint64_t>(job.met)));
  result.conclusions = conclusions_of(rows, context.choose(1024, kJob, kJob));
  return result;
}

} // namespace avrankmap::bench
