// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages from any source after a death, between real processes.
#include <signal.h>
#include <unistd.h>

#include "avrankmap/device/probe.h"
#include "core/communicator.h"
#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

constexpr int kVictim = 3;

// All contact all, then the last of four processes dies, and the others know it.
void lose_one(const Process &process) {
  check_messages(process.world, process.rank, everyone(process));
  fence(process);
  if (process.rank == kVictim) {
    kill(getpid(), SIGKILL);
  }
}
void await_death(const Process &process) {
  while (avrm_boot_failures(process.boot) == 0) {
    avrm_progress(process.device);
  }
  avrm_progress(process.device);
}

// Survivors wait for one another.
void await_survivors(const Process &process) {
  std::uint64_t value = 0;
  (void)avrm_comm_agree(process.world, &value);
}

void acknowledge_all(avrm_comm_t *comm, int expected) {
  std::int32_t acked = -1;
  AVRM_MUST(avrm_comm_ack_failed(comm, 100, &acked) == AVRM_OK && acked == expected);
}

avrm_status_t status_of_receive(avrm_comm_t *comm, int *in, int tag) {
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_irecv(comm, in, sizeof *in, AVRM_ANY_SOURCE, tag, &request) == AVRM_OK);
  return avrm_wait(&request, nullptr);
}

class Acknowledge : public testing::TestWithParam<Transport> {
protected:
  static void run(const std::function<void(Process &)> &body) {
    run_job(
        GetParam(), 4,
        [&](Process &process) {
          body(process);
          await_survivors(process);
        },
        kVictim);
  }
};

TEST_P(Acknowledge, AWaitingReceiveFromAnySourceEndsAndTakesNothing) {
  run([](Process &process) {
    check_messages(process.world, process.rank, everyone(process));
    fence(process);
    int in = -1;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(process.world, &in, sizeof in, AVRM_ANY_SOURCE, 9, &request) == AVRM_OK);
    fence(process);
    if (process.rank == kVictim) {
      kill(getpid(), SIGKILL);
    }
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_PEER_PENDING);
    await_survivors(process);
    // What would have matched it matches the next one.
    const int next = (process.rank + 1) % 3;
    AVRM_MUST(avrm_isend(process.world, &process.rank, sizeof process.rank, next, 9, &request) == AVRM_OK);
    wait(request);
    acknowledge_all(process.world, 1);
    AVRM_MUST(status_of_receive(process.world, &in, 9) == AVRM_OK && in == (process.rank + 2) % 3);
  });
}

TEST_P(Acknowledge, UntilThenReceivesTakeOnlyWhatHasArrived) {
  run([](Process &process) {
    const int next = (process.rank + 1) % 3;
    avrm_request_t *request = nullptr;
    if (process.rank != kVictim) {
      AVRM_MUST(avrm_isend(process.world, &process.rank, sizeof process.rank, next, 9, &request) == AVRM_OK);
      wait(request);
    }
    lose_one(process); // all messages have come before those of later rounds
    await_death(process);
    int in = -1;
    avrm_status_t status = AVRM_ERR_PEER_PENDING;
    while (status == AVRM_ERR_PEER_PENDING) {
      status = status_of_receive(process.world, &in, AVRM_ANY_TAG);
    }
    AVRM_MUST(status == AVRM_OK && in == (process.rank + 2) % 3);
    AVRM_MUST(status_of_receive(process.world, &in, 9) == AVRM_ERR_PEER_PENDING);
    AVRM_MUST(status_of_receive(process.world, &in, AVRM_ANY_TAG) == AVRM_ERR_PEER_PENDING);
  });
}

TEST_P(Acknowledge, AfterwardsReceivesWaitForTheLiving) {
  run([](Process &process) {
    lose_one(process);
    await_death(process);
    acknowledge_all(process.world, 1);
    int in = -1;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(process.world, &in, sizeof in, AVRM_ANY_SOURCE, 9, &request) == AVRM_OK);
    await_survivors(process);
    bool done = false;
    AVRM_MUST(avrm_test(&request, &done, nullptr) == AVRM_OK && !done);
    await_survivors(process);
    avrm_request_t *sent = nullptr;
    AVRM_MUST(avrm_isend(process.world, &process.rank, sizeof process.rank, process.rank, 9, &sent) == AVRM_OK);
    wait(sent);
    wait(request);
    AVRM_MUST(in == process.rank);
  });
}

TEST_P(Acknowledge, ProbesDoTheSame) {
  run([](Process &process) {
    lose_one(process);
    bool found = true;
    avrm_message_t *message = nullptr;
    AVRM_MUST(avrm_probe(process.world, AVRM_ANY_SOURCE, 9, nullptr) == AVRM_ERR_PEER_PENDING);
    AVRM_MUST(avrm_iprobe(process.world, AVRM_ANY_SOURCE, 9, &found, nullptr) == AVRM_ERR_PEER_PENDING && found);
    AVRM_MUST(avrm_mprobe(process.world, AVRM_ANY_SOURCE, 9, &message, nullptr) == AVRM_ERR_PEER_PENDING);
    AVRM_MUST(avrm_improbe(process.world, AVRM_ANY_SOURCE, 9, &found, &message, nullptr) == AVRM_ERR_PEER_PENDING);
    acknowledge_all(process.world, 1);
    AVRM_MUST(avrm_iprobe(process.world, AVRM_ANY_SOURCE, 9, &found, nullptr) == AVRM_OK && !found);
    AVRM_MUST(avrm_iprobe(process.world, kVictim, 9, &found, nullptr) == AVRM_ERR_PEER);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_isend(process.world, nullptr, 0, process.rank, 9, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_probe(process.world, AVRM_ANY_SOURCE, 9, nullptr) == AVRM_OK);
    Buffer none;
    receive(process, none, process.rank, 9);
  });
}

// A communicator without the dead does not care, nor does acknowledging in one count in another.
TEST_P(Acknowledge, OnlyDeathsOfMembersCount) {
  run([](Process &process) {
    avrm_comm_t *without_victim = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, process.rank == kVictim ? 1 : 0, 0, &without_victim) == AVRM_OK);
    avrm_comm_t *const dup = dup_of(process.world);
    int in = -1;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(without_victim, &in, sizeof in, AVRM_ANY_SOURCE, 9, &request) == AVRM_OK);
    lose_one(process);
    await_death(process);
    acknowledge_all(process.world, 1);
    AVRM_MUST(status_of_receive(dup, &in, 9) == AVRM_ERR_PEER_PENDING);
    bool done = false;
    AVRM_MUST(avrm_test(&request, &done, nullptr) == AVRM_OK && !done);
    avrm_request_t *sent = nullptr;
    AVRM_MUST(avrm_isend(without_victim, &process.rank, sizeof process.rank, process.rank, 9, &sent) == AVRM_OK);
    wait(sent);
    wait(request);
    AVRM_MUST(in == process.rank);
    await_survivors(process);
    release(dup);
    release(without_victim);
  });
}

// Those of the library, on which a creation depends.
TEST_P(Acknowledge, InternalReceivesEndByDeathsOfMembersOnly) {
  run([](Process &process) {
    constexpr int kTag = 3001;
    avrm_comm_t *without_victim = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, process.rank == kVictim ? 1 : 0, 0, &without_victim) == AVRM_OK);
    int in = -1;
    int in_world = -1;
    avrm_request_t *request = nullptr;
    avrm_request_t *in_world_request = nullptr;
    AVRM_MUST(avrm_irecv(without_victim->collective, &in, sizeof in, AVRM_ANY_SOURCE, kTag, &request) == AVRM_OK);
    AVRM_MUST(avrm_irecv(process.world->collective, &in_world, sizeof in_world, AVRM_ANY_SOURCE, kTag,
                         &in_world_request) == AVRM_OK);
    lose_one(process);
    await_death(process);
    AVRM_MUST(avrm_wait(&in_world_request, nullptr) == AVRM_ERR_PEER);
    bool done = false;
    AVRM_MUST(avrm_test(&request, &done, nullptr) == AVRM_OK && !done);
    avrm_request_t *sent = nullptr;
    AVRM_MUST(avrm_isend(without_victim->collective, &process.rank, sizeof process.rank, process.rank, kTag, &sent) ==
              AVRM_OK);
    wait(sent);
    wait(request);
    AVRM_MUST(in == process.rank);
    await_survivors(process);
    release(without_victim);
  });
}

TEST_P(Acknowledge, InternalProbesEndByDeathsOfMembersOnly) {
  run([](Process &process) {
    constexpr int kTag = 3001;
    avrm_comm_t *without_victim = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, process.rank == kVictim ? 1 : 0, 0, &without_victim) == AVRM_OK);
    lose_one(process);
    avrm_comm_t *const plane = without_victim->collective;
    if (process.rank == 0) { // waits before it knows of the death
      avrm_outcome_t outcome{};
      AVRM_MUST(avrm_probe(plane, AVRM_ANY_SOURCE, kTag, &outcome) == AVRM_OK && outcome.source == 1);
      int in = -1;
      avrm_request_t *received = nullptr;
      AVRM_MUST(avrm_irecv(plane, &in, sizeof in, 1, kTag, &received) == AVRM_OK);
      wait(received);
    }
    await_death(process);
    if (process.rank == 1) {
      usleep(100000); // the other also knows
      avrm_request_t *sent = nullptr;
      AVRM_MUST(avrm_isend(plane, &process.rank, sizeof process.rank, 0, kTag, &sent) == AVRM_OK);
      wait(sent);
    }
    await_survivors(process);
    release(without_victim);
  });
}

// Receives wait for the remote group: those of the victim's own group need no acknowledgement.
TEST_P(Acknowledge, DeathsInBothGroupsAreAcknowledged) {
  run([](Process &process) {
    avrm_comm_t *half = nullptr;
    avrm_comm_t *inter = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, process.rank / 2, 0, &half) == AVRM_OK);
    AVRM_MUST(avrm_intercomm_create(half, 0, process.world, process.rank / 2 == 0 ? 2 : 0, 1, &inter) == AVRM_OK);
    lose_one(process);
    await_death(process);
    int in = -1;
    if (process.rank < 2) {
      AVRM_MUST(status_of_receive(inter, &in, 9) == AVRM_ERR_PEER_PENDING);
    }
    if (process.rank < 2) {
      acknowledge_all(inter, 1);
    }
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(inter, &in, sizeof in, AVRM_ANY_SOURCE, 9, &request) == AVRM_OK);
    bool done = false;
    AVRM_MUST(avrm_test(&request, &done, nullptr) == AVRM_OK && !done);
    AVRM_MUST(avrm_cancel(request) == AVRM_OK);
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
    acknowledge_all(inter, 1);
    await_survivors(process);
    release(inter);
    release(half);
  });
}

INSTANTIATE_TEST_SUITE_P(Over, Acknowledge,
                         testing::ValuesIn(transports_of(Suites::kAll, [](const Transport &) { return true; })),
                         kByName);

} // namespace
} // namespace avrankmap::test
