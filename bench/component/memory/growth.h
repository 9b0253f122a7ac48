// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How what one process holds grows with each communicator that an application makes, and how long
// making one takes: the experiments of the AV-Rankmap paper's sections V-A, V-B and V-C1. Measured
// by making them, in every scheme. Each communicator comes with those that a library makes for
// it: of the processes on the same node, of the first process of each node, and, for an
// intercommunicator, of the local group.
#ifndef AVRANKMAP_BENCH_COMPONENT_MEMORY_GROWTH_H
#define AVRANKMAP_BENCH_COMPONENT_MEMORY_GROWTH_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

enum class GrowthKind {
  kSplit,      ///< the even ranks of the world
  kReversed,   ///< the odd ranks of the world, the last one first
  kDup,        ///< duplicates of the world
  kSplitInter, ///< the even ranks of both groups of an intercommunicator between even and odd ranks
  kDupInter,   ///< duplicates of that
  kWholeInter, ///< all ranks of both groups, in tables of their own
  /// The intercommunicator itself, again and again, from the addresses of the remote group.
  kInter,
  /// The same with another world, which is new each time: its addresses are also added.
  kInterDynamic,
  kReordered, ///< the world in a random order, another one each time
  kDynamic,   ///< two worlds merged, in a random order, another one each time
  kMerge,     ///< two worlds merged, in order
  kMergeOne,  ///< both groups of an intercommunicator between even and odd ranks merged
};

struct Growth {
  std::string scheme;
  std::int32_t processes = 0;       ///< of all worlds together
  std::uint64_t address_bytes = 0;  ///< of all addresses, without any communicator
  std::vector<std::uint64_t> bytes; ///< in all, with 0, 1, 2, ... communicators of the application
  /// VC-VCRT only, by number of communicators: bytes of the tables of nodes that MPICH 3.2 keeps
  /// in addition to the maps of each one (per_rank.h), and entries of all tables of VCRTs.
  std::vector<std::uint64_t> node_bytes;
  std::vector<std::uint64_t> entries;
  /// Bytes asked of the allocator in the end, by its own count, and the rankmaps themselves;
  /// ours only.
  std::optional<std::uint64_t> asked_bytes;
  double seconds = 0; ///< to make one with those that come with it, median; its ranks are known
};

/// One row per scheme: "strict", "table", "default" (counted_schemes.h), "vc-vcrt", "mpich4",
/// "mpich4-ucx", "mpich5", "ompi", "ompi-sparse". Open MPI has met no process, with kDynamic those
/// of the other job, and makes no communicators of nodes.
/// Nodes have 16 processes. `processes` is a multiple of 64, or of 16 for what is not split; fewer
/// than 16, a power of two, are one node.
std::vector<Growth> measure_growth(GrowthKind kind, std::int32_t processes, int communicators);

} // namespace avrankmap::bench

#endif
