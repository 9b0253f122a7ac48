// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/creation/creation_ops.h"

#include "bench/support/owned_map.h"
#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/create/from_group.h"
#include "comm_algorithms/create/inter.h"
#include "comm_algorithms/create/split.h"
#include "device/creation/simulated_op.h"

#include <cmath>
#include <deque>

namespace avrankmap::bench {
namespace {

using detail::SplitMethod;

bool everybody(std::int32_t /*rank*/) { return true; }

/// The lower and the higher half of the world join as an intercommunicator, and merge.
void simulate_halves(Simulator &job, std::vector<CreationOp> &ops) {
  const std::int32_t half = job.size() / 2;
  const OwnedMap lower = make_map(avrm_rankmap_create_offset, job.instance(), 0, half, 0);
  const OwnedMap higher = make_map(avrm_rankmap_create_offset, job.instance(), 0, half, half);
  std::deque<detail::RangeChannel> channels;
  std::vector<detail::Bridge> bridges;
  std::vector<detail::Parent> groups;
  std::vector<detail::Parent> sides;
  for (std::int32_t rank = 0; rank < 2 * half; ++rank) {
    const std::int32_t first = rank < half ? 0 : half;
    channels.emplace_back(job.process(rank), first, half);
    bridges.push_back({0, rank == first ? &job.process(rank) : nullptr, half - first});
    groups.push_back({first == 0 ? lower.get() : higher.get(), nullptr, 1});
    sides.push_back({first == 0 ? lower.get() : higher.get(), first == 0 ? higher.get() : lower.get(), 1});
  }
  const auto index_of = [](SimProcess &process) { return static_cast<std::size_t>(process.rank()); };
  const auto takes_part = [half](std::int32_t rank) { return rank < 2 * half; };
  ops.push_back(simulated(
      job, kJoined,
      [&](SimProcess &process) {
        const std::size_t rank = index_of(process);
        return make_inter(channels[rank], bridges[rank], process, groups[rank], 1, &process.made);
      },
      takes_part));
  ops.push_back(simulated(
      job, kMergedSides,
      [&](SimProcess &process) {
        const std::size_t rank = index_of(process);
        return make_merged(channels[rank], bridges[rank], process, sides[rank], process.rank() >= half, &process.made);
      },
      takes_part));
}

} // namespace

std::vector<CreationOp> simulate_creation(std::int32_t processes) {
  Simulator job(processes);
  const detail::Parent world{job.world(), nullptr, 0};
  const auto row = static_cast<std::int32_t>(std::lround(std::sqrt(processes)));
  std::vector<CreationOp> ops;
  const auto split = [&](const std::string &op, SplitMethod method, auto colour_of) {
    ops.push_back(simulated(
        job, op,
        [&](SimProcess &process) {
          return make_split(process, process, world, colour_of(process.rank()), 0, method, &process.made);
        },
        everybody));
  };
  ops.push_back(simulated(
      job, "dup", [&](SimProcess &process) { return make_dup(process, nullptr, process, world, &process.made); },
      everybody));
  split("split into rows", SplitMethod::kSort, [row](std::int32_t rank) { return rank / row; });
  split("split into columns", SplitMethod::kSort, [row](std::int32_t rank) { return rank % row; });
  split(kSplitInTwo, SplitMethod::kSort, [](std::int32_t rank) { return rank % 2; });
  simulate_halves(job, ops);
  if (processes <= 4096) { // all processes' temporary memory is of this one
    split("split into columns, gathering", SplitMethod::kGather, [row](std::int32_t rank) { return rank % row; });
  }
  return ops;
}

} // namespace avrankmap::bench
