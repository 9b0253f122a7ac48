// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators between jobs: two of them that meet, merge and part, and one that spawns the other.
#include "device/creation/creation_ops.h"

#include "avrankmap/device/dynamic.h"
#include "core/device.h"
#include "device/transports/list.h"
#include "support/open_device.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Exit code of a process whose network is not there.
constexpr int kAbsent = 77;
constexpr char kSpawnedVariable[] = "AVRM_BENCH_SPAWNED"; // the name of the transport
constexpr std::int32_t kMilliseconds = 120000;
constexpr int kWorlds = 2;

enum Op { kConnect, kMerge, kDisconnect, kSpawn, kOps };
constexpr const char *kNames[kOps] = {kConnected, kMergedJobs, kDisconnected, kSpawned};

/// In memory that all processes share.
struct Results {
  std::atomic<int> has_port;
  char port[AVRM_PORT_MAX];
  std::atomic<int> arrivals;
  double seconds[kOps];
  std::uint64_t map_bytes[kOps];
  std::uint64_t scratch[kOps];
  std::atomic<std::uint64_t> messages[kOps]; // of all processes but spawned ones, all repetitions
};

struct Job {
  const Transport *transport;
  std::int32_t size; // of one job
  int repetitions;
  Results *results;
  int worlds; // that run at once
  int world;  // which of them this is
};

std::uint64_t bytes_of(const avrm_rankmap_t *map) {
  avrm_rankmap_info_t info{};
  require(avrm_rankmap_describe(map, &info));
  return info.own_bytes + info.table_bytes;
}

/// Of both sides.
std::uint64_t map_bytes(const avrm_comm_t *comm) {
  std::uint64_t bytes = bytes_of(avrm_comm_map(comm));
  if (avrm_comm_is_inter(comm)) {
    avrm_group_t *own = nullptr;
    require(avrm_comm_group(comm, &own));
    bytes += bytes_of(avrm_group_map(own));
    avrm_group_destroy(own);
  }
  return bytes;
}

/// One process of a job, and its clock.
class Process {
public:
  Process(avrm_device_t *device, const Job &job)
      : device_(device), job_(job), world_(avrm_device_world(device)),
        keeps_time_(job.world == 0 && avrm_comm_rank(world_) == 0) {}

  void connect_and_disconnect() {
    char port[AVRM_PORT_MAX] = "";
    if (avrm_comm_rank(world_) == 0) {
      open_or_read(port);
    }
    for (int i = 0; i <= job_.repetitions; ++i) { // the first connects the processes
      avrm_comm_t *inter = nullptr;
      avrm_comm_t *both = nullptr;
      take(kConnect, i, [&] {
        require(job_.world == 0 ? avrm_comm_accept(world_, 0, port, nullptr, &inter)
                                : avrm_comm_connect(world_, 0, port, nullptr, &inter));
      });
      note_map(kConnect, inter);
      take(kMerge, i, [&] { require(avrm_intercomm_merge(inter, job_.world == 1, &both)); });
      note_map(kMerge, both);
      require(avrm_comm_free(both));
      take(kDisconnect, i, [&] { require(avrm_comm_disconnect(&inter)); });
    }
    report(kConnect, kSpawn);
  }

  void spawn() {
    const std::string environment = std::string(kSpawnedVariable) + "=" + job_.transport->name;
    const char *const added[] = {environment.c_str(), nullptr};
    avrm_spawn_options_t options{};
    options.environment = added;
    options.timeout_ms = kMilliseconds;
    char program[4096] = "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) {
      throw std::runtime_error("the program does not know where it is");
    }
    for (int i = 1; i <= job_.repetitions; ++i) {
      avrm_comm_t *inter = nullptr;
      take(kSpawn, i, [&] { require(avrm_comm_spawn(world_, 0, program, job_.size, &options, &inter, nullptr)); });
      note_map(kSpawn, inter);
      require(avrm_comm_disconnect(&inter));
    }
    report(kSpawn, kOps);
  }

private:
  void open_or_read(char *port) {
    Results &results = *job_.results;
    if (job_.world == 0) {
      require(avrm_port_open(device_, results.port));
      results.has_port.store(1);
    }
    while (results.has_port.load() == 0) {
      sched_yield();
    }
    std::memcpy(port, results.port, AVRM_PORT_MAX);
  }

  /// Waits for all processes of all jobs, which may not know one another.
  void wait_for_all() {
    arrived_ += job_.size * job_.worlds;
    job_.results->arrivals.fetch_add(1);
    while (job_.results->arrivals.load() < arrived_) {
      avrm_progress(device_);
      sched_yield();
    }
  }

  template <class Do> void take(Op op, int repetition, Do action) {
    wait_for_all();
    const std::uint64_t before = device_->collective_messages.load();
    const Clock::time_point start = Clock::now();
    action();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    job_.results->messages[op] += device_->collective_messages.load() - before;
    if (keeps_time_ && repetition > 0) {
      seconds_[op].push_back(seconds);
    }
  }

  void note_map(Op op, const avrm_comm_t *comm) {
    if (keeps_time_) {
      job_.results->map_bytes[op] = map_bytes(comm);
    }
  }

  void report(int first, int end) {
    for (int op = first; op < end && keeps_time_; ++op) {
      avrm_mem_usage_t usage{};
      require(avrm_instance_mem_usage(avrm_device_instance(device_), AVRM_MEM_SCRATCH, &usage));
      job_.results->seconds[op] = median(seconds_[op]);
      job_.results->scratch[op] = usage.peak_bytes;
    }
  }

  avrm_device_t *device_;
  const Job &job_;
  avrm_comm_t *world_;
  bool keeps_time_;
  std::int32_t arrived_ = 0;
  std::vector<double> seconds_[kOps];
};

/// kAbsent if there is no such network.
int with_device(avrm_boot_t *boot, const Transport &transport, const std::function<void(avrm_device_t *)> &body) {
  avrm_device_options_t options = options_of(boot, transport);
  options.shmmod = "posix";
  options.av = AVRM_DEVICE_AV_TABLE;
  try {
    avrm_device_t *const device = open_device(options);
    body(device);
    require(avrm_device_close(device));
  } catch (const TransportMissing &) {
    return kAbsent;
  } catch (const std::exception &) {
    return 1;
  }
  return 0;
}

int run_connections(avrm_boot_t *boot, void *user) {
  const Job &job = *static_cast<const Job *>(user);
  return with_device(boot, *job.transport,
                     [&](avrm_device_t *device) { Process(device, job).connect_and_disconnect(); });
}

int run_spawning(avrm_boot_t *boot, void *user) {
  const Job &job = *static_cast<const Job *>(user);
  return with_device(boot, *job.transport, [&](avrm_device_t *device) { Process(device, job).spawn(); });
}

/// The worst exit code of a job.
int run_job(std::int32_t size, int (*body)(avrm_boot_t *boot, void *user), Job *job) {
  const avrm_fork_options_t forked{size, 0, kMilliseconds, 1};
  std::vector<std::int32_t> codes(static_cast<std::size_t>(size), 1);
  const avrm_status_t status = avrm_boot_fork_run(&forked, body, job, codes.data());
  const auto is_absent = [](std::int32_t code) { return code == kAbsent; };
  if (std::any_of(codes.begin(), codes.end(), is_absent)) {
    return kAbsent;
  }
  return status == AVRM_OK ? *std::max_element(codes.begin(), codes.end()) : 1;
}

/// The launcher of one of the two jobs.
int run_world(avrm_boot_t *boot, void *user) {
  Job job = *static_cast<const Job *>(user);
  job.world = avrm_boot_rank(boot);
  return run_job(job.size, run_connections, &job);
}

CreationOp row(Op op, const Job &job) {
  const Results &results = *job.results;
  CreationOp made;
  made.op = kNames[op];
  made.processes = kWorlds * job.size;
  made.members = made.processes;
  made.seconds = results.seconds[op];
  made.messages = results.messages[op].load() / static_cast<std::uint64_t>(job.repetitions + (op == kSpawn ? 0 : 1));
  made.map_bytes = results.map_bytes[op];
  made.peak_temporary_bytes = results.scratch[op];
  return made;
}

} // namespace

std::vector<CreationOp> measure_dynamic(std::int32_t processes, int repetitions) {
  const SharedPages<Results> results;
  Job meeting{nullptr, processes / kWorlds, repetitions, results.get(), kWorlds, 0};
  Job spawning = meeting;
  spawning.worlds = 1;
  spawning.repetitions = std::max(3, repetitions / 10); // each starts programs
  std::vector<CreationOp> ops;
  int code = kAbsent;
  for (const Transport &transport : kTransports) {
    if ((transport.studies & kInJobs) == 0) {
      continue;
    }
    meeting.transport = &transport;
    spawning.transport = &transport;
    code = run_job(kWorlds, run_world, &meeting);
    if (code == 0) {
      meeting.results->arrivals.store(0);
      code = run_job(spawning.size, run_spawning, &spawning);
    }
    if (code != kAbsent) {
      break;
    }
  }
  for (const Op op : {kConnect, kMerge, kDisconnect, kSpawn}) {
    if (code == 0) {
      ops.push_back(row(op, op == kSpawn ? spawning : meeting));
    }
  }
  if (code != 0 && code != kAbsent) {
    throw std::runtime_error("jobs that meet have failed");
  }
  return ops;
}

bool is_spawned() { return std::getenv(kSpawnedVariable) != nullptr; }

int be_spawned() {
  const Transport &transport = transport_named(std::getenv(kSpawnedVariable));
  avrm_boot_t *boot = nullptr;
  if (avrm_boot_open(&boot) != AVRM_OK) {
    return 1;
  }
  const int code = with_device(boot, transport, [](avrm_device_t *device) {
    avrm_comm_t *parents = nullptr;
    require(avrm_comm_get_parent(device, &parents));
    require(parents == nullptr ? AVRM_ERR_PEER : avrm_comm_disconnect(&parents));
  });
  avrm_boot_close(boot);
  return code;
}

} // namespace avrankmap::bench
