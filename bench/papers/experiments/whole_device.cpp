// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The second picture in README.md: bytes that a process, and a node, hold of a whole device, by the
// number of processes.
#include "device/whole/whole_device.h"

#include "component/translation/issue_rate.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "support/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr const char *kRates = "BM_Issue/put/(.*/)?stride/.*random$";

struct Shown {
  const char *scheme; ///< as in WholeDevice
  const char *label;
  bool ours;
  const char *issues = nullptr; ///< as in IssueRate; null: `scheme`
};
constexpr Shown kShown[] = {{"vc-vcrt", "VC-VCRT (MPICH 3)", false},
                            {"mpich4", "MPICH 4", false},
                            {"mpich5", "MPICH 5", false},
                            {"ompi-sparse", "Open MPI (sparse groups)", false},
                            {kWholeOnDemand, kWholeOnDemand, true, "stride"},
                            {kWholeInOrder, kWholeInOrder, true, "avrankmap-implicit"}};

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

/// Adds the rates of puts to the odd ranks of jobs, in random order.
/// @param plot  gets them, too
void add_rates(Context &context, Result *result, Plot *plot) {
  const IssueOptions options =
      context.choose<IssueOptions>({{512}, 1, 1e-5, 1e-3, kRates}, {{512, 32768, 393216}, 5, 0.004, 0.1, kRates},
                                   {{512, 8192, 32768, 393216, 8388608}, 15, 0.01, 0.5, kRates});
  for (const IssueRate &rate : measure_issue_rates(
           options, context.progress(), [&](const std::string &note) { result->omissions.push_back(note); })) {
    const auto *const shown = std::find_if(std::begin(kShown), std::end(kShown), [&](const Shown &s) {
      return rate.scheme == (s.issues == nullptr ? s.scheme : s.issues);
    });
    if (shown != std::end(kShown)) {
      const double processes = 2.0 * rate.peers; // of the world
      const std::string label = number_text(processes) + ", million puts per second";
      cell_of(result->table, label, shown->label).here = rate.rate / 1e6;
      series_of(*plot, shown->label, shown->ours).points.emplace_back(processes, rate.rate / 1e6);
    }
  }
}

/// Shares of the AV and of address space in ours in one job, and the provider's addition.
std::string text_of_ours(const std::vector<WholeDevice> &rows, std::int32_t processes) {
  std::string text;
  for (const WholeDevice &row : rows) {
    if (is_over_provider(row)) {
      text += fmt::format(" Over {} the process of {} has {} bytes more in a job of {}: the provider's own.",
                          row.network, row.scheme, grouped(row.provider), number_text(row.processes));
    } else if (shown_as(row.scheme).ours && row.processes == processes) {
      text +=
          fmt::format(" In a job of {} {} has {} bytes of address space; {} of its resident bytes are touched pages "
                      "of the AV.",
                      number_text(processes), row.scheme, grouped(row.address_space), grouped(row.av_touched));
    }
  }
  return text;
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
      "needs no tables of nodes here, as each node has the same number of consecutive ranks. Of Open MPI nothing is "
      "counted for nodes and windows.",
      job.addresses, job.communicators, job.windows, grouped(static_cast<std::uint64_t>(job.met)));
  (void)pin_to_one_cpu(); // the devices were processes of their own
  Plot rates{"-rate",     "Puts to random ranks, million per second of one core",
             "processes", "million per second",
             true,        true,
             {},          {}};
  add_rates(context, &result, &rates);
  result.plots.push_back(std::move(rates));
  result.note +=
      " Rates are of puts of one core on the null network to every second rank of a job of so many, at random; "
      "they were measured where the structures of all fit into memory together.";
  result.note += text_of_ours(rows, context.choose(1024, kJob, kJob));
  return result;
}

} // namespace avrankmap::bench
