// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/support/owned_map.h"
#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/conclude.h"
#include "comm_algorithms/create/inter.h"
#include "device/creation/groups.h"
#include "device/creation/simulated_op.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace avrankmap::bench {

detail::Task make_flattened(detail::Channel &channel, detail::CreationHost &site, const avrm_group_t *group,
                            std::uint32_t seed, detail::CreationResult *made) noexcept {
  const std::int32_t own = channel.rank();
  avrm_group_t *self = nullptr;
  avrm_group_t *others = nullptr;
  avrm_status_t status = avrm_group_incl(group, 1, &own, &self);
  if (status == AVRM_OK) {
    status = avrm_group_difference(group, self, &others);
  }
  if (status == AVRM_OK) {
    made->map = detail::copy_of(avrm_group_map(self));
    made->remote = detail::copy_of(avrm_group_map(others));
    made->rank = 0;
  }
  avrm_group_destroy(others);
  avrm_group_destroy(self);
  co_return co_await conclude(channel, nullptr, site, status, 0, seed, made);
}

namespace {

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

/// Adds a creation to what comes before it.
void add(CreationOp *sum, const CreationOp &step) {
  sum->processes = step.processes;
  sum->simulated = true;
  sum->seconds += step.seconds;
  sum->messages = sum->messages.value_or(0) + *step.messages;
  sum->steps = sum->steps.value_or(0) + *step.steps;
  sum->depth = sum->depth.value_or(0) + *step.depth;
  sum->bytes = sum->bytes.value_or(0) + *step.bytes;
  sum->map_bytes = step.map_bytes;
  sum->peak_temporary_bytes = std::max(sum->peak_temporary_bytes, step.peak_temporary_bytes);
}

/// kMerging or, with `at_once`, kMergingAtOnce. The steps of all levels added up.
CreationOp simulated_merging(Simulator &job, std::int32_t count, bool at_once) {
  CreationOp sum;
  sum.op = at_once ? kMergingAtOnce : kMerging;
  sum.members = count;
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
    const auto takes_part = [count, part](std::int32_t rank) {
      return rank < count && (rank / part ^ 1) * part < count;
    };
    if (at_once) {
      add(&sum, simulated(
                    job, sum.op,
                    [&](SimProcess &process) {
                      const auto rank = static_cast<std::size_t>(process.rank());
                      return make_united(*channels[rank], bridges[rank], process, parents[rank],
                                         process.rank() / part % 2 == 1, 1, &process.made);
                    },
                    takes_part));
      continue;
    }
    add(&sum, simulated(
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
    add(&sum, simulated(
                  job, "merges",
                  [&](SimProcess &process) {
                    const auto rank = static_cast<std::size_t>(process.rank());
                    return make_merged(*channels[rank], bridges[rank], process, parents[rank],
                                       process.rank() / part % 2 == 1, &process.made);
                  },
                  takes_part));
  }
  return sum;
}

CreationOp simulated_multi(Simulator &job, FirstOfAll &first) {
  CreationOp sum;
  sum.op = kMulti;
  sum.members = first.count();
  const auto takes_part = [&first](std::int32_t rank) { return rank < first.count(); };
  const auto among_all = [&](std::uint32_t seed) {
    add(&sum, simulated(
                  job, kMulti,
                  [&, seed](SimProcess &process) {
                    return make_in_group(first.channel(process.rank()), process, first.group(), seed, &process.made);
                  },
                  takes_part));
  };
  among_all(1);
  add(&sum, simulated(
                job, kMulti,
                [&](SimProcess &process) {
                  return make_flattened(first.channel(process.rank()), process, first.group(), 2, &process.made);
                },
                takes_part));
  among_all(3);
  return sum;
}

} // namespace

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
        job, kByMembers,
        [&](SimProcess &process) {
          return make_in_group(first.channel(process.rank()), process, first.group(), 1, &process.made);
        },
        takes_part));
    ops.push_back(simulated(
        job, kByParent,
        [&](SimProcess &process) { return make_from_group(process, process, world, first.group(), &process.made); },
        [](std::int32_t) { return true; }));
    ops.push_back(simulated_merging(job, members, false));
    ops.push_back(simulated_merging(job, members, true));
    ops.push_back(simulated_multi(job, first));
  }
  return ops;
}

} // namespace avrankmap::bench
