// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation between real processes. The first process keeps the time, from a barrier to another one
// behind the creation.
#include "device/creation/creation_ops.h"

#include "avrankmap/device/comm.h"
#include "comm_algorithms/create/split.h"
#include "comm_calls/creation.h"
#include "core/device.h"
#include "support/job.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace avrankmap::bench {
namespace {

enum Op { kDup, kGather, kSort, kGrid, kByParent, kByMembers, kJoin, kMergeSides, kOps };
constexpr const char *kNames[kOps] = {
    "dup",   kSplitGathering, kSplitInTwo, "grid", "group, by the parent", "group, by its members",
    kJoined, kMergedSides};
constexpr std::int32_t kMembers = 4;

bool is_wanted(int op, bool only_splits) { return !only_splits || op == kGather || op == kSort; }

/// In memory that the processes share.
struct Results {
  double seconds[kOps];
  std::uint64_t map_bytes[kOps];
  std::uint64_t scratch[kOps];
  std::atomic<std::uint64_t> messages[kOps]; // of all processes, all repetitions
};

struct Run {
  int repetitions;
  bool only_splits;
  Results *results;
};

avrm_group_t *first_members(avrm_comm_t *world, std::int32_t count) {
  avrm_group_t *all = nullptr;
  avrm_group_t *group = nullptr;
  const avrm_range_t range{0, count - 1, 1};
  require(avrm_comm_group(world, &all));
  require(avrm_group_range_incl(all, 1, &range, &group));
  avrm_group_destroy(all);
  return group;
}

/// Parents of the operations, besides the world.
struct Parents {
  avrm_group_t *group = nullptr; ///< first processes
  avrm_comm_t *side = nullptr;   ///< even or odd ranks
  avrm_comm_t *sides = nullptr;  ///< both, as an intercommunicator

  explicit Parents(avrm_comm_t *world) : group(first_members(world, std::min(kMembers, avrm_comm_size(world)))) {
    require(avrm_comm_split(world, avrm_comm_rank(world) % 2, 0, &side));
    sides = join(world);
  }
  Parents(const Parents &) = delete;
  Parents &operator=(const Parents &) = delete;
  ~Parents() { avrm_group_destroy(group); }

  [[nodiscard]] avrm_comm_t *join(avrm_comm_t *world) const {
    avrm_comm_t *both = nullptr;
    require(avrm_intercomm_create(side, 0, world, 1 - avrm_comm_rank(world) % 2, 0, &both));
    return both;
  }
  /// All processes call it.
  void free() {
    require(avrm_comm_free(sides));
    require(avrm_comm_free(side));
  }
};

// What avrm_comm_split does, by a method that it might not choose.
avrm_comm_t *split(avrm_comm_t *world, detail::SplitMethod method) {
  detail::Creation creation(world, detail::next_tag(world));
  creation.run(make_split(creation.channel(), creation, creation.parent(), avrm_comm_rank(world) % 2, 0, method,
                          creation.made()));
  require(creation.wait());
  return creation.take();
}

avrm_comm_t *create(Op op, avrm_comm_t *world, const Parents &parents) {
  const std::int32_t rank = avrm_comm_rank(world);
  const std::int32_t size = avrm_comm_size(world);
  avrm_comm_t *comm = nullptr;
  switch (op) {
  case kDup: require(avrm_comm_dup(world, &comm)); break;
  case kGather: comm = split(world, detail::SplitMethod::kGather); break;
  case kSort: comm = split(world, detail::SplitMethod::kSort); break;
  case kGrid: {
    const std::int32_t dims[] = {2, size / 2};
    const std::int32_t periods[] = {0, 0};
    require(avrm_cart_create(world, 2, dims, periods, false, &comm));
    break;
  }
  case kByParent: require(avrm_comm_create(world, parents.group, &comm)); break;
  case kByMembers:
    if (rank < kMembers) {
      require(avrm_comm_create_group(world, parents.group, 1, &comm));
    }
    break;
  case kJoin: comm = parents.join(world); break;
  case kMergeSides: require(avrm_intercomm_merge(parents.sides, rank % 2 == 1, &comm)); break;
  case kOps: break;
  }
  return comm;
}

void measure(avrm_device_t *device, const Run &run) {
  using Clock = std::chrono::steady_clock;
  avrm_comm_t *const world = avrm_device_world(device);
  Parents parents(world);
  for (int op = 0; op < kOps; ++op) {
    if (!is_wanted(op, run.only_splits)) {
      continue;
    }
    std::vector<double> seconds;
    for (int i = 0; i < run.repetitions + 1; ++i) { // the first connects the processes
      require(avrm_barrier(world));
      const Clock::time_point start = Clock::now();
      const std::uint64_t before = device->collective_messages.load();
      avrm_comm_t *const comm = create(static_cast<Op>(op), world, parents);
      run.results->messages[op] += device->collective_messages.load() - before;
      const double taken = std::chrono::duration<double>(Clock::now() - start).count();
      if (i > 0) {
        seconds.push_back(taken);
      }
      avrm_rankmap_info_t info{};
      if (comm != nullptr && avrm_rankmap_describe(avrm_comm_map(comm), &info) == AVRM_OK &&
          avrm_comm_rank(world) == 0) {
        run.results->map_bytes[op] = info.own_bytes + info.table_bytes;
      }
      require(comm == nullptr ? AVRM_OK : avrm_comm_free(comm));
    }
    if (avrm_comm_rank(world) == 0) {
      avrm_mem_usage_t usage{};
      require(avrm_instance_mem_usage(avrm_device_instance(device), AVRM_MEM_SCRATCH, &usage));
      run.results->seconds[op] = median(std::move(seconds));
      run.results->scratch[op] = usage.peak_bytes;
    }
  }
  parents.free();
}

} // namespace

std::vector<CreationOp> measure_creation(std::int32_t processes, int repetitions, bool only_splits) {
  const SharedPages<Results> results;
  const Run run{repetitions, only_splits, results.get()};
  run_job_over_shared_memory("creations", processes, 120000, [&](avrm_device_t *device) { measure(device, run); });
  std::vector<CreationOp> ops;
  for (int op = 0; op < kOps; ++op) {
    if (!is_wanted(op, only_splits)) {
      continue;
    }
    CreationOp made;
    made.op = kNames[op];
    made.processes = processes;
    made.members = op == kGather || op == kSort          ? processes / 2
                   : op == kByParent || op == kByMembers ? kMembers
                                                         : processes;
    made.seconds = run.results->seconds[op];
    made.messages = run.results->messages[op] / static_cast<std::uint64_t>(repetitions + 1);
    made.map_bytes = run.results->map_bytes[op];
    made.peak_temporary_bytes = run.results->scratch[op];
    ops.push_back(made);
  }
  return ops;
}

} // namespace avrankmap::bench
