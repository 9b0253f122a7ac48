// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A message costs about as many instructions if many others wait for other processes.
#if AVRM_WITH_COUNTERS
#include <gtest/gtest.h>

#include <vector>

#include "bench/counters/single_step.h"
#include "tests/device/shmmod/local_job.h"
#include "tests/support/counted.h"

namespace {

using namespace avrankmap::test;

void offer(Member &sender, Member &receiver, Request *request) {
  while (sender.ops->send_sync(sender.shm, receiver.rank, 1, nullptr, 0, request) == AVRM_ERR_AGAIN) {
    receiver.ops->progress(receiver.shm);
  }
}

// A message that is received at once.
void send_one(Member &sender, Member &receiver) {
  Request request;
  offer(sender, receiver, &request);
  while (request.completions == 0) {
    receiver.ops->progress(receiver.shm);
    sender.ops->progress(sender.shm);
  }
}

} // namespace

extern "C" {
// What is counted.
[[gnu::noinline, gnu::used]] void avrm_test_message(Member *sender, Member *receiver) { send_one(*sender, *receiver); }
}

namespace {

TEST(ManyOffers, DoNotDelayMessagesToOthers) {
  const avrankmap::counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  std::vector<double> counts;
  for (const std::size_t offers : {1, 1000}) {
    const auto run = [&] {
      // Three processes in one.
      const Shared<Board> board;
      Member sender{0, 3, &*board};
      Member busy{1, 3, &*board};
      Member other{2, 3, &*board};
      ASSERT_EQ(sender.connect(1), AVRM_OK);
      ASSERT_EQ(sender.connect(2), AVRM_OK);
      busy.take_at_once = false;
      std::vector<Request> requests(offers);
      for (Request &request : requests) {
        offer(sender, busy, &request);
      }
      send_one(sender, other); // the first one takes longer
      avrm_test_message(&sender, &other);
      sender.close(); // while the requests exist
    };
    const auto counted = avrankmap::counters::count_call(avrm_test_message, run, options);
    AVRM_ASSERT_COUNTED(counted);
    counts.push_back(static_cast<double>(counted->instructions));
  }
  EXPECT_LT(counts[1], 1.5 * counts[0]);
}

// A process that sent messages and then makes no progress, so that the ring to it is full of
// answers, and others wait.
TEST(ManyOffers, OfAStoppedProcessDoNotDelayMessagesOfOthers) {
  const avrankmap::counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  std::vector<double> counts;
  for (const std::size_t offers : {1, 1500}) {
    const auto run = [&] {
      const Shared<Board> board;
      Member receiver{0, 3, &*board};
      Member stopped{1, 3, &*board};
      Member other{2, 3, &*board};
      ASSERT_EQ(stopped.connect(0), AVRM_OK);
      ASSERT_EQ(other.connect(0), AVRM_OK);
      std::vector<Request> requests(offers);
      for (Request &request : requests) {
        offer(stopped, receiver, &request);
      }
      receiver.until([&] { return receiver.arrived.size() == offers; });
      send_one(other, receiver); // the first one takes longer
      avrm_test_message(&other, &receiver);
      receiver.close();
      stopped.close(); // while the requests exist
    };
    const auto counted = avrankmap::counters::count_call(avrm_test_message, run, options);
    AVRM_ASSERT_COUNTED(counted);
    counts.push_back(static_cast<double>(counted->instructions));
  }
  EXPECT_LT(counts[1], 3 * counts[0]);
}

TEST(ManyOffers, AreCancelledOnClosing) {
  const Shared<Board> board;
  Member sender{0, 3, &*board};
  Member busy{1, 3, &*board};
  ASSERT_EQ(sender.connect(1), AVRM_OK);
  busy.take_at_once = false;
  std::vector<Request> requests(10000);
  for (Request &request : requests) {
    offer(sender, busy, &request);
  }
  sender.close();
  for (const Request &request : requests) {
    ASSERT_EQ(request.status, AVRM_ERR_CANCELLED);
    ASSERT_EQ(request.completions, 1);
  }
}

} // namespace
#endif
