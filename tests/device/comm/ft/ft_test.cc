// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Agreements of survivors, and communicators without the dead, between real processes.
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/job.h"
#include "tests/device/liveness/kill_at_message.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

// Survivors make a communicator of their own, which works, and part.
void shrink_and_part(const Process &process, int victim) {
  avrm_comm_t *comm = nullptr;
  AVRM_MUST(avrm_comm_shrink(process.world, &comm) == AVRM_OK);
  check(process, comm, without(process, victim));
  AVRM_MUST(avrm_barrier(comm) == AVRM_OK);
  release(comm);
}

class Ft : public testing::TestWithParam<Transport> {};

TEST_P(Ft, WithoutFailuresAgreementIsTheBitwiseAnd) {
  run_job(GetParam(), 5, [](Process &process) {
    for (std::uint64_t round = 0; round < 20; ++round) {
      std::uint64_t value = ~(round << 5 | std::uint64_t{1} << process.rank);
      AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_OK);
      AVRM_MUST(value == ~(round << 5 | 31));
    }
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_shrink(process.world, &comm) == AVRM_OK);
    check(process, comm, everyone(process));
    std::uint64_t value = 5;
    AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK && value == 5);
    release(comm);
  });
}

TEST_P(Ft, OneOperationAtATimePerCommunicator) {
  run_job(GetParam(), 3, [](Process &process) {
    std::uint64_t value = 6;
    std::uint64_t other = 3;
    avrm_request_t *first = nullptr;
    avrm_request_t *second = nullptr;
    AVRM_MUST(avrm_comm_iagree(process.world, &value, &first) == AVRM_OK);
    const avrm_status_t status = avrm_comm_iagree(process.world, &other, &second);
    AVRM_MUST(status == AVRM_ERR_BUSY && second == nullptr);
    wait(first);
    AVRM_MUST(value == 6 && other == 3);
  });
}

// Until all have acknowledged the death, agreement reports it; the value counts all the same.
TEST_P(Ft, AnUnacknowledgedDeathIsReportedToAll) {
  for (const int victim : {0, 3}) {
    if (victim != 0 && is_slow(GetParam())) {
      continue;
    }
    run_job(
        GetParam(), 5,
        [&](Process &process) {
          prepare_for_death(process, GetParam());
          if (process.rank == victim) {
            kill(getpid(), SIGKILL);
          }
          std::uint64_t value = ~(std::uint64_t{1} << process.rank);
          AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
          AVRM_MUST(value == ~(std::uint64_t{31} & ~(std::uint64_t{1} << victim)));
          std::int32_t acked = -1;
          AVRM_MUST(avrm_comm_ack_failed(process.world, 0, &acked) == AVRM_OK && acked == 0);
          const bool late = process.rank == 4;
          AVRM_MUST(late || (avrm_comm_ack_failed(process.world, 5, &acked) == AVRM_OK && acked == 1));
          AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
          AVRM_MUST(!late || (avrm_comm_ack_failed(process.world, 5, &acked) == AVRM_OK && acked == 1));
          AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_OK);
          shrink_and_part(process, victim);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

// The victim begins to agree, and to shrink, and dies after some calls of progress.
TEST_P(Ft, SurvivorsAgreeAndShrinkWheneverAProcessDies) {
  const int points = is_long() ? 200 : 10;
  for (int point = 0; point < points; point += is_slow(GetParam()) ? 6 : 1) {
    const int victim = point % 3 == 0 ? 0 : point % 5;
    run_job(
        GetParam(), 5,
        [=](Process &process) {
          prepare_for_death(process, GetParam());
          if (process.rank == victim) {
            avrm_request_t *request = nullptr;
            avrm_comm_t *comm = nullptr;
            for (int left = point * point / 2; left != 0; --left) {
              if (request == nullptr) {
                AVRM_MUST(avrm_comm_ishrink(process.world, &comm, &request) == AVRM_OK);
              }
              bool done = false;
              AVRM_MUST(avrm_test(&request, &done, nullptr) == AVRM_OK);
            }
            kill(getpid(), SIGKILL);
          }
          avrm_comm_t *comm = nullptr;
          std::int32_t size = 5;
          while (size == 5) { // until the death has come
            AVRM_MUST(avrm_comm_shrink(process.world, &comm) == AVRM_OK);
            size = avrm_comm_size(comm);
            std::uint64_t all = std::uint64_t{1} << size;
            (void)avrm_comm_agree(comm, &all);
            AVRM_MUST(all == std::uint64_t{1} << size);
            if (size == 5) {
              release(comm);
            }
          }
          check(process, comm, without(process, victim));
          AVRM_MUST(avrm_barrier(comm) == AVRM_OK);
          release(comm);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

// Without deaths nothing stays of a communicator that agreed: neither its memory nor its context
// id.
TEST_P(Ft, ACommunicatorThatAgreedIsForgottenOnceAllHaveFreedIt) {
  run_job(GetParam(), 5, [](Process &process) {
    std::uint64_t before = 0;
    for (int round = 0; round < 6; ++round) {
      avrm_comm_t *const comm = dup_of(process.world);
      const std::uint64_t without_survivors = comm_bytes(process);
      before = round == 0 ? without_survivors : before;
      AVRM_MUST(without_survivors <= before + 64);
      std::uint64_t value = 1;
      AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK);
      AVRM_MUST(comm_bytes(process) > without_survivors + 2000);
      if (process.rank == round % 5) { // the others wait for the last one
        fence(process);
        AVRM_MUST(live_contexts(process) == 1);
        release(comm);
      } else {
        release(comm);
        AVRM_MUST(live_contexts(process) == 1); // of what others may ask about
        fence(process);
      }
      while (live_contexts(process) != 0) {
        avrm_progress(process.device);
      }
      AVRM_MUST(comm_bytes(process) < without_survivors);
      fence(process);
    }
  });
}

// A member dies after some have freed it: the others forget it all the same, but for the context
// id.
TEST_P(Ft, ADeathWhileMembersPartIsNoReasonToWait) {
  constexpr int kVictim = 2;
  run_job(
      GetParam(), 5,
      [](Process &process) {
        check_messages(process.world, process.rank, everyone(process));
        avrm_comm_t *const comm = dup_of(process.world);
        std::uint64_t value = 1;
        AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK);
        const std::uint64_t bytes = comm_bytes(process);
        if (process.rank < kVictim) {
          release(comm);
        }
        fence(process);
        if (process.rank == kVictim) {
          kill(getpid(), SIGKILL);
        }
        if (process.rank > kVictim) {
          release(comm);
        }
        while (comm_bytes(process) + 2000 > bytes) {
          avrm_progress(process.device);
        }
        AVRM_MUST(live_contexts(process) <= 1);
        AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
      },
      kVictim);
}

INSTANTIATE_TEST_SUITE_P(Over, Ft,
                         testing::ValuesIn(transports_of(Suites::kAll, [](const Transport &) { return true; })),
                         kByName);

// Member 2 dies when it has heard that all have freed the communicator, and before it tells member
// 3. Members 0 and 1 have forgotten it by then: their answers say that they are gone.
TEST(FtOverPosix, OneThatDidNotHearThatAllPartedHearsThatTheOthersAreGone) {
  constexpr int kVictim = 2;
  const Shared<std::atomic<int>> forgotten;
  run_job(
      transport_named("posix"), 4,
      [&](Process &process) {
        check_messages(process.world, process.rank, everyone(process));
        avrm_comm_t *const comm = dup_of(process.world);
        std::uint64_t value = 1;
        AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK);
        const std::uint64_t bytes = comm_bytes(process);
        const auto await_the_end = [&] {
          while (comm_bytes(process) + 2000 > bytes) {
            avrm_progress(process.device);
          }
        };
        fence(process);
        if (process.rank == kVictim) { // after its vote
          KillAtMessage::arm(
              process.device, 2, [](void *) {}, nullptr);
        }
        release(comm);
        if (process.rank == 3) {
          while (*forgotten != 2) {
            sched_yield(); // without progress, since it would hear of the death
          }
        }
        await_the_end();
        ++*forgotten;
        AVRM_MUST(live_contexts(process) <= 1);
        AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
      },
      kVictim);
}

} // namespace
} // namespace avrankmap::test
