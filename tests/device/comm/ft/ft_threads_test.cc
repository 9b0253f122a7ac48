// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator's first agreement, or its revocation, while another thread sends with it.
#include <atomic>
#include <thread>

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

} // namespace
} // namespace avrankmap::test
