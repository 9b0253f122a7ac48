// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/patterns/workload.h"

#include "avrankmap/device/comm.h"
#include "support/job.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr std::size_t kMostWorkloads = 8;
constexpr std::size_t kMostParts = 2;
constexpr std::size_t kMostRounds = 128;

/// In memory that the processes share.
struct Results {
  std::uint64_t workloads;
  double verified[kMostWorkloads];
  double seconds[kMostWorkloads][kMostParts][kMostRounds];
};

double seconds_of(Workload &workload, int part, avrm_comm_t *world) {
  require(avrm_barrier(world));
  const auto start = std::chrono::steady_clock::now();
  workload.run(part);
  require(avrm_barrier(world));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_all(const WorkloadJob &job, avrm_comm_t *world, Results *results) {
  const Workloads workloads = job.make(world);
  Results own{};
  own.workloads = workloads.size();
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    own.verified[i] = workloads[i]->verify();
  }
  for (int round = 0; round < job.rounds; ++round) {
    for (std::size_t i = 0; i < workloads.size(); ++i) { // each goes first now and then
      const std::size_t which = (i + static_cast<std::size_t>(round)) % workloads.size();
      for (int part = 0; part < job.parts; ++part) {
        own.seconds[which][part][round] = seconds_of(*workloads[which], part, world);
      }
    }
  }
  if (avrm_comm_rank(world) == 0) {
    results->workloads = own.workloads;
    std::copy(std::begin(own.verified), std::end(own.verified), results->verified);
    std::copy_n(&own.seconds[0][0][0], kMostWorkloads * kMostParts * kMostRounds, &results->seconds[0][0][0]);
  }
}

} // namespace

std::vector<WorkloadTimes> run_workloads(const WorkloadJob &job) {
  if (job.parts < 1 || static_cast<std::size_t>(job.parts) > kMostParts || job.rounds < 1 ||
      static_cast<std::size_t>(job.rounds) > kMostRounds) {
    throw std::logic_error("too many parts or rounds");
  }
  const SharedPages<Results> results;
  run_job_over_shared_memory("workloads", job.processes, 300000,
                             [&](avrm_device_t *device) { run_all(job, avrm_device_world(device), results.get()); });
  std::vector<WorkloadTimes> times(results.get()->workloads);
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i].verified = results.get()->verified[i];
    for (int part = 0; part < job.parts; ++part) {
      const double *const seconds = results.get()->seconds[i][part];
      times[i].seconds.emplace_back(seconds, seconds + job.rounds);
    }
  }
  return times;
}

std::vector<LookupTimes>
compare_lookups(WorkloadJob job, const std::vector<Lookup> &lookups,
                const std::function<std::unique_ptr<Workload>(avrm_comm_t *world, Lookup lookup)> &make) {
  job.make = [&](avrm_comm_t *world) {
    Workloads workloads;
    for (const Lookup lookup : lookups) {
      workloads.push_back(make(world, lookup));
    }
    workloads.push_back(make(world, lookups.front()));
    return workloads;
  };
  const std::vector<WorkloadTimes> times = run_workloads(job);
  std::vector<LookupTimes> all;
  for (std::size_t i = 0; i < times.size(); ++i) {
    LookupTimes &own = all.emplace_back();
    own.lookup = i < lookups.size() ? name_of(lookups[i]) : kAgain;
    own.verified = times[i].verified;
    for (std::size_t part = 0; part < times[i].seconds.size(); ++part) {
      own.seconds.push_back(median(times[i].seconds[part]));
      own.ratios.push_back(median_ratio(times[i].seconds[part], times[0].seconds[part]));
    }
  }
  return all;
}

} // namespace avrankmap::bench
