// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/job_memory/whole_device.h"

#include "device/job_memory/own_device.h"
#include "device/job_memory/structures.h"
#include "support/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kJob = 786432; // of the budgets
constexpr std::int32_t kLargest = 100000000;
constexpr const char *kNull = "null";
constexpr const char *kProvider = "ofi:tcp;ofi_rxm"; // takes synthetic addresses and connects late

/// The number on the line through two points. It is not negative.
std::uint64_t on_line(std::int32_t x0, std::uint64_t y0, std::int32_t x1, std::uint64_t y1, std::int32_t x) {
  const double slope = (static_cast<double>(y1) - static_cast<double>(y0)) / (x1 - x0);
  return static_cast<std::uint64_t>(std::max(0.0, static_cast<double>(y1) + slope * (x - x1)));
}

/// Bytes of a table's pages that hold somebody who was contacted, in a job that is large enough for
/// them to be far apart.
std::uint64_t most_touched(const LargeJob &job) {
  constexpr std::uint64_t kPage = 4096;
  return std::min(kPage * static_cast<std::uint64_t>(job.contacted_peers()),
                  sizeof(avrm_ave_t) * static_cast<std::uint64_t>(job.processes));
}

WholeDevice projected(const WholeDevice &first, const WholeDevice &last, const LargeJob &job) {
  const auto project = [&](std::uint64_t y0, std::uint64_t y1) {
    return on_line(first.processes, y0, last.processes, y1, job.processes);
  };
  WholeDevice row = last;
  row.processes = job.processes;
  row.met = job.contacted_peers();
  row.measured = false;
  row.av_touched = last.av_touched == 0 ? 0 : most_touched(job);
  row.resident = row.av_touched + project(first.resident - first.av_touched, last.resident - last.av_touched);
  row.address_space = project(first.address_space, last.address_space);
  for (auto &[kind, bytes] : row.kinds) {
    const auto before = first.kinds.find(kind);
    bytes = project(before == first.kinds.end() ? 0 : before->second, bytes);
  }
  return row;
}

/// The jobs of one scheme, one after the other.
class Series {
public:
  explicit Series(std::vector<WholeDevice> *rows) : rows_(rows) {}

  void add_measured(WholeDevice row) {
    row.measured = true;
    first_ = std::exchange(last_, row);
    rows_->push_back(std::move(row));
  }
  void add_projected(const LargeJob &job) {
    if (first_ && last_) {
      rows_->push_back(projected(*first_, *last_, job));
    }
  }
  /// Estimate of the memory that a job takes.
  [[nodiscard]] std::optional<std::uint64_t> expected(const LargeJob &job) const {
    return first_ && last_ ? std::optional(projected(*first_, *last_, job).resident) : std::nullopt;
  }

private:
  std::vector<WholeDevice> *rows_;
  std::optional<WholeDevice> first_;
  std::optional<WholeDevice> last_;
};

WholeDevice row_of(const char *scheme, const char *network, const LargeJob &job) {
  WholeDevice row;
  row.scheme = scheme;
  row.network = network;
  row.processes = job.processes;
  row.per_node = job.per_node;
  row.met = job.contacted_peers();
  return row;
}

WholeDevice row_of(const char *scheme, const char *network, const LargeJob &job, const DeviceUse &use) {
  WholeDevice row = row_of(scheme, network, job);
  row.resident = use.resident;
  row.address_space = use.address_space;
  row.av_touched = use.av_touched;
  for (int kind = 0; kind < AVRM_MEM_TOTAL; ++kind) {
    if (use.kinds[kind] != 0) {
      row.kinds[avrm_mem_kind_label(static_cast<avrm_mem_kind_t>(kind))] = use.kinds[kind];
    }
  }
  row.kinds["hierarchies"] = use.hierarchies;
  return row;
}

WholeDevice row_of(const char *scheme, const LargeJob &job, const StructureUse &use) {
  WholeDevice row = row_of(scheme, "", job);
  row.resident = row.address_space = use.bytes();
  row.kinds = {{"addresses", use.addresses},
               {"communicators", use.communicators},
               {"hierarchies", use.hierarchies},
               {"windows", use.windows}};
  return row;
}

LargeJob job_of(std::int32_t processes, const WholeOptions &options) {
  LargeJob job;
  job.processes = processes;
  job.per_node = options.per_node;
  return job;
}

class Run {
public:
  Run(const WholeOptions &options, const Log &progress, const Log &note)
      : options_(options), progress_(progress), note_(note) {}

  void ours(const char *scheme, Connecting connecting) {
    Series series(&rows_);
    for (const std::int32_t processes : options_.processes) {
      const LargeJob job = job_of(processes, options_);
      const std::optional<WholeDevice> row = measure(scheme, connecting, kNull, job);
      if (!row) {
        series.add_projected(job);
        continue;
      }
      series.add_measured(*row);
      if (std::count(options_.over_provider.begin(), options_.over_provider.end(), processes) != 0) {
        add_over_provider(scheme, connecting, job, row->resident);
      }
    }
  }

  void others(const char *scheme) {
    Series series(&rows_);
    for (const std::int32_t processes : options_.processes) {
      const LargeJob job = job_of(processes, options_);
      if (series.expected(job).value_or(0) > options_.memory) {
        series.add_projected(job);
      } else {
        show(scheme, job);
        series.add_measured(row_of(scheme, job, build_structures(job, scheme)));
      }
    }
  }

  std::vector<WholeDevice> take() { return std::move(rows_); }

private:
  void show(const char *scheme, const LargeJob &job) const {
    progress_(
        fmt::format("whole device, {}, {} processes", scheme, grouped(static_cast<std::uint64_t>(job.processes))));
  }

  std::optional<WholeDevice> measure(const char *scheme, Connecting connecting, const char *network,
                                     const LargeJob &job) const {
    show(scheme, job);
    DeviceUse use;
    switch (measure_device(job, connecting, network, &use)) {
    case DeviceOutcome::kMeasured: return row_of(scheme, network, job, use);
    case DeviceOutcome::kTooLarge: break;
    case DeviceOutcome::kMissing: note_(fmt::format("whole device: this machine lacks {}", network)); break;
    case DeviceOutcome::kFailed:
      note_(fmt::format("whole device, {} over {}, {} processes, failed", scheme, network, job.processes));
      break;
    }
    return std::nullopt;
  }

  void add_over_provider(const char *scheme, Connecting connecting, const LargeJob &job, std::uint64_t without) {
    if (std::optional<WholeDevice> row = measure(scheme, connecting, kProvider, job)) {
      row->measured = true;
      row->provider = row->resident - std::min(row->resident, without);
      rows_.push_back(std::move(*row));
    }
  }

  const WholeOptions &options_;
  const Log &progress_;
  const Log &note_;
  std::vector<WholeDevice> rows_;
};

Json run(Session &session) {
  WholeOptions options;
  options.processes = session.choose<std::vector<std::int32_t>>({1024, 65536, kJob, 1 << 24, kLargest},
                                                                {1024, 8192, 65536, kJob, 1 << 24, kLargest});
  options.over_provider = session.choose<std::vector<std::int32_t>>({kJob}, {1024, 65536, kJob});
  options.memory = std::min<std::uint64_t>(available_memory() / 2, session.choose(2'000'000'000ULL, 8'000'000'000ULL));
  return measure_whole_device(options, session.progress, session.note);
}

std::string cell_of(const WholeDevice &row, std::uint64_t times) {
  return (row.measured ? "" : "~") + grouped(row.resident * times);
}

TextTable kinds_table(const std::vector<WholeDevice> &rows) {
  TextTable table(2, fmt::format("Bytes accounted for with {} processes, by kind", grouped(kJob)));
  table.row({"scheme", "kind", "bytes"});
  for (const WholeDevice &row : rows) {
    if (row.processes == kJob && (row.network.empty() || row.network == kNull)) {
      for (const auto &[kind, bytes] : row.kinds) {
        table.row({row.scheme, kind, grouped(bytes)});
      }
    }
  }
  return table;
}

TextTable device_table(const std::vector<WholeDevice> &rows) {
  TextTable table(2, "Our memory, and the provider's own");
  table.row({"scheme", "network", "processes", "resident", "AV part", "address space", "provider"});
  for (const WholeDevice &row : rows) {
    if (!row.network.empty() && row.measured) {
      table.row({row.scheme, row.network, grouped(static_cast<std::uint64_t>(row.processes)), grouped(row.resident),
                 grouped(row.av_touched), grouped(row.address_space),
                 row.network == kNull ? "-" : grouped(row.provider)});
    }
  }
  return table;
}

std::vector<TextTable> tables(const Json &json) {
  const auto rows = rows_of<WholeDevice>(json);
  const std::int32_t per_node = rows.front().per_node;
  const LargeJob job;
  std::vector<TextTable> all{
      whole_device_table(
          rows,
          fmt::format("Whole device, resident bytes per process: {} addresses per peer, {} communicators "
                      "with their nodes, {} windows with {} targets accessed in each; ~ projected",
                      job.addresses, job.communicators, job.windows, grouped(job.most_contacted)),
          1),
      whole_device_table(rows, fmt::format("The same per node of {} processes", per_node),
                         static_cast<std::uint64_t>(per_node)),
      device_table(rows)};
  if (std::any_of(rows.begin(), rows.end(), [](const WholeDevice &row) { return row.processes == kJob; })) {
    all.push_back(kinds_table(rows));
  }
  return all;
}

void judge(const Json &json, Budgets &budgets) {
  constexpr double kMiB = 1 << 20;
  const std::string whole = "whole device, 786,432 processes, 1,000 met, ";
  Budgets::Values &in_order = budgets.at_most(kMiB, whole + "implicit AV: resident bytes");
  Budgets::Values &in_order_space = budgets.at_most(4 * kMiB, whole + "implicit AV: bytes of address space");
  Budgets::Values &not_accounted = budgets.at_most(65536, whole + "implicit AV: bytes not accounted for");
  Budgets::Values &on_demand =
      budgets.at_most(kMiB, whole + "on demand: resident bytes without touched pages of the AV");
  Budgets::Values &on_demand_space = budgets.at_most(16 * kMiB, whole + "on demand: bytes of address space");
  for (const WholeDevice &row : rows_of<WholeDevice>(json)) {
    if (row.network != kNull || row.processes != kJob || !row.measured) {
      continue;
    }
    const auto resident = static_cast<double>(row.resident);
    if (row.scheme == kWholeInOrder) {
      const std::uint64_t accounted =
          std::accumulate(row.kinds.begin(), row.kinds.end(), std::uint64_t{0},
                          [](std::uint64_t sum, const auto &kind) { return sum + kind.second; });
      in_order.add(resident);
      in_order_space.add(static_cast<double>(row.address_space));
      not_accounted.add(resident - static_cast<double>(accounted));
    } else {
      on_demand.add(resident - static_cast<double>(row.av_touched));
      on_demand_space.add(static_cast<double>(row.address_space));
    }
  }
}

} // namespace

std::vector<WholeDevice> measure_whole_device(const WholeOptions &options, const Log &progress, const Log &note) {
  Run run(options, progress, note);
  for (const char *const scheme : kOthers) {
    run.others(scheme);
  }
  run.ours(kWholeOnDemand, Connecting::kOnDemand);
  run.ours(kWholeInOrder, Connecting::kInOrder);
  return run.take();
}

TextTable whole_device_table(const std::vector<WholeDevice> &rows, std::string title, std::uint64_t times) {
  TextTable table(0, std::move(title));
  const auto schemes = distinct(rows, [](const WholeDevice &row) { return row.scheme; });
  std::vector<std::string> header{"processes"};
  header.insert(header.end(), schemes.begin(), schemes.end());
  table.row(std::move(header));
  for (const std::int32_t size : distinct(rows, [](const WholeDevice &row) { return row.processes; })) {
    std::vector<std::string> cells{grouped(static_cast<std::uint64_t>(size))};
    for (const std::string &scheme : schemes) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const WholeDevice &r) {
        return r.scheme == scheme && r.processes == size && (r.network.empty() || r.network == kNull);
      });
      cells.push_back(row == rows.end() ? "-" : cell_of(*row, times));
    }
    table.row(std::move(cells));
  }
  return table;
}

const Measurement kWholeDevice = {"whole_device", nullptr, false, run, tables, judge};

} // namespace avrankmap::bench
