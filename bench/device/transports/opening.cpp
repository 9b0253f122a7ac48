// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/opening.h"

#include "device/transports/list.h"
#include "device/transports/opening_bare.h"
#include "support/open_device.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include "avrankmap/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <regex>
#include <span>

namespace avrankmap::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMost = 64;
constexpr int kMissing = 77;

struct Times {
  std::array<double, kMost> whole;
  std::array<double, kMost> query;
};

struct Job {
  const Transport &transport;
  bool bare;
  Times *times;
};

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

avrm_status_t open_device(avrm_boot_t *boot, const Transport &transport) {
  const avrm_device_options_t options = options_of(boot, transport);
  avrm_device_t *device = nullptr;
  return avrm_device_open(&options, &device);
}

// The body of a process. It ends with everything open.
int run_process(avrm_boot_t *boot, void *user) {
  const Job &job = *static_cast<const Job *>(user);
  const auto rank = static_cast<std::size_t>(avrm_boot_rank(boot));
  if (job.transport.bare == Bare::kUcx) {
    setenv("UCX_TLS", job.transport.provider, 1);
  }
  if (avrm_boot_fence(boot) != AVRM_OK) { // all are forked
    return 1;
  }
  const Clock::time_point start = Clock::now();
  avrm_status_t status = AVRM_OK;
  if (job.bare) {
    status = open_bare(job.transport, [&] { job.times->query[rank] = since(start); }) ? avrm_boot_fence(boot)
                                                                                      : AVRM_ERR_UNSUPPORTED;
  } else {
    status = open_device(boot, job.transport);
  }
  job.times->whole[rank] = since(start);
  if (status != AVRM_OK) {
    return lacks_transport(status) ? kMissing : 1;
  }
  return avrm_boot_fence(boot) == AVRM_OK ? 0 : 1; // nobody ends while others open
}

/// The exit code of the first process that fails.
int run_job(const Job &job, std::int32_t processes) {
  avrm_fork_options_t options{};
  options.size = processes;
  options.per_node = job.transport.shared_memory ? 0 : 1;
  options.timeout_ms = 300000;
  options.kill_on_failure = 1;
  std::array<std::int32_t, kMost> codes{};
  if (avrm_boot_fork_run(&options, run_process, const_cast<void *>(static_cast<const void *>(&job)), codes.data()) !=
      AVRM_OK) {
    return 1;
  }
  if (std::find(codes.begin(), codes.end(), kMissing) != codes.end()) {
    return kMissing;
  }
  const auto *const failed = std::find_if(codes.begin(), codes.end(), [](std::int32_t code) { return code != 0; });
  return failed == codes.end() ? 0 : *failed;
}

double longest(const std::array<double, kMost> &seconds, std::int32_t processes) {
  return *std::max_element(seconds.begin(), seconds.begin() + processes);
}

/// The exit code of the first process that fails. Jobs with and without us take turns.
int measure(const Transport &transport, std::int32_t processes, int rounds, OpeningCost *cost) {
  std::vector<double> whole;
  std::vector<double> bare{};
  std::vector<double> query{};
  const SharedPages<Times> times;
  for (int round = 0; round < rounds; ++round) {
    if (const int code = run_job({transport, false, times.get()}, processes); code != 0) {
      return code;
    }
    whole.push_back(longest(times.get()->whole, processes));
    if (transport.bare == Bare::kNone) {
      continue;
    }
    if (const int code = run_job({transport, true, times.get()}, processes); code != 0) {
      return code;
    }
    bare.push_back(longest(times.get()->whole, processes));
    query.push_back(longest(times.get()->query, processes));
  }
  *cost = {transport.name, processes, median(whole), bare.empty() ? 0 : median(bare),
           query.empty() ? 0 : median(query)};
  return 0;
}

} // namespace

std::vector<OpeningCost> measure_opening(const OpeningOptions &options, const Log &progress, const Log &note) {
  const std::regex filter(options.filter);
  std::vector<OpeningCost> costs;
  for (const Transport &transport : kTransports) {
    for (const std::int32_t processes : options.processes) {
      if ((transport.studies & kInRates) == 0 ||
          !std::regex_search(fmt::format("BM_Opening/{}/{}", transport.name, processes), filter)) {
        continue;
      }
      progress(fmt::format("opening, {}, {} processes", transport.name, processes));
      require(processes > 0 && static_cast<std::size_t>(processes) <= kMost, "too many processes");
      OpeningCost cost;
      if (const int code = measure(transport, processes, options.rounds, &cost); code != 0) {
        note(code == kMissing ? fmt::format("opening leaves {} out, which this machine lacks", transport.name)
                              : fmt::format("opening, {}, failed: exit code {}", transport.name, code));
        break;
      }
      costs.push_back(std::move(cost));
    }
  }
  return costs;
}

namespace {

Json run(Session &session) {
  return measure_opening({{1, 4, 16}, session.choose(1, 5), session.filter}, session.progress, session.note);
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(
      1, "Opening: time until the slowest process of a job has opened its device, or an endpoint of the network "
         "library alone (bare). First call: the part of bare that initialises the library. Ours: device "
         "minus bare");
  table.row({"transport", "processes", "device ms", "bare ms", "first call ms", "ours ms"});
  for (const OpeningCost &cost : rows_of<OpeningCost>(rows)) {
    const bool has_bare = cost.bare_seconds > 0;
    const auto milliseconds = [&](double seconds) { return has_bare ? fmt::format("{:.1f}", seconds * 1e3) : "-"; };
    table.row({cost.transport, std::to_string(cost.processes), fmt::format("{:.1f}", cost.seconds * 1e3),
               milliseconds(cost.bare_seconds), milliseconds(cost.query_seconds),
               milliseconds(cost.seconds - cost.bare_seconds)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  Budgets::Values &ours = budgets.at_most(0.3, "s until 16 processes are open, beyond the network library's own time");
  for (const OpeningCost &cost : rows_of<OpeningCost>(rows)) {
    if (cost.processes == 16 && cost.bare_seconds > 0) {
      ours.add(cost.seconds - cost.bare_seconds, cost.transport);
    }
  }
}

} // namespace

const Measurement kOpening = {"opening", "BM_Opening/<transport>/<processes>", false, run, tables, judge};

} // namespace avrankmap::bench
