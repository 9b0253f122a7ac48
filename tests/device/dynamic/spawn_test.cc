// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds that spawn worlds. Children run spawned_job.cc, whose path is AVRM_SPAWNED_JOB.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "tests/device/dynamic/spawned.h"
#include "tests/device/dynamic/worlds.h"

namespace avrankmap::test {
namespace {

class Spawn : public UcxOrLong {};
class SpawnEverywhere : public testing::TestWithParam<Transport> {};
INSTANTIATE_TEST_SUITE_P(Over, SpawnEverywhere, testing::ValuesIn(transports_between_jobs()), kByName);
INSTANTIATE_TEST_SUITE_P(Over, Spawn, testing::ValuesIn(transports_between_jobs()), kByName);

constexpr int kParents = 2;
constexpr int kChildren = 3;

// Arguments of the next spawn. Orphans become children of the calling process, which can then wait
// for all of them.
struct Wish {
  Wish(const Transport &transport, const char *deed) : arguments{deed, transport.name, nullptr, nullptr, nullptr} {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    options.arguments = arguments;
    options.timeout_ms = 60000;
  }
  const char *arguments[5];
  const char *command = AVRM_SPAWNED_JOB;
  int count = kChildren;
  int root = 1;
  avrm_spawn_options_t options{};
};

avrm_status_t spawn(WorldProcess &self, Wish &wish, avrm_comm_t **inter_p, avrm_status_t *errors = nullptr) {
  const bool is_root = self.process.rank == wish.root; // other processes pass no arguments
  return avrm_comm_spawn(self.process.world, wish.root, is_root ? wish.command : nullptr, is_root ? wish.count : -1,
                         is_root ? &wish.options : nullptr, inter_p, errors);
}

// Waits until all spawned processes, and the helpers that watched them, have ended and were reaped.
// A process that stays keeps this from returning.
void expect_nobody(const WorldProcess &self) {
  siginfo_t info{};
  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0) {
    avrm_progress(self.process.device);
    sched_yield();
  }
  AVRM_MUST(errno == ECHILD);
}

void expect_failure(WorldProcess &self, Wish &wish, avrm_status_t status, int failed = -1) {
  avrm_comm_t *inter = nullptr;
  std::vector<avrm_status_t> errors(static_cast<std::size_t>(wish.count), AVRM_ERR_BUSY);
  const avrm_status_t got = spawn(self, wish, &inter, errors.data());
  if (got != status) {
    std::fprintf(stderr, "spawn: %s\n", avrm_status_name(got));
  }
  AVRM_MUST(got == status && inter == nullptr);
  for (int rank = 0; rank < wish.count; ++rank) {
    const avrm_status_t expected = self.process.rank != wish.root ? AVRM_ERR_BUSY : rank == failed ? status : AVRM_OK;
    AVRM_MUST(failed == kChildren || errors[static_cast<std::size_t>(rank)] == expected);
  }
  expect_nobody(self);
}

void talk_to_children(WorldProcess &self, Wish &wish) {
  avrm_comm_t *inter = nullptr;
  avrm_status_t errors[kChildren] = {AVRM_ERR_BUSY, AVRM_ERR_BUSY, AVRM_ERR_BUSY};
  const avrm_status_t status = spawn(self, wish, &inter, errors);
  if (status != AVRM_OK) {
    std::fprintf(stderr, "spawn: %s\n", avrm_status_name(status));
  }
  AVRM_MUST(status == AVRM_OK);
  AVRM_MUST(self.process.rank != wish.root || (errors[0] == AVRM_OK && errors[wish.count - 1] == AVRM_OK));
  check_intercomm(self.world_member(), inter, ids_of(kChildWorld, wish.count));
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(inter, false, &merged) == AVRM_OK);
  check_merged(self.world_member(), merged, family(self.process.size, wish.count));
  part(merged);
  part(inter);
}

TEST_P(SpawnEverywhere, EveryParentAndEveryChildTalk) {
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    Wish wish(GetParam(), "talk");
    talk_to_children(self, wish);
    expect_nobody(self);
  });
}

TEST_P(Spawn, ArgumentsAndTheEnvironmentArriveAndNoDescriptors) {
  run_worlds(GetParam(), {1}, [](WorldProcess &self) {
    setenv("AVRM_TEST_KEPT", "kept", 1);
    setenv("AVRM_TEST_ADDED", "replaced", 1);
    const char *const added[] = {"AVRM_TEST_ADDED=1 2=3", "PATH=/nowhere", nullptr};
    Wish wish(GetParam(), "environment");
    wish.arguments[2] = "a word";
    wish.arguments[3] = "";
    wish.options.environment = added;
    wish.root = 0;
    wish.count = 1;
    talk_to_children(self, wish);
  });
}

// A process without standard input and output, as a daemon starts them.
class WithoutStreams {
public:
  WithoutStreams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) {
      saved_[stream] = fcntl(stream, F_DUPFD_CLOEXEC, 100);
      close(stream);
    }
  }
  ~WithoutStreams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) {
      dup2(saved_[stream], stream);
      close(saved_[stream]);
    }
  }
  WithoutStreams(const WithoutStreams &) = delete;
  WithoutStreams &operator=(const WithoutStreams &) = delete;

private:
  int saved_[2] = {};
};

// Else transports would get these numbers, and the children the transports.
TEST_P(Spawn, ClosedStreamsAreThoseOfNobody) {
  const WithoutStreams without;
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    Wish wish(GetParam(), "streams");
    talk_to_children(self, wish);
    if (self.process.rank == wish.root) {
      close(STDIN_FILENO); // which the port or the launch would get
    }
    talk_to_children(self, wish);
    expect_nobody(self);
  });
}

TEST_P(Spawn, ACommandThatCannotBeRunIsAStatusForAllParents) {
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    for (const char *command : {"avrm-there-is-no-such-program", "/nowhere/program", "/", ""}) {
      Wish wish(GetParam(), "talk");
      wish.command = command;
      expect_failure(self, wish, AVRM_ERR_BOOT, 0);
    }
  });
}

// Any of the children that end by themselves may be the first.
constexpr int kAnybody = kChildren;

TEST_P(Spawn, ChildrenThatExitAtOnceAreAStatusForAllParents) {
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    Wish wish(GetParam(), "exit");
    expect_failure(self, wish, AVRM_ERR_PEER, kAnybody);
    wish.command = "false"; // found in PATH
    expect_failure(self, wish, AVRM_ERR_PEER, kAnybody);
  });
}

TEST_P(Spawn, AChildThatIsKilledBeforeItHasADeviceEndsTheOthers) {
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    Wish wish(GetParam(), "killed");
    expect_failure(self, wish, AVRM_ERR_PEER, 1);
  });
}

TEST_P(Spawn, ChildrenThatDoNotAskForTheirParentsAreAStatus) {
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    Wish wish(GetParam(), "silent");
    expect_failure(self, wish, AVRM_ERR_PEER);
  });
}

TEST_P(Spawn, TimeRunsOutAndEndsChildrenThatHang) {
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    Wish wish(GetParam(), "hang");
    wish.options.timeout_ms = 50;
    expect_failure(self, wish, AVRM_ERR_TIMEOUT);
  });
}

TEST_P(Spawn, TheDeathOfAChildIsToldToParentsAndChildren) {
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    self.keeps_contexts = true;
    Wish wish(GetParam(), "die");
    avrm_comm_t *inter = nullptr;
    AVRM_MUST(spawn(self, wish, &inter) == AVRM_OK);
    check_intercomm(self.world_member(), inter, ids_of(kChildWorld, kChildren));
    tell(inter, 1);
    int in = 0;
    avrm_request_t *request = nullptr;
    avrm_status_t status = avrm_irecv(inter, &in, sizeof in, 1, 9, &request);
    status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
    AVRM_MUST(status == AVRM_ERR_PEER);
    AVRM_MUST(avrm_comm_disconnect(&inter) == AVRM_ERR_PEER);
    expect_nobody(self);
  });
}

TEST_P(Spawn, WorldsComeAndGoWithoutATrace) {
  run_worlds(GetParam(), {kParents}, [](WorldProcess &self) {
    Wish wish(GetParam(), "talk");
    wish.count = 1;
    std::uint64_t bytes = 0;
    int descriptors = 0;
    const int rounds = is_long() ? 50 : 5;
    for (int round = 0; round < rounds; ++round) {
      talk_to_children(self, wish);
      expect_nobody(self);
      if (round == 1) { // pools have reached their size
        bytes = live_bytes(self.process, AVRM_MEM_COMM) + live_bytes(self.process, AVRM_MEM_CACHE);
        descriptors = open_descriptors();
      }
    }
    AVRM_MUST(live_bytes(self.process, AVRM_MEM_COMM) + live_bytes(self.process, AVRM_MEM_CACHE) == bytes);
    // UCX closes some descriptors late, during progress.
    AVRM_MUST(open_descriptors_after(kClosesWithin, descriptors, [&] { (void)avrm_progress(self.process.device); }) <=
              descriptors);
  });
}

TEST_P(Spawn, SeveralFamiliesLiveAtOnce) {
  run_worlds(GetParam(), {1}, [](WorldProcess &self) {
    avrm_comm_t *inters[2] = {};
    Wish wish(GetParam(), "talk");
    wish.root = 0;
    wish.count = 1;
    for (avrm_comm_t *&inter : inters) {
      AVRM_MUST(spawn(self, wish, &inter) == AVRM_OK);
    }
    for (avrm_comm_t *inter : inters) {
      check_intercomm(self.world_member(), inter, ids_of(kChildWorld, 1));
      avrm_comm_t *merged = nullptr;
      AVRM_MUST(avrm_intercomm_merge(inter, false, &merged) == AVRM_OK);
      check_merged(self.world_member(), merged, family(1, 1));
      part(merged);
      part(inter);
    }
    expect_nobody(self);
  });
}

TEST_P(Spawn, WhoWasNotSpawnedHasNoParents) {
  run_worlds(GetParam(), {1}, [](WorldProcess &self) {
    avrm_comm_t *parents = self.process.world;
    AVRM_MUST(avrm_comm_get_parent(self.process.device, &parents) == AVRM_OK && parents == nullptr);
    AVRM_MUST(avrm_comm_get_parent(nullptr, &parents) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_get_parent(self.process.device, nullptr) == AVRM_ERR_NULL);
  });
}

TEST_P(Spawn, ArgumentsAreChecked) {
  run_worlds(GetParam(), {1}, [](WorldProcess &self) {
    avrm_comm_t *const world = self.process.world;
    avrm_comm_t *comm = nullptr;
    avrm_spawn_options_t negative{};
    negative.timeout_ms = -1;
    AVRM_MUST(avrm_comm_spawn(nullptr, 0, "true", 1, nullptr, &comm, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_spawn(world, 0, "true", 1, nullptr, nullptr, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_spawn(world, 0, nullptr, 1, nullptr, &comm, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_spawn(world, 1, "true", 1, nullptr, &comm, nullptr) == AVRM_ERR_RANK);
    AVRM_MUST(avrm_comm_spawn(world, 0, "true", 0, nullptr, &comm, nullptr) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_comm_spawn(world, 0, "true", 1, &negative, &comm, nullptr) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_comm_spawn(world, 0, "true", INT32_MAX, nullptr, &comm, nullptr) == AVRM_ERR_LIMIT);
    AVRM_MUST(comm == nullptr && waitpid(-1, nullptr, __WALL) < 0);
  });
}

} // namespace
} // namespace avrankmap::test
