// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cost of making communicators: between simulated processes, by number, and between real
// ones of this machine.
#ifndef AVRANKMAP_BENCH_DEVICE_CREATION_CREATION_OPS_H
#define AVRANKMAP_BENCH_DEVICE_CREATION_CREATION_OPS_H

#include "measurement/measurement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct CreationOp {
  std::string op;
  std::int32_t processes = 0;
  std::int32_t members = 0; ///< of the new communicator that this process, or any, gets
  bool simulated = false;
  /// Real: median time until all have it. Simulated: of one core that does the work of all
  /// processes.
  double seconds = 0;
  std::optional<std::uint64_t> messages; ///< of all processes
  std::optional<std::uint64_t> steps;    ///< the most that one process sent; simulated only
  std::optional<std::uint64_t> depth;    ///< the most that follow one another; simulated only
  /// Of messages, the most that one process sent; simulated only.
  std::optional<std::uint64_t> bytes;
  std::uint64_t map_bytes = 0;            ///< of one process
  std::uint64_t peak_temporary_bytes = 0; ///< of one process, coroutines included
};
AVRM_BENCH_ROW(CreationOp, op, processes, members, simulated, seconds, messages, steps, depth, bytes, map_bytes,
               peak_temporary_bytes);

// Names of creations that are both measured and simulated, besides "dup".
/// Even and odd ranks, by the methods for small and for large communicators.
inline constexpr const char *kSplitGathering = "split into two, gathering";
inline constexpr const char *kSplitInTwo = "split into two, sorting";
/// Halves of the world: even and odd ranks, or simulated, lower and higher ones.
inline constexpr const char *kJoined = "intercommunicator of two halves";
inline constexpr const char *kMergedSides = "merge of two halves";

/// Splits, dups, intercommunicators and merges in a simulated job. Throws std::runtime_error if one
/// of them fails.
std::vector<CreationOp> simulate_creation(std::int32_t processes);

/// The same and more in a forked job of this machine, over shared memory. With `only_splits`:
/// splits by either method.
std::vector<CreationOp> measure_creation(std::int32_t processes, int repetitions, bool only_splits = false);

/// Two jobs of this machine, half of the processes each, that meet at a port, merge and part over
/// and over; and one of that half that spawns the other. Over UCX's TCP, or libfabric's where that
/// is not there; nothing where neither is.
std::vector<CreationOp> measure_dynamic(std::int32_t processes, int repetitions);

// Names of what it measures.
inline constexpr const char *kConnected = "accept and connect";
inline constexpr const char *kMergedJobs = "merge of two jobs";
inline constexpr const char *kDisconnected = "disconnect";
inline constexpr const char *kSpawned = "spawn";

/// True in a process that measure_dynamic has spawned: then main() does be_spawned, whose exit code
/// it returns, and nothing else.
bool is_spawned();
int be_spawned();

extern const Measurement kCreationOps;

} // namespace avrankmap::bench

#endif
