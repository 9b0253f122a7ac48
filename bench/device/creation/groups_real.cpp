// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of real processes. Rounds begin and end at a barrier of the system's, so that processes
// that do not take part in a creation neither help nor compute.
#include "comm_algorithms/channel/channels.h"
#include "comm_calls/creation.h"
#include "device/creation/groups.h"
#include "support/job.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include "avrankmap/device/comm.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr std::array kWays = {kByMembers, kByParent, kMerging, kMergingAtOnce, kMulti};
constexpr std::int32_t kMost = 64;
constexpr int kMostRounds = 4096;

/// Of a process in a round; seconds of the clock that all processes share.
struct Times {
  double begin;
  double end; ///< 0: it did not take part
};

/// In memory that the processes share.
struct Results {
  pthread_barrier_t barrier;
  Times times[kMostRounds][kMost];
};

struct Run {
  int repetitions;
  std::vector<std::int32_t> sizes; ///< of groups
  Results *results;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The first processes of the world, in several ways.
class Maker {
public:
  Maker(avrm_comm_t *world, std::int32_t count) : world_(world), rank_(avrm_comm_rank(world)), count_(count) {
    avrm_group_t *all = nullptr;
    require(avrm_comm_group(world, &all));
    const avrm_range_t first{0, count - 1, 1};
    const avrm_range_t own{rank_, rank_, 1};
    require(avrm_group_range_incl(all, 1, &first, &group_));
    require(avrm_group_range_incl(all, 1, &own, &self_));
    avrm_group_destroy(all);
  }
  ~Maker() {
    avrm_group_destroy(self_);
    avrm_group_destroy(group_);
  }
  Maker(const Maker &) = delete;
  Maker &operator=(const Maker &) = delete;

  [[nodiscard]] bool takes_part(const char *way) const { return rank_ < count_ || way == kByParent; }
  avrm_comm_t *make(const char *way) {
    avrm_comm_t *comm = nullptr;
    if (way == kByMembers) {
      require(avrm_comm_create_group(world_, group_, 1, &comm));
    } else if (way == kByParent) {
      require(avrm_comm_create(world_, group_, &comm));
    } else {
      comm = way == kMulti ? by_multicommunicator() : by_merging(way == kMergingAtOnce);
    }
    return comm;
  }

private:
  avrm_comm_t *by_merging(bool at_once) {
    avrm_comm_t *comm = nullptr;
    require(avrm_comm_create_group(world_, self_, 0, &comm));
    for (std::int32_t part = 1; part < count_; part *= 2) {
      const std::int32_t own = rank_ / part;
      const std::int32_t partner = (own ^ 1) * part;
      if (partner >= count_) {
        continue; // no neighbour at this level
      }
      avrm_comm_t *both = nullptr;
      if (at_once) {
        require(avrm_comm_merge(comm, 0, world_, partner, 0, own % 2 == 1, &both));
      } else {
        avrm_comm_t *inter = nullptr;
        require(avrm_intercomm_create(comm, 0, world_, partner, 0, &inter));
        require(avrm_intercomm_merge(inter, own % 2 == 1, &both));
        require(avrm_comm_free(inter));
      }
      require(avrm_comm_free(comm));
      comm = both;
    }
    return comm;
  }

  /// Runs one of the three steps: start(channel of the group, creation).
  template <class Start> avrm_comm_t *step(std::int32_t number, Start start) {
    detail::Creation creation(world_, detail::tag_of(number));
    detail::RangeChannel channel(creation.channel(), 0, count_);
    creation.watch(avrm_group_map(group_));
    creation.run(start(channel, creation));
    require(creation.wait());
    return creation.take();
  }
  avrm_comm_t *by_multicommunicator() {
    const auto among_all = [this](detail::Channel &channel, detail::Creation &creation) {
      return make_in_group(channel, creation, group_, 1, creation.made());
    };
    avrm_comm_t *const multi = step(1, among_all);
    avrm_comm_t *const flat = step(2, [this](detail::Channel &channel, detail::Creation &creation) {
      return make_flattened(channel, creation, group_, 2, creation.made());
    });
    avrm_comm_t *const merged = step(3, among_all);
    require(avrm_comm_free(flat));
    require(avrm_comm_free(multi));
    return merged;
  }

  avrm_comm_t *world_;
  std::int32_t rank_;
  std::int32_t count_;
  avrm_group_t *group_ = nullptr;
  avrm_group_t *self_ = nullptr;
};

void measure(avrm_comm_t *world, const Run &run) {
  Results &results = *run.results;
  const std::int32_t rank = avrm_comm_rank(world);
  std::int32_t round = 0;
  for (const std::int32_t size : run.sizes) {
    Maker maker(world, size);
    for (const char *const way : kWays) {
      for (int i = 0; i < run.repetitions + 1; ++i) { // the first connects the processes
        (void)pthread_barrier_wait(&results.barrier);
        if (maker.takes_part(way)) {
          Times &times = results.times[round][rank];
          times.begin = now();
          avrm_comm_t *const comm = maker.make(way);
          times.end = now();
          require(comm == nullptr || avrm_comm_size(comm) == size, "a group of another size");
          require(comm == nullptr ? AVRM_OK : avrm_comm_free(comm));
        }
        (void)pthread_barrier_wait(&results.barrier);
        round += i == 0 ? 0 : 1;
      }
    }
  }
}

/// It goes with its pages: pthread_barrier_destroy() would wait for processes that failed.
void make_barrier(pthread_barrier_t *barrier, std::int32_t processes) {
  pthread_barrierattr_t shared;
  if (pthread_barrierattr_init(&shared) != 0 || pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) != 0 ||
      pthread_barrier_init(barrier, &shared, static_cast<unsigned>(processes)) != 0) {
    throw std::runtime_error("no barrier between processes");
  }
  (void)pthread_barrierattr_destroy(&shared);
}

} // namespace

std::vector<CreationOp> measure_groups(std::int32_t processes, int repetitions) {
  Run run{repetitions, {}, nullptr};
  for (std::int32_t size = 2; size <= processes; size *= 2) {
    run.sizes.push_back(size);
    if (size / 2 * 3 <= processes) {
      run.sizes.push_back(size / 2 * 3);
    }
  }
  if (processes < 2 || processes > kMost || repetitions < 1 ||
      run.sizes.size() * kWays.size() * static_cast<std::size_t>(repetitions) > kMostRounds) {
    throw std::runtime_error("groups: no such job");
  }
  const SharedPages<Results> results;
  run.results = results.get();
  make_barrier(&run.results->barrier, processes);
  run_job_over_shared_memory("groups", processes, 120000, [&](avrm_device_t *device) {
    measure(avrm_device_world(device), run);
    require(avrm_barrier(avrm_device_world(device)));
  });
  std::vector<CreationOp> ops;
  int round = 0;
  for (const std::int32_t size : run.sizes) {
    for (const char *const way : kWays) {
      std::vector<double> seconds;
      for (int i = 0; i < repetitions; ++i, ++round) {
        const Times *const times = run.results->times[round];
        double begin = 0;
        double end = 0;
        for (std::int32_t rank = 0; rank < processes; ++rank) {
          begin = std::max(begin, times[rank].begin);
          end = std::max(end, times[rank].end);
        }
        seconds.push_back(end - begin);
      }
      CreationOp op;
      op.op = way;
      op.processes = processes;
      op.members = size;
      op.seconds = median(std::move(seconds));
      ops.push_back(op);
    }
  }
  return ops;
}

} // namespace avrankmap::bench
