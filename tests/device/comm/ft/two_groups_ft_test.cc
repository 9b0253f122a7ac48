// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Revoking, agreeing and shrinking in intercommunicators, between real processes.
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "avrankmap/device/dynamic.h"
#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/job.h"
#include "tests/device/liveness/kill_at_message.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

// Of processes 0 .. `first` - 1 and the rest. `half` is the own group's.
struct TwoGroups {
  TwoGroups(const Process &process, int first) {
    const bool low = process.rank < first;
    AVRM_MUST(avrm_comm_split(process.world, low ? 0 : 1, 0, &half) == AVRM_OK);
    AVRM_MUST(avrm_intercomm_create(half, 0, process.world, low ? first : 0, 1, &inter) == AVRM_OK);
    for (int rank = 0; rank < process.size; ++rank) {
      ((rank < first) == low ? own : remote).push_back(rank);
    }
  }
  // Before one may die.
  void connect(const Process &process) const {
    check_messages(process.world, process.rank, everyone(process));
    check_messages(inter, process.rank, remote);
    fence(process);
  }
  void lose(const Process &process, int victim) {
    connect(process);
    if (process.rank == victim) {
      kill(getpid(), SIGKILL);
    }
    std::erase(own, victim);
    std::erase(remote, victim);
  }
  void free() const {
    release(inter);
    release(half);
  }

  avrm_comm_t *half = nullptr;
  avrm_comm_t *inter = nullptr;
  Members own;
  Members remote;
};

class TwoGroupsFt : public testing::TestWithParam<Transport> {};

TEST_P(TwoGroupsFt, AgreementIsOfBothGroups) {
  run_job(GetParam(), 5, [](Process &process) {
    const TwoGroups groups(process, 2);
    for (std::uint64_t round = 0; round < 5; ++round) {
      std::uint64_t value = ~(round << 5 | std::uint64_t{1} << process.rank);
      AVRM_MUST(avrm_comm_agree(groups.inter, &value) == AVRM_OK);
      AVRM_MUST(value == ~(round << 5 | 31));
    }
    avrm_comm_t *same = nullptr;
    AVRM_MUST(avrm_comm_shrink(groups.inter, &same) == AVRM_OK && avrm_comm_is_inter(same));
    check_map(avrm_comm_map(same), groups.remote);
    check_messages(same, process.rank, groups.remote);
    release(same);
    groups.free();
  });
}

// A death in one's own group and in the other one; each has to be acknowledged by both.
TEST_P(TwoGroupsFt, ADeathInEitherGroupIsForBoth) {
  for (const int victim : {0, 3}) {
    if (victim != 0 && is_slow(GetParam())) {
      continue;
    }
    run_job(
        GetParam(), 5,
        [=](Process &process) {
          TwoGroups groups(process, 2);
          groups.lose(process, victim);
          std::uint64_t value = ~(std::uint64_t{1} << process.rank);
          AVRM_MUST(avrm_comm_agree(groups.inter, &value) == AVRM_ERR_PEER);
          AVRM_MUST(value == ~(std::uint64_t{31} & ~(std::uint64_t{1} << victim)));
          std::int32_t acked = 0;
          AVRM_MUST(avrm_comm_ack_failed(groups.inter, 9, &acked) == AVRM_OK && acked == 1);
          AVRM_MUST(avrm_comm_agree(groups.inter, &value) == AVRM_OK);
          avrm_comm_t *rest = nullptr;
          AVRM_MUST(avrm_comm_shrink(groups.inter, &rest) == AVRM_OK && avrm_comm_is_inter(rest));
          AVRM_MUST(avrm_comm_size(rest) == static_cast<int>(groups.own.size()));
          check_map(avrm_comm_map(rest), groups.remote);
          check_groups(process, rest, groups.own, &groups.remote);
          check_messages(rest, process.rank, groups.remote);
          avrm_comm_t *merged = nullptr; // by the collective operations of the new one
          AVRM_MUST(avrm_intercomm_merge(rest, process.rank >= 2, &merged) == AVRM_OK);
          check_map(avrm_comm_map(merged), without(process, victim));
          AVRM_MUST(avrm_barrier(merged) == AVRM_OK);
          release(merged);
          release(rest);
          AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
          groups.free();
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

TEST_P(TwoGroupsFt, ShrinkingIsAnErrorOnceNobodyOfAGroupIsLeft) {
  run_job(
      GetParam(), 4,
      [](Process &process) {
        TwoGroups groups(process, 3);
        groups.lose(process, 3);
        avrm_comm_t *rest = nullptr;
        AVRM_MUST(avrm_comm_shrink(groups.inter, &rest) == AVRM_ERR_PEER && rest == nullptr);
        std::uint64_t value = 0;
        AVRM_MUST(avrm_comm_agree(groups.inter, &value) == AVRM_ERR_PEER);
        groups.free();
      },
      3);
}

TEST_P(TwoGroupsFt, RevokingInterruptsBothGroups) {
  run_job(GetParam(), 5, [](Process &process) {
    const TwoGroups groups(process, 2);
    int in = 0;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(groups.inter, &in, sizeof in, AVRM_ANY_SOURCE, 1, &request) == AVRM_OK);
    barrier(process); // otherwise some hear of it while they make the communicator
    if (process.rank == 1) {
      AVRM_MUST(avrm_comm_revoke(groups.inter) == AVRM_OK);
    }
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_REVOKED);
    AVRM_MUST(is_revoked(groups.inter) && !is_revoked(groups.half));
    AVRM_MUST(avrm_isend(groups.inter, &in, sizeof in, 0, 1, &request) == AVRM_ERR_REVOKED);
    AVRM_MUST(avrm_barrier(groups.inter) == AVRM_ERR_REVOKED);
    avrm_comm_t *child = nullptr;
    AVRM_MUST(avrm_comm_dup(groups.inter, &child) == AVRM_ERR_REVOKED);
    AVRM_MUST(avrm_intercomm_merge(groups.inter, 0, &child) == AVRM_ERR_REVOKED);
    AVRM_MUST(avrm_comm_shrink(groups.inter, &child) == AVRM_OK && !is_revoked(child));
    check_messages(child, process.rank, groups.remote);
    release(child);
    groups.free();
    barrier(process);
  });
}

// The other group's leader waits for no process that has returned.
TEST_P(TwoGroupsFt, DisconnectingIsAnErrorOnceAllKnowOfADeath) {
  const Shared<std::atomic<int>> returned;
  run_job(
      GetParam(), 3,
      [&returned](Process &process) {
        TwoGroups groups(process, 1);
        groups.lose(process, 2);
        await_failure(process, groups.inter);
        AVRM_MUST(avrm_comm_disconnect(&groups.inter) == AVRM_ERR_PEER);
        ++*returned;
        while (*returned != 2) {
          avrm_progress(process.device);
        }
        release(groups.half);
      },
      2);
}

TEST_P(TwoGroupsFt, SurvivorsReturnFromADisconnectWhicheverMessageAProcessDiesAt) {
  const int points = is_slow(GetParam()) ? 2 : 12;
  for (int point = 0; point < points; ++point) {
    const int victim = point % 5;
    run_job(
        GetParam(), 5,
        [=](Process &process) {
          TwoGroups groups(process, 2);
          groups.connect(process);
          if (process.rank == victim) {
            KillAtMessage::arm(
                process.device, point, [](void *) {}, nullptr);
          }
          const avrm_status_t status = avrm_comm_disconnect(&groups.inter);
          if (process.rank == victim) {
            kill(getpid(), SIGKILL);
          }
          AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
          std::uint64_t value = 0;
          AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
          release(groups.half);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

// The leader of the group with the victim learns of the death while it waits for the other leader,
// whose group is late. The map of its group is a table, which the leaders exchange next.
TEST_P(TwoGroupsFt, ADeathWhileOneGroupIsLateEndsACreationInBoth) {
  constexpr int kVictim = 3;
  constexpr int kLate = 1;
  run_job(
      GetParam(), 6,
      [](Process &process) {
        check_messages(process.world, process.rank, everyone(process));
        const Members members = process.rank < 2 ? Members{0, 1} : Members{5, 2, 3, 4};
        avrm_group_t *const group = group_of(process, members);
        avrm_comm_t *half = nullptr;
        AVRM_MUST(avrm_comm_create_group(process.world, group, 1, &half) == AVRM_OK);
        avrm_group_destroy(group);
        check_messages(half, process.rank, members);
        fence(process);
        if (process.rank == kVictim) {
          (void)std::signal(SIGALRM, [](int) { kill(getpid(), SIGKILL); });
          (void)ualarm(200000, 0);
        } else if (process.rank == kLate) {
          await_failure(process, process.world);
          usleep(50000); // the others learn of the death
        }
        avrm_comm_t *inter = nullptr;
        AVRM_MUST(avrm_intercomm_create(half, 0, process.world, process.rank < 2 ? 5 : 0, 2, &inter) == AVRM_ERR_PEER);
        std::uint64_t value = 0;
        AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
        release(half);
      },
      kVictim);
}

// Without deaths nothing stays of one that agreed.
TEST_P(TwoGroupsFt, OneThatAgreedIsForgottenOnceAllHaveFreedIt) {
  run_job(GetParam(), 4, [](Process &process) {
    const TwoGroups groups(process, 1);
    const int before = live_contexts(process);
    std::uint64_t value = 1;
    AVRM_MUST(avrm_comm_agree(groups.inter, &value) == AVRM_OK);
    groups.free();
    while (live_contexts(process) != before - 2) {
      avrm_progress(process.device);
    }
    fence(process);
  });
}

INSTANTIATE_TEST_SUITE_P(Over, TwoGroupsFt,
                         testing::ValuesIn(transports_of(Suites::kAll, [](const Transport &) { return true; })),
                         kByName);

} // namespace
} // namespace avrankmap::test
