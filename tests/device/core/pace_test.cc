// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which calls of progress look at the network, by a clock that the test sets: 1 us is 1000 ticks.
#include "core/progress/pace.h"

#include <gtest/gtest.h>

namespace avrankmap::test {
namespace {

std::uint64_t now = 0;
std::uint64_t clock_of_test() noexcept { return now; }

class Pace : public testing::Test {
protected:
  Pace() {
    now = 1'000'000;
    pace.start(1000);
  }

  // A call of progress. Returns whether it looked at the network; a look takes so long and finds so
  // many events.
  bool look(int shm_events, std::uint64_t duration = 500, int net_events = 0) {
    if (pace.leaves_out(shm_events)) {
      return false;
    }
    now += duration;
    pace.looked(net_events);
    return true;
  }
  // Looks again and again, each time later. Returns after how long the network was looked at.
  std::uint64_t pause(int shm_events) {
    const std::uint64_t start = now;
    while (!look(shm_events, 0)) {
      now += 10;
    }
    return now - start;
  }

  detail::PaceBy<clock_of_test> pace;
};

TEST_F(Pace, EveryCallLooksWithoutMessagesInTheNode) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(look(0));
  }
}

TEST_F(Pace, EveryCallLooksBeforeTheStart) {
  pace = {};
  EXPECT_TRUE(look(1));
  EXPECT_TRUE(look(1));
}

TEST_F(Pace, APauseIsEightTimesTheLook) {
  EXPECT_TRUE(look(1, 100));
  EXPECT_EQ(pause(1), 800U);
}

TEST_F(Pace, APauseIsFourMicrosecondsAtMost) {
  EXPECT_TRUE(look(1, 1000));
  EXPECT_EQ(pause(1), 4000U);
}

TEST_F(Pace, EveryCallLooksOnceMessagesInTheNodeAreLongAgo) {
  EXPECT_TRUE(look(1));
  EXPECT_FALSE(look(0));
  now += 20'001;
  EXPECT_TRUE(look(0));
  EXPECT_TRUE(look(0));
}

TEST_F(Pace, EveryCallLooksWhileTheNetworkIsBusy) {
  EXPECT_TRUE(look(1, 500, 1));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(look(1));
  }
  now += 20'000;
  EXPECT_TRUE(look(1));
  EXPECT_FALSE(look(1));
}

TEST_F(Pace, ACallThatWaitsForTheNetworkLooks) {
  EXPECT_TRUE(look(1));
  EXPECT_FALSE(look(0));
  pace.hurry();
  EXPECT_TRUE(look(0));
}

TEST_F(Pace, AClockThatJumpsDelaysNoLook) {
  EXPECT_TRUE(look(1));
  now -= 900'000;
  EXPECT_TRUE(look(1));
  EXPECT_FALSE(look(1));
  now += 900'000;
  EXPECT_TRUE(look(1));
}

} // namespace
} // namespace avrankmap::test
