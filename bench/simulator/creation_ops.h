// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What it costs to make communicators: between simulated processes, by number, and between real ones of this machine.
#ifndef AVRANKMAP_BENCH_SIMULATOR_CREATION_OPS_H
#define AVRANKMAP_BENCH_SIMULATOR_CREATION_OPS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct CreationOp {
  std::string op;
  std::int32_t processes = 0;
  std::int32_t members = 0; ///< of the new communicator that this process, or any, gets
  bool simulated = false;
  /// Real: median time until all have it. Simulated: of one core that does the work of all processes.
  double seconds = 0;
  std::optional<std::uint64_t> messages;  ///< of all processes
  std::optional<std::uint64_t> steps;     ///< the most that one process sent; simulated only
  std::optional<std::uint64_t> bytes;     ///< of messages, the most that one process sent; simulated only
  std::uint64_t map_bytes = 0;            ///< of one process
  std::uint64_t peak_temporary_bytes = 0; ///< of one process, coroutines included
};

/// Splits, dups and groups in a simulated job. Throws std::runtime_error if one of them fails.
std::vector<CreationOp> simulate_creation(std::int32_t processes);

/// Groups of 2, 4, ... processes out of so many: made by their members alone, by all of the parent, and by merging step by step
/// ("Noncollective Communicator Creation in MPI", figure 1).
std::vector<CreationOp> simulate_groups(std::int32_t processes);

/// The same and more in a forked job of this machine, over shared memory. With `only_splits`: splits by either method.
std::vector<CreationOp> measure_creation(std::int32_t processes, int repetitions, bool only_splits = false);

/// Two jobs of this machine, half of the processes each, that meet at a port, merge and part over and over; and one of that half
/// that spawns the other. Over UCX's TCP, or libfabric's where that is not there; nothing where neither is.
std::vector<CreationOp> measure_dynamic(std::int32_t processes, int repetitions);

/// True in a process that measure_dynamic has spawned: then main() does be_spawned, whose exit code it returns, and nothing else.
bool is_spawned();
int be_spawned();

/// A split into columns by either method, to see from how many processes on sorting is the better one. Time is that of the
/// messages of one process, one after the other, on a network of 1 us and 10 GB/s; gathering, also of its search through all
/// colours, which is measured.
struct SplitCrossover {
  std::int32_t processes = 0;
  double gather_seconds = 0;
  double sort_seconds = 0;
  std::uint64_t gather_bytes = 0; ///< temporary memory of one process
  std::uint64_t sort_bytes = 0;
};
std::vector<SplitCrossover> simulate_crossover(std::int32_t most);

struct CreationOptions {
  bool quick = false;
  std::string filter; ///< regular expression
};
struct CreationResults {
  std::vector<CreationOp> ops;
  std::vector<SplitCrossover> crossover;
};
/// All of that whose name matches the filter: BM_Creation/real/<processes>, .../split/<processes>, .../groups/<processes>,
/// .../dynamic/<processes>, .../crossover. `progress` is told what is going on.
CreationResults measure_all_creation(const CreationOptions &options,
                                     const std::function<void(const std::string &)> &progress);

} // namespace avrankmap::bench

#endif
