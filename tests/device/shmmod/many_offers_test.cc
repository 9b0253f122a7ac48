// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What messages cost while others wait for a receiver.
#include <gtest/gtest.h>

#include <time.h>

#include <vector>

#include "tests/device/shmmod/local_job.h"

namespace {

using namespace avrankmap::test;

std::int64_t processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

// Three processes in one, so that time is that of the messages only.
class ManyOffers : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(sender_.connect(1), AVRM_OK);
    ASSERT_EQ(sender_.connect(2), AVRM_OK);
    busy_.take_at_once = false;
  }
  void offer(Request &request, int receiver) {
    while (sender_.ops->send_sync(sender_.shm, receiver, 1, nullptr, 0, &request) == AVRM_ERR_AGAIN) {
      busy_.ops->progress(busy_.shm);
    }
  }
  // Processor time of many messages that are received at once.
  std::int64_t time_of_others() {
    const std::int64_t start = processor_time();
    for (int i = 0; i < 2000; ++i) {
      Request request;
      offer(request, 2);
      while (request.completions == 0) {
        other_.ops->progress(other_.shm);
        sender_.ops->progress(sender_.shm);
      }
      other_.arrived.clear();
    }
    return processor_time() - start;
  }

  static constexpr std::size_t kOffers = 10000;
  std::vector<Request> requests_{kOffers};
  Shared<Board> board_;
  Member sender_{0, 3, &*board_};
  Member busy_{1, 3, &*board_};
  Member other_{2, 3, &*board_};
};

TEST_F(ManyOffers, DoNotDelayMessagesToOthers) {
  const std::int64_t alone = std::min(time_of_others(), time_of_others());
  for (Request &request : requests_) {
    offer(request, 1);
  }
  EXPECT_LT(std::min(time_of_others(), time_of_others()), 4 * alone);
  sender_.close();
  for (const Request &request : requests_) {
    ASSERT_EQ(request.status, AVRM_ERR_CANCELLED);
    ASSERT_EQ(request.completions, 1);
  }
}

} // namespace
