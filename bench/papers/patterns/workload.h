// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Workloads of real processes of this machine, over shared memory: several of them, which differ in
// how they translate, run in turn between barriers, so that what disturbs the machine disturbs all
// alike.
#ifndef AVRANKMAP_BENCH_PAPERS_PATTERNS_WORKLOAD_H
#define AVRANKMAP_BENCH_PAPERS_PATTERNS_WORKLOAD_H

#include "avrankmap/device/device.h"
#include "papers/patterns/peers.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// One process's share of a job.
class Workload {
public:
  virtual ~Workload() = default;
  /// Runs it once and looks at what came out. Throws std::runtime_error if that is wrong. Returns a
  /// number about the run, such as iterations; that of process 0 counts.
  virtual double verify() = 0;
  /// Runs one part, which is timed.
  virtual void run(int part) = 0;
};
using Workloads = std::vector<std::unique_ptr<Workload>>;

struct WorkloadJob {
  std::int32_t processes = 1;
  int parts = 1;  ///< at most 2
  int rounds = 1; ///< at most 128
  /// Makes the workloads of a process, at most 8; called in each. `world` is freed after them.
  std::function<Workloads(avrm_comm_t *world)> make;
};

/// Results, as process 0 has them.
struct WorkloadTimes {
  double verified = 0;                      ///< what verify() returned
  std::vector<std::vector<double>> seconds; ///< by part and round, from barrier to barrier
};

/// Forks the processes, verifies all workloads and times them. By workload. Throws
/// std::runtime_error with the reason if one fails.
std::vector<WorkloadTimes> run_workloads(const WorkloadJob &job);

/// One way to translate, and the plain table.
struct LookupTimes {
  std::string lookup; ///< name_of(); kAgain for the table a second time
  double verified = 0;
  std::vector<double> seconds; ///< by part, median
  std::vector<double> ratios;  ///< by part, over the plain table in the same round, median
};
/// Name of the second of two equal workloads: how far it is from the first is chance.
inline constexpr const char *kAgain = "plain table, again";

/// Runs a job whose workloads translate in these ways, the plain table first; after them that one
/// once more. make(world, lookup) makes the workload of a process.
std::vector<LookupTimes>
compare_lookups(WorkloadJob job, const std::vector<Lookup> &lookups,
                const std::function<std::unique_ptr<Workload>(avrm_comm_t *world, Lookup lookup)> &make);

} // namespace avrankmap::bench

#endif
