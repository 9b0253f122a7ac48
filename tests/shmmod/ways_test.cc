// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which way of copying large messages is chosen, by times that the test makes up.
#include "posix/ways.h"

#include <gtest/gtest.h>

namespace {

using namespace avrankmap::detail::posix;

constexpr std::uint64_t kBytes = 65536;
constexpr int kCopies = Ways::kWarmUps[0] + Ways::kTrials; // before the ring is tried
constexpr int kRings = Ways::kWarmUps[1] + Ways::kTrials;

class PosixWays : public testing::Test {
protected:
  // The way of a message that begins nothing.
  Way best(std::uint64_t bytes = kBytes) {
    ways.stop_timing();
    return ways.take(bytes, false, 0);
  }
  // The way of a message that may begin a trial.
  Way next(std::uint64_t bytes = kBytes) { return ways.take(bytes, true, now); }

  // A message that is alone takes so long. Returns its way.
  Way pass(std::uint64_t copy_ns, std::uint64_t ring_ns, std::uint64_t bytes = kBytes) {
    const Way way = next(bytes);
    EXPECT_TRUE(ways.is_timing());
    now += way == Way::kCopy ? copy_ns : ring_ns;
    ways.took(bytes, true, now);
    return way;
  }
  // Messages of a machine on which the ways take so long, until both were tried often enough.
  void learn(std::uint64_t copy_ns, std::uint64_t ring_ns, std::uint64_t bytes = kBytes) {
    for (int i = 0; i < kCopies + kRings; ++i) {
      EXPECT_EQ(pass(copy_ns, ring_ns, bytes), i < kCopies ? Way::kCopy : Way::kRing);
    }
  }
  void learn_copies(std::uint64_t ns) {
    for (int i = 0; i < kCopies; ++i) {
      pass(ns, 0);
    }
  }

  Ways ways;
  std::uint64_t now = 0;
};

TEST_F(PosixWays, TheSystemCopiesBeforeAnythingIsKnown) {
  EXPECT_EQ(best(), Way::kCopy);
  EXPECT_EQ(next(), Way::kCopy);
}

TEST_F(PosixWays, TheRingIsChosenWhereItIsFaster) {
  learn(20000, 8000);
  EXPECT_EQ(next(), Way::kRing);
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, TheCopyIsChosenWhereItIsFaster) {
  learn(20000, 30000);
  EXPECT_EQ(next(), Way::kCopy);
  EXPECT_EQ(best(), Way::kCopy);
}

TEST_F(PosixWays, TheFirstMessagesOfEachWayDoNotCount) {
  pass(900000, 0);
  for (int i = 1; i < kCopies; ++i) {
    pass(20000, 0);
  }
  for (int i = 0; i < kRings; ++i) {
    pass(0, i < Ways::kWarmUps[1] ? 900000 : 15000);
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, TwoOfFiveTrialsMayBeDisturbed) {
  learn_copies(20000);
  for (int i = 0; i < kRings; ++i) {
    pass(0, i % Ways::kTrials < 2 ? 900000 : 15000);
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, TheRingIsNotBestBeforeItsLastTrial) {
  learn_copies(20000);
  for (int i = 0; i < kRings; ++i) {
    EXPECT_EQ(best(), Way::kCopy);
    EXPECT_EQ(pass(0, 15000), Way::kRing);
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, EachClassOfSizesHasItsOwn) {
  learn(20000, 8000, 65536);
  learn(60000, 90000, 262144);
  EXPECT_EQ(best(40000), Way::kRing);
  EXPECT_EQ(best(65537), Way::kCopy);
  EXPECT_EQ(next(std::uint64_t{1} << 40), Way::kCopy);
}

TEST_F(PosixWays, MessagesThatFollowATrialOfTheRingTakeTheRing) {
  learn_copies(20000);
  EXPECT_EQ(next(), Way::kRing);
  EXPECT_EQ(ways.take(262144, false, 0), Way::kRing); // by itself a copy
  EXPECT_TRUE(ways.is_timing());
}

TEST_F(PosixWays, ABurstCountsByItsRate) {
  learn_copies(20000);
  for (int i = 0; i < kRings; ++i) { // 16 messages arrive together, each in half the time of a copy
    EXPECT_EQ(next(), Way::kRing);
    for (int follower = 1; follower < 16; ++follower) {
      EXPECT_EQ(ways.take(kBytes, false, 0), Way::kRing);
    }
    now += 160000;
    for (int message = 1; message <= 16; ++message) {
      ways.took(kBytes, message == 16, now);
    }
    EXPECT_FALSE(ways.is_timing());
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, ATrialEndsAfterSoManyMessagesThoughOthersAreUnderWay) {
  EXPECT_EQ(next(), Way::kCopy);
  for (std::uint32_t message = 1; message < Ways::kMessages; ++message) {
    ways.took(kBytes, false, now);
    EXPECT_TRUE(ways.is_timing());
  }
  ways.took(kBytes, false, now);
  EXPECT_FALSE(ways.is_timing());
}

TEST_F(PosixWays, ACopyBesideTheRingEndsTheTiming) {
  learn(20000, 8000, 65536);
  EXPECT_EQ(next(65536), Way::kRing);
  EXPECT_EQ(ways.take(262144, false, 0), Way::kCopy);
  EXPECT_FALSE(ways.is_timing());
}

TEST_F(PosixWays, ATrialThatIsStoppedDoesNotCount) {
  for (int i = 0; i < 2 * kCopies; ++i) {
    EXPECT_EQ(next(), Way::kCopy);
    ways.stop_timing();
  }
  learn(20000, 8000);
}

TEST_F(PosixWays, SendersThatLetWaitNowAndThenKeepTheRing) {
  learn(20000, 8000);
  for (int i = 0; i < 2 * Ways::kPatience; ++i) {
    pass(0, i % 2 == 0 ? 1000000 : 8000);
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, SendersThatLetWaitInARowEndTheUseOfTheRing) {
  learn(20000, 8000);
  for (int i = 0; i < Ways::kPatience; ++i) {
    EXPECT_EQ(best(), Way::kRing);
    pass(0, 1000000);
  }
  EXPECT_EQ(best(), Way::kCopy);
  EXPECT_EQ(next(), Way::kCopy);
}

TEST_F(PosixWays, AFixedWayStays) {
  ways.fix(Way::kRing);
  for (int i = 0; i < 2 * Ways::kPatience; ++i) {
    EXPECT_EQ(pass(0, 1000000), Way::kRing);
  }
  EXPECT_EQ(best(), Way::kRing);
}

} // namespace
