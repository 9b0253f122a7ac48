// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator's first agreement, or its revocation, while another thread sends with it.
#include <atomic>
#include <thread>

#include "avrankmap/device/fastpath_inl.h"
#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

constexpr int kRounds = 20;

// Sends to this process and receives.
avrm_status_t send_to_self(const Process &process, avrm_comm_t *comm) {
  avrm_request_t *received = nullptr;
  avrm_request_t *sent = nullptr;
  avrm_status_t status = avrm_irecv(comm, nullptr, 0, process.rank, 1, &received);
  if (status != AVRM_OK) {
    return status;
  }
  status = avrm_isend(comm, nullptr, 0, process.rank, 1, &sent);
  if (status == AVRM_OK) {
    wait(sent);
  }
  const avrm_status_t end = avrm_wait(&received, nullptr);
  return status != AVRM_OK ? status : end;
}

TEST(FtThreads, AnAgreementBeginsWhileAnotherThreadSends) {
  run_job(
      transport_named("posix"), 2,
      [](Process &process) {
        for (int round = 0; round < kRounds; ++round) {
          avrm_comm_t *const comm = dup_of(process.world);
          std::atomic<bool> over{false};
          std::thread sender([&] {
            while (!over) {
              AVRM_MUST(send_to_self(process, comm) == AVRM_OK);
            }
          });
          std::uint64_t value = 1;
          AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK && value == 1);
          over = true;
          sender.join();
          release(comm);
        }
      },
      -1, true);
}

TEST(FtThreads, ARevocationEndsTheMessagesOfAnotherThread) {
  run_job(
      transport_named("posix"), 2,
      [](Process &process) {
        for (int round = 0; round < kRounds; ++round) {
          avrm_comm_t *const comm = dup_of(process.world);
          std::thread sender([&] {
            avrm_status_t status = AVRM_OK;
            while (status == AVRM_OK) {
              status = send_to_self(process, comm);
            }
            AVRM_MUST(status == AVRM_ERR_REVOKED);
          });
          AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
          sender.join();
          release(comm);
        }
      },
      -1, true);
}

// Sends to this process and receives, by the fast path.
avrm_status_t send_fast_to_self(const Process &process, avrm_fp_comm_t *comm) {
  const int out = 1;
  int in = 0;
  avrm_request_t *received = nullptr;
  avrm_request_t *sent = nullptr;
  avrm_status_t status = avrm_fp_irecv(&in, 1, AVRM_INT, process.rank, 1, comm, &received);
  if (status != AVRM_OK) {
    return status;
  }
  status = avrm_fp_isend_default(&out, 1, AVRM_INT, process.rank, 1, comm, &sent);
  if (status == AVRM_OK) {
    wait(sent);
  }
  const avrm_status_t end = avrm_wait(&received, nullptr);
  return status != AVRM_OK ? status : end;
}

class FtThreadsOver : public testing::TestWithParam<Transport> {};
INSTANTIATE_TEST_SUITE_P(Transports, FtThreadsOver,
                         testing::ValuesIn(transports_of(Suites::kAll,
                                                         [](const Transport &transport) {
                                                           return !is_ucx(transport) && has_one(transport);
                                                         })),
                         kByName);

TEST_P(FtThreadsOver, ARevocationEndsTheMessagesOfTheFastPath) {
  run_job(
      GetParam(), 2,
      [](Process &process) {
        avrm_fp_t *fp = nullptr;
        AVRM_MUST(avrm_fp_open(process.device, 2, &fp) == AVRM_OK);
        for (int round = 0; round < kRounds; ++round) {
          avrm_comm_t *const comm = dup_of(process.world);
          avrm_fp_comm_t *fast = nullptr;
          AVRM_MUST(avrm_fp_comm_create(fp, comm, &fast) == AVRM_OK);
          std::thread sender([&] {
            avrm_status_t status = AVRM_OK;
            while (status == AVRM_OK) {
              status = send_fast_to_self(process, fast);
            }
            AVRM_MUST(status == AVRM_ERR_REVOKED);
          });
          AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
          sender.join();
          AVRM_MUST(avrm_fp_comm_free(fast) == AVRM_OK);
          release(comm);
        }
        AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
      },
      -1, true);
}

} // namespace
} // namespace avrankmap::test
