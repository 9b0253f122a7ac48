// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several forked jobs at once, which share nothing but a board for port names.
#ifndef AVRANKMAP_TESTS_DYNAMIC_WORLDS_H
#define AVRANKMAP_TESTS_DYNAMIC_WORLDS_H

#include <sched.h>
#include <time.h>

#include <atomic>

#include "avrankmap/device/dynamic.h"
#include "core/keyed_hash.h"
#include "tests/device/core/job.h"
#include "tests/device/dynamic/multi_world_comms.h"
#include "tests/support/descriptors.h"
#include "tests/support/shared.h"

namespace avrankmap::test {

// Jobs connect over a network, and use shared memory within.
inline std::vector<Transport> transports_between_jobs() { return transports_of(Suites::kAll, has_both); }

// Over UCX always, over libfabric in long runs.
class UcxOrLong : public testing::TestWithParam<Transport> {
protected:
  void SetUp() override {
    if (is_ofi(GetParam()) && !is_long()) {
      GTEST_SKIP() << "over libfabric with AVRM_TEST_LONG=1 only";
    }
  }
};

// Shared by all processes of all worlds.
struct Board {
  struct Note {
    std::atomic<int> is_there;
    char port[AVRM_PORT_MAX];
  };
  static constexpr int kNotes = 8;
  Note notes[kNotes];
  std::atomic<int> counters[8];

  void hang(int at, const char *port) {
    std::memcpy(notes[at].port, port, AVRM_PORT_MAX);
    notes[at].is_there.store(1);
  }
  const char *read(int at) {
    while (notes[at].is_there.load() == 0) {
      sched_yield();
    }
    return notes[at].port;
  }
};

// A process of some world.
struct WorldProcess {
  Process &process;
  Board &board;
  int world;
  bool keeps_contexts = false; // of communicators that were revoked, or whose members died
  [[nodiscard]] int id() const { return id_of(world, process.rank); }
  [[nodiscard]] WorldMember world_member() const { return {process.world, id()}; }
};

struct Victim {
  int world;
  int rank;
};

struct WorldJob {
  const Transport *transport;
  const std::vector<int> *sizes;
  const std::function<void(WorldProcess &)> *body;
  Board *board;
  Victim victim;
  bool threads;
};

// One world. Its launcher is a process of its own.
inline int run_world(avrm_boot_t *boot, void *user) {
  const auto *const worlds = static_cast<const WorldJob *>(user);
  const int world = avrm_boot_rank(boot);
  const int size = (*worlds->sizes)[static_cast<std::size_t>(world)];
  const bool suffers = worlds->victim.world == world;
  const std::function<void(Process &)> body = [&](Process &process) {
    WorldProcess process_of_world{process, *worlds->board, world};
    (*worlds->body)(process_of_world);
    AVRM_MUST(process_of_world.keeps_contexts || live_contexts(process) == 0);
  };
  Job job{worlds->transport, &body, suffers ? AVRM_ERR_PEER : AVRM_OK, worlds->threads};
  avrm_fork_options_t options{};
  options.size = size;
  options.per_node = worlds->transport->per_node;
  options.timeout_ms = job_timeout_ms();
  options.kill_on_failure = suffers ? 0 : 1;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(size));
  AVRM_MUST(avrm_boot_fork_run(&options, run_process, &job, codes.data()) == AVRM_OK);
  if (any_skipped(codes)) {
    return kSkipped;
  }
  for (int rank = 0; rank < size; ++rank) {
    const int code = codes[static_cast<std::size_t>(rank)];
    AVRM_MUST(code == (suffers && rank == worlds->victim.rank ? 128 + 9 : 0));
  }
  return 0;
}

// Runs `body` in all processes of worlds of these sizes. `victim` ends by SIGKILL.
inline void run_worlds(const Transport &transport, const std::vector<int> &sizes,
                       const std::function<void(WorldProcess &)> &body, Victim victim = {-1, -1},
                       bool threads = false) {
  if (!detail::has_keyed_hash()) {
    GTEST_SKIP() << "this build has no libsodium, and so no ports";
  }
  const Shared<Board> board;
  WorldJob job{&transport, &sizes, &body, &*board, victim, threads};
  avrm_fork_options_t options{};
  options.size = static_cast<std::int32_t>(sizes.size());
  options.kill_on_failure = 1;
  std::vector<std::int32_t> codes(sizes.size());
  before_forking(transport);
  ASSERT_EQ(AVRM_OK, avrm_boot_fork_run(&options, run_world, &job, codes.data()));
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(transport);
  }
  for (std::size_t world = 0; world < sizes.size(); ++world) {
    EXPECT_EQ(0, codes[world]) << "world " << world;
  }
}

// World 0 accepts, world 1 connects, each with all of `comm`.
inline avrm_comm_t *connect_worlds(WorldProcess &self, avrm_comm_t *comm, const char *port) {
  avrm_comm_t *inter = nullptr;
  const avrm_status_t status = self.world == 0 ? avrm_comm_accept(comm, 0, port, nullptr, &inter)
                                               : avrm_comm_connect(comm, 0, port, nullptr, &inter);
  if (status != AVRM_OK) {
    std::fprintf(stderr, "process %d: %s\n", self.id(), avrm_status_name(status));
  }
  AVRM_MUST(status == AVRM_OK);
  return inter;
}

// The same through a port that is opened for it.
inline avrm_comm_t *connect_worlds(WorldProcess &self, int note = 0) {
  char port[AVRM_PORT_MAX] = "";
  const bool opens = self.world == 0 && self.process.rank == 0;
  if (opens) {
    AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
    self.board.hang(note, port);
  } else if (self.process.rank == 0) {
    std::memcpy(port, self.board.read(note), sizeof port);
  }
  avrm_comm_t *const inter = connect_worlds(self, self.process.world, port);
  if (opens) {
    AVRM_MUST(avrm_port_close(self.process.device, port) == AVRM_OK);
  }
  return inter;
}

inline void part(avrm_comm_t *comm) {
  const avrm_status_t status = avrm_comm_disconnect(&comm);
  if (status != AVRM_OK) {
    std::fprintf(stderr, "disconnect: %s\n", avrm_status_name(status));
  }
  AVRM_MUST(status == AVRM_OK && comm == nullptr);
}

inline bool is_affine(const avrm_rankmap_t *map) { return map->mode <= AVRM_MODE_STRIDE; }

inline std::uint64_t live_bytes(const Process &process, avrm_mem_kind_t kind) {
  avrm_mem_usage_t usage{};
  AVRM_MUST(avrm_instance_mem_usage(avrm_device_instance(process.device), kind, &usage) == AVRM_OK);
  return usage.live_bytes;
}

} // namespace avrankmap::test

#endif
