// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The picture in bench/COMPARISON.md: bytes that a process, and a node, hold of a whole device, by
// the number of processes.
#include "device/job_memory/whole_device.h"

#include "component/translation/issue_rate.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"
#include "papers/experiments/catalogue.h"
#include "support/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
constexpr const char *kOldest = "MPICH 3.2 (VC-VCRT)"; // in the table alone
constexpr const char *kMpich4 = "MPICH 4.0.2";
constexpr const char *kLaterMpich4 = "MPICH 4.1 to 4.3";
constexpr Shown kShown[] = {{"mpich4.1", kLaterMpich4, false},
                            {"mpich4", kMpich4, false},
                            {"mpich5", "MPICH 5", false},
                            {"ompi", "Open MPI", false},
                            {"ompi-sparse", "Open MPI, sparse groups", false},
                            {kWholeOnDemand, kWholeOnDemand, true, "stride"},
                            {kWholeInOrder, kWholeInOrder, true, "avrankmap-implicit"},
                            {"vc-vcrt", kOldest, false}};

const Shown &shown_as(const std::string &scheme) {
  return *std::find_if(std::begin(kShown), std::end(kShown), [&](const Shown &s) { return s.scheme == scheme; });
}

bool is_over_provider(const WholeDevice &row) { return !row.network.empty() && row.network != "null"; }

/// "implicit AV 310 MB": what the network's library adds to ours, which the lines do not have.
std::string added_by_provider(const std::vector<WholeDevice> &rows, double times) {
  std::vector<std::string> parts;
  for (const WholeDevice &row : rows) {
    if (is_over_provider(row)) {
      const std::string scheme = shown_as(row.scheme).label;
      parts.push_back(fmt::format("{} {}", scheme.substr(scheme.find(", ") + 2),
                                  bytes_text(static_cast<double>(row.provider) * times)));
    }
  }
  return parts.empty()
             ? ""
             : fmt::format("; with 768k the tcp provider of libfabric adds to ours: {}", fmt::join(parts, ", "));
}

Plot plot_of(const std::vector<WholeDevice> &rows, std::string name, std::string title, double times) {
  Plot plot{std::move(name), std::move(title), "processes" + added_by_provider(rows, times), "", true, true, {}, {}};
  plot.labelled = true;
  for (const WholeDevice &row : rows) {
    const Shown &shown = shown_as(row.scheme);
    if (!is_over_provider(row) && shown.label != kOldest) {
      Series &series = series_of(plot, shown.label, shown.ours);
      series.points.emplace_back(row.processes, static_cast<double>(row.resident) * times);
      series.projected += row.measured ? 0 : 1;
      series.band_from = shown.label == kLaterMpich4 ? kMpich4 : "";
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
  const LargeJob job;
  const std::string per_node = fmt::format(", node of {}", options.per_node);
  add_rows(&result.table, rows, "", 1);
  add_rows(&result.table, rows, per_node, options.per_node);
  result.plots = {plot_of(rows, "", "Memory of a whole device, per process (dashed or pale: projected)", 1),
                  plot_of(rows, "-per-node",
                          fmt::format("Memory of a whole device, per node of {} processes (dashed or pale: projected)",
                                      options.per_node),
                          options.per_node)};
  result.note = fmt::format(
      "Measured: resident bytes of the null network's device and of the structures of others, without the memory of a "
      "network's library; ~, dashed lines and pale "
      "areas are "
      "projected along the line through the two largest jobs that were measured; entries of MPICH 4.1 to 4.3, of 4,104 "
      "bytes by default, are counted and not built, and nothing is counted for nodes and windows of Open MPI, a lower "
      "bound. {} addresses per peer; the world, {} "
      "communicators, half of them duplicates, half of every second rank, each with its hierarchy, node and node-roots "
      "communicator; {} windows, whose keys the provider chooses, with {} targets met, spread over the job. MPICH 5 "
      "needs no tables of nodes here, as each node has the same number of consecutive ranks. Open MPI, as it is "
      "configured by default and with --enable-sparse-groups, has objects of the processes that were met and 8 bytes "
      "per rank of a dense group.",
      job.addresses, job.communicators, job.windows, grouped(static_cast<std::uint64_t>(job.most_contacted)));
  result.note += text_of_ours(rows, context.choose(1024, kJob, kJob));
  return result;
}

Result run_whole_device_rate(Context &context) {
  const IssueOptions options =
      context.choose<IssueOptions>({{512}, 1, 1e-5, 1e-3, kRates}, {{512, 32768, 393216}, 5, 0.004, 0.1, kRates},
                                   {{512, 8192, 32768, 393216, 8388608}, 15, 0.01, 0.2, kRates});
  Result result;
  result.table = {"million puts per second, processes", {}, {}};
  for (const Shown &shown : kShown) {
    if (std::string(shown.scheme) != "mpich4.1") {
      result.table.columns.emplace_back(shown.label);
    }
  }
  Plot plot{
      "", "Puts to random ranks, million per second of one core", "processes", "million per second", true, false, {},
      {}};
  for (const IssueRate &rate : measure_issue_rates(
           options, context.progress(), [&](const std::string &note) { result.omissions.push_back(note); })) {
    const auto *const shown = std::find_if(std::begin(kShown), std::end(kShown), [&](const Shown &s) {
      return rate.scheme == (s.issues == nullptr ? s.scheme : s.issues);
    });
    if (shown != std::end(kShown)) {
      const double processes = 2.0 * rate.peers; // of the world
      cell_of(result.table, number_text(processes), shown->label).here = rate.rate / 1e6;
      if (shown->label != kOldest) {
        series_of(plot, shown->label, shown->ours).points.emplace_back(processes, rate.rate / 1e6);
      }
    }
  }
  result.plots = {std::move(plot)};
  result.note =
      "Measured: puts of one core on the null network to every second rank of a job, in random order, where "
      "the structures of all fit into memory together; all peers were contacted. Open MPI as it is configured by "
      "default has a dense group, and both of its lines the same objects of processes, in order of rank. MPICH 4.1 to "
      "4.3 are not timed.";
  return result;
}

} // namespace avrankmap::bench
