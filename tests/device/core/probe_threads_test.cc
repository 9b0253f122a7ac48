// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads take messages out of one communicator.
#include <atomic>
#include <cstring>
#include <thread>

#include "avrankmap/device/probe.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

constexpr int kThreads = 3;
constexpr int kEach = 60;                // messages for each thread
constexpr int kNever = kThreads * kEach; // a tag that nobody sends

// By a probe that blocks, or by some that do not.
avrm_message_t *take(const Process &process, bool blocks, avrm_outcome_t *outcome_p) {
  avrm_message_t *message = nullptr;
  if (blocks) {
    AVRM_MUST(avrm_mprobe(process.world, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &message, outcome_p) == AVRM_OK);
    return message;
  }
  for (bool found = false; !found;) {
    AVRM_MUST(avrm_improbe(process.world, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &found, &message, outcome_p) == AVRM_OK);
    std::this_thread::yield();
  }
  return message;
}

// In one piece, or as two halves that lie apart.
void receive_and_check(avrm_message_t *message, const avrm_outcome_t &outcome, bool in_halves) {
  const Buffer expected = content(1, 0, outcome.tag, outcome.bytes);
  const std::size_t half = expected.size() / 2;
  const avrm_layout_t halves{half, 2, half + 8};
  Buffer received(expected.size() + 8);
  avrm_request_t *request = nullptr;
  AVRM_MUST((in_halves ? avrm_imrecv_strided(&message, received.data(), &halves, &request)
                       : avrm_imrecv(&message, received.data(), expected.size(), &request)) == AVRM_OK);
  wait(request);
  AVRM_MUST(std::memcmp(received.data(), expected.data(), half) == 0);
  AVRM_MUST(std::memcmp(&received[in_halves ? half + 8 : half], &expected[half], half) == 0);
}

// A receive that no message matches.
void post_and_cancel(const Process &process) {
  unsigned char byte = 0;
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_irecv(process.world, &byte, 1, 1, kNever, &request) == AVRM_OK);
  AVRM_MUST(avrm_cancel(request) == AVRM_OK);
  AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
}

class ProbingThreads : public testing::TestWithParam<Transport> {};

TEST_P(ProbingThreads, TakeEachMessageOnce) {
  run_job(
      GetParam(), 2,
      [](Process &process) {
        if (process.rank == 1) {
          for (int i = 0; i < kThreads * kEach; ++i) {
            send(process, content(1, 0, i, i % 9 == 0 ? 30000 : 16), 0, i);
          }
          Buffer none;
          receive(process, none, 0, 0);
          return;
        }
        std::vector<std::atomic<int>> times(kThreads * kEach);
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
          threads.emplace_back([&] {
            for (int i = 0; i < kEach; ++i) {
              avrm_outcome_t outcome{};
              avrm_message_t *const message = take(process, i % 2 != 0, &outcome);
              times[static_cast<std::size_t>(outcome.tag)].fetch_add(1);
              if (i % 5 == 0) {
                post_and_cancel(process);
              }
              receive_and_check(message, outcome, i % 3 == 0);
            }
          });
        }
        for (std::thread &thread : threads) {
          thread.join();
        }
        for (const std::atomic<int> &each : times) {
          AVRM_MUST(each.load() == 1);
        }
        send(process, {}, 1, 0);
      },
      -1, true);
}

INSTANTIATE_TEST_SUITE_P(Every, ProbingThreads, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

} // namespace
} // namespace avrankmap::test
