// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads take messages out of one communicator.
#include <atomic>
#include <thread>

#include "avrankmap/probe.h"
#include "tests/device/bodies.h"
#include "tests/device/job.h"

namespace avrankmap::test {
namespace {

constexpr int kThreads = 3;
constexpr int kEach = 60; // messages for each thread, on average

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
        std::atomic<int> taken{0};
        std::vector<std::atomic<int>> times(kThreads * kEach);
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
          threads.emplace_back([&] {
            while (taken.load() < kThreads * kEach) {
              avrm_message_t *message = nullptr;
              avrm_outcome_t outcome{};
              bool found = false;
              AVRM_MUST(avrm_improbe(process.world, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &found, &message, &outcome) ==
                        AVRM_OK);
              if (!found) {
                std::this_thread::yield();
                continue;
              }
              taken.fetch_add(1);
              times[static_cast<std::size_t>(outcome.tag)].fetch_add(1);
              Buffer received(outcome.bytes);
              avrm_request_t *request = nullptr;
              AVRM_MUST(avrm_imrecv(&message, received.data(), received.size(), &request) == AVRM_OK);
              wait(request);
              AVRM_MUST(received == content(1, 0, outcome.tag, received.size()));
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
