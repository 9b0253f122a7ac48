// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "creation/creation_ops.h"

#include "bench/support/owned_map.h"
#include "bench/synthetic/simulator.h"
#include "comm/channels.h"
#include "comm/from_group.h"
#include "comm/inter.h"
#include "comm/split.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

using detail::SplitMethod;
using detail::Task;

/// Runs a creation and books it under a name.
template <class Start, class TakesPart>
CreationOp simulated(Simulator &job, const std::string &op, Start start, TakesPart takes_part) {
  const std::vector<avrm_status_t> statuses = job.run(start, takes_part);
  CreationOp made;
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    if (takes_part(rank) && statuses[static_cast<std::size_t>(rank)] != AVRM_OK) {
      throw std::runtime_error(op + ": a simulated process failed");
    }
    if (made.members == 0 && job.process(rank).made.map != nullptr) {
      made.members = job.process(rank).made.map->size;
    }
  }
  const SimCost &cost = job.cost();
  made.op = op;
  made.processes = job.size();
  made.simulated = true;
  made.seconds = cost.seconds;
  made.messages = cost.messages;
  made.steps = cost.steps;
  made.bytes = cost.bytes;
  made.map_bytes = cost.map_bytes_most;
  made.peak_temporary_bytes = cost.frame_bytes + cost.scratch_peak / static_cast<std::uint64_t>(job.size());
  job.forget();
  return made;
}

bool everybody(std::int32_t /*rank*/) { return true; }

/// Members 0 .. count - 1 of the world, as a group and as channels.
class FirstOfAll {
public:
  FirstOfAll(Simulator &job, std::int32_t count) : count_(count) {
    avrm_rankmap_t map{};
    if (avrm_rankmap_create_direct(job.instance(), 0, count, &map) != AVRM_OK ||
        avrm_group_create(&map, &group_) != AVRM_OK) {
      throw std::runtime_error("a simulated group cannot be made");
    }
    avrm_rankmap_destroy(&map);
    for (std::int32_t rank = 0; rank < count; ++rank) {
      channels_.push_back(std::make_unique<detail::RangeChannel>(job.process(rank), 0, count));
    }
  }
  FirstOfAll(const FirstOfAll &) = delete;
  FirstOfAll &operator=(const FirstOfAll &) = delete;
  ~FirstOfAll() { avrm_group_destroy(group_); }

  [[nodiscard]] const avrm_group_t *group() const { return group_; }
  [[nodiscard]] detail::Channel &channel(std::int32_t rank) { return *channels_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int32_t count() const { return count_; }

private:
  std::int32_t count_;
  avrm_group_t *group_ = nullptr;
  std::vector<std::unique_ptr<detail::Channel>> channels_;
};

/// Algorithm 1 of the paper: the steps of all levels added up. At each, pairs of neighbouring
/// groups join and merge. A last group without a neighbour waits for a later level.
CreationOp simulated_merging(Simulator &job, std::int32_t count) {
  CreationOp sum;
  for (std::int32_t part = 1; part < count; part *= 2) {
    std::vector<std::unique_ptr<detail::Channel>> channels;
    std::vector<OwnedMap> halves;
    const auto size_of = [&](std::int32_t group) { return std::min(part, count - group * part); };
    for (std::int32_t first = 0; first < count; first += part) {
      halves.push_back(make_map(avrm_rankmap_create_offset, job.instance(), 0, size_of(first / part), first));
    }
    std::vector<detail::Bridge> bridges;
    std::vector<detail::Parent> parents;
    for (std::int32_t rank = 0; rank < count; ++rank) {
      const std::int32_t own = rank / part;
      channels.push_back(std::make_unique<detail::RangeChannel>(job.process(rank), own * part, size_of(own)));
      bridges.push_back({0, rank % part == 0 ? &job.process(rank) : nullptr, (own ^ 1) * part});
      parents.push_back({halves[static_cast<std::size_t>(own)].get(), nullptr, 1});
    }
    const auto add = [&sum, count](const CreationOp &step) {
      sum.seconds += step.seconds;
      sum.messages = sum.messages.value_or(0) + *step.messages;
      sum.steps = sum.steps.value_or(0) + *step.steps;
      sum.bytes = sum.bytes.value_or(0) + *step.bytes;
      sum.map_bytes = step.map_bytes;
      sum.peak_temporary_bytes = std::max(sum.peak_temporary_bytes, step.peak_temporary_bytes);
      sum.members = count;
    };
    const auto takes_part = [count, part](std::int32_t rank) {
      return rank < count && (rank / part ^ 1) * part < count;
    };
    add(simulated(
        job, "intercommunicators",
        [&](SimProcess &process) {
          const auto rank = static_cast<std::size_t>(process.rank());
          return make_inter(*channels[rank], bridges[rank], process, parents[rank], 1, &process.made);
        },
        takes_part));
    for (std::int32_t rank = 0; rank < count; ++rank) {
      if (!takes_part(rank)) {
        continue;
      }
      parents[static_cast<std::size_t>(rank)].remote = halves[static_cast<std::size_t>(rank / part ^ 1)].get();
    }
    add(simulated(
        job, "merges",
        [&](SimProcess &process) {
          const auto rank = static_cast<std::size_t>(process.rank());
          return make_merged(*channels[rank], bridges[rank], process, parents[rank], process.rank() / part % 2 == 1,
                             &process.made);
        },
        takes_part));
  }
  sum.op = "merging step by step";
  sum.processes = job.size();
  sum.simulated = true;
  return sum;
}

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

std::vector<CreationOp> simulate_groups(std::int32_t processes) {
  Simulator job(processes);
  const detail::Parent world{job.world(), nullptr, 0};
  std::vector<CreationOp> ops;
  std::vector<std::int32_t> sizes;
  for (std::int32_t members = 2; members <= processes; members *= 4) {
    sizes.push_back(members);
    if (members / 2 * 3 <= processes) {
      sizes.push_back(members / 2 * 3);
    }
  }
  for (const std::int32_t members : sizes) {
    FirstOfAll first(job, members);
    const auto takes_part = [members](std::int32_t rank) { return rank < members; };
    ops.push_back(simulated(
        job, "group, by its members",
        [&](SimProcess &process) {
          return make_in_group(first.channel(process.rank()), process, first.group(), 1, &process.made);
        },
        takes_part));
    ops.push_back(simulated(
        job, "group, by the parent",
        [&](SimProcess &process) { return make_from_group(process, process, world, first.group(), &process.made); },
        everybody));
    ops.push_back(simulated_merging(job, members));
  }
  return ops;
}

} // namespace avrankmap::bench
