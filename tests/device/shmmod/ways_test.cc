// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which way of copying large messages is chosen, by times that the test makes up.
#include "posix/ways.h"

#include <gtest/gtest.h>

namespace {

using namespace avrankmap::detail::posix;

constexpr std::uint64_t kBytes = 65536;
constexpr int kCopies = 1 + Ways::kTrials;                       // before the ring is tried
constexpr int kNewRings = static_cast<int>(kRingBytes / kBytes); // in the first round of a ring
constexpr int kRings = kNewRings + Ways::kTrials;

class PosixWays : public testing::Test {
protected:
  // The way of a message that begins nothing.
  Way best(std::uint64_t bytes = kBytes) {
    ways.lost();
    return ways.take(bytes, false, 0).way;
  }
  // The way of a message that begins a trial.
  Way next(std::uint64_t bytes = kBytes) {
    const Ways::Choice choice = ways.take(bytes, true, now);
    EXPECT_TRUE(choice.is_timed);
    return choice.way;
  }

  // A message that is alone takes so long. Returns its way.
  Way pass(std::uint64_t copy_ns, std::uint64_t ring_ns, std::uint64_t bytes = kBytes) {
    const Way way = next(bytes);
    now += way == Way::kCopy ? copy_ns : ring_ns;
    ways.took(bytes, now);
    return way;
  }
  void learn_copies(std::uint64_t ns) {
    for (int i = 0; i < kCopies; ++i) {
      EXPECT_EQ(pass(ns, 0), Way::kCopy);
    }
  }
  // Messages of a machine on which the ways take so long, until both were tried often enough.
  void learn(std::uint64_t copy_ns, std::uint64_t ring_ns) {
    learn_copies(copy_ns);
    for (int i = 0; i < kRings; ++i) {
      EXPECT_EQ(pass(0, ring_ns), Way::kRing);
    }
  }
  // A burst of so many messages, which arrive together.
  void pass_burst(std::uint32_t messages, Way way, std::uint64_t ns) {
    EXPECT_EQ(next(), way);
    for (std::uint32_t follower = 1; follower < messages; ++follower) {
      const Ways::Choice choice = ways.take(kBytes, false, 0);
      EXPECT_EQ(choice.way, way);
      EXPECT_TRUE(choice.is_timed);
    }
    now += ns;
    for (std::uint32_t message = 0; message < messages; ++message) {
      ways.took(kBytes, now);
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

TEST_F(PosixWays, TheFirstCopyDoesNotCount) {
  for (int i = 0; i < kCopies; ++i) { // it would be the third of five that are slow
    pass(i < 3 ? 900000 : 20000, 0);
  }
  for (int i = 0; i < kRings; ++i) {
    pass(0, 30000);
  }
  EXPECT_EQ(best(), Way::kCopy);
}

TEST_F(PosixWays, TheFirstRoundOfTheRingDoesNotCount) {
  learn_copies(20000);
  for (int i = 0; i < kRings; ++i) { // the last of it would be the third of five that are slow
    pass(0, i < kNewRings + 2 ? 900000 : 15000);
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, ALargeMessageIsAFirstRoundByItself) {
  constexpr std::uint64_t kLarge = 4 * kRingBytes;
  for (int i = 0; i < kCopies; ++i) {
    pass(900000, 0, kLarge);
  }
  for (int i = 0; i < 1 + Ways::kTrials; ++i) {
    EXPECT_EQ(best(kLarge), Way::kCopy);
    pass(0, 500000, kLarge);
  }
  EXPECT_EQ(best(kLarge), Way::kRing);
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
  learn(20000, 8000);
  EXPECT_EQ(best(40000), Way::kRing);
  EXPECT_EQ(best(65537), Way::kCopy);
  EXPECT_EQ(next(std::uint64_t{1} << 40), Way::kCopy);
}

TEST_F(PosixWays, MessagesThatFollowATrialOfTheRingTakeTheRing) {
  learn_copies(20000);
  EXPECT_EQ(next(), Way::kRing);
  EXPECT_EQ(ways.take(262144, false, 0).way, Way::kRing); // by itself a copy
}

TEST_F(PosixWays, ABurstCountsByItsRate) {
  learn_copies(20000);
  for (int i = 0; i < 1 + Ways::kTrials; ++i) { // each message in half the time of a copy
    pass_burst(16, Way::kRing, 160000);
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, ABurstOfSlowMessagesCountsByItsRateToo) {
  learn_copies(20000);
  for (int i = 0; i < 1 + Ways::kTrials; ++i) {
    pass_burst(16, Way::kRing, 640000);
  }
  EXPECT_EQ(best(), Way::kCopy);
}

TEST_F(PosixWays, NoMoreThanSoManyMessagesAreOfATrial) {
  learn_copies(20000);
  EXPECT_EQ(next(), Way::kRing);
  for (std::uint32_t follower = 1; follower < Ways::kMessages; ++follower) {
    EXPECT_TRUE(ways.take(kBytes, false, 0).is_timed);
  }
  const Ways::Choice beyond = ways.take(kBytes, false, 0);
  EXPECT_EQ(beyond.way, Way::kCopy);
  EXPECT_FALSE(beyond.is_timed);
}

TEST_F(PosixWays, ACopyBesideTheRingEndsTheTiming) {
  learn(20000, 8000);
  for (int i = 0; i < 2 * Ways::kMaxWaits; ++i) { // else the senders would have let wait too often
    EXPECT_EQ(next(), Way::kRing);
    EXPECT_EQ(ways.take(262144, false, 0).way, Way::kCopy);
    now += 1000000;
    ways.took(kBytes, now);
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, ATrialOfALostMessageDoesNotCount) {
  for (int i = 0; i < 2 * kCopies; ++i) {
    EXPECT_EQ(next(), Way::kCopy);
    ways.lost();
    now += 1000000;
    ways.took(kBytes, now); // of another message of that trial
  }
  learn(20000, 8000);
}

TEST_F(PosixWays, SendersThatLetWaitNowAndThenKeepTheRing) {
  learn(20000, 8000);
  for (int i = 0; i < 2 * Ways::kMaxWaits; ++i) {
    pass(0, i % 2 == 0 ? 1000000 : 8000);
  }
  EXPECT_EQ(best(), Way::kRing);
}

TEST_F(PosixWays, SendersThatLetWaitInARowEndTheUseOfTheRing) {
  learn(20000, 8000);
  for (int i = 0; i < Ways::kMaxWaits; ++i) {
    EXPECT_EQ(best(), Way::kRing);
    pass(0, 1000000);
  }
  EXPECT_EQ(best(), Way::kCopy);
  EXPECT_EQ(next(), Way::kCopy);
}

TEST_F(PosixWays, AFixedWayStays) {
  ways.fix(Way::kRing);
  for (int i = 0; i < 2 * Ways::kMaxWaits; ++i) {
    EXPECT_EQ(pass(0, 1000000), Way::kRing);
  }
  EXPECT_EQ(best(), Way::kRing);
}

} // namespace
