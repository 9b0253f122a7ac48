// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which method of copying large messages is chosen, by times that the test makes up.
#include "posix/copy_method.h"

#include <gtest/gtest.h>

namespace {

using namespace avrankmap::detail::posix;

constexpr std::uint64_t kBytes = 65536;
constexpr int kCopies = 1 + CopyMethodChoice::kTrials;           // before the ring is tried
constexpr int kNewRings = static_cast<int>(kRingBytes / kBytes); // in the first round of a ring
constexpr int kRings = kNewRings + CopyMethodChoice::kTrials;

class PosixCopyMethod : public testing::Test {
protected:
  // The method of a message that begins nothing.
  CopyMethod best(std::uint64_t bytes = kBytes) {
    methods.lost();
    return methods.take(bytes, false, 0).method;
  }
  // The method of a message that begins a trial.
  CopyMethod next(std::uint64_t bytes = kBytes) {
    const CopyMethodChoice::Choice choice = methods.take(bytes, true, now);
    EXPECT_TRUE(choice.is_timed);
    return choice.method;
  }

  // A message that is alone takes so long. Returns its method.
  CopyMethod pass(std::uint64_t copy_ns, std::uint64_t ring_ns, std::uint64_t bytes = kBytes) {
    const CopyMethod method = next(bytes);
    now += method == CopyMethod::kCopy ? copy_ns : ring_ns;
    methods.took(bytes, now);
    return method;
  }
  void learn_copies(std::uint64_t ns) {
    for (int i = 0; i < kCopies; ++i) {
      EXPECT_EQ(pass(ns, 0), CopyMethod::kCopy);
    }
  }
  // Messages of a machine on which the methods take so long, until both were tried often enough.
  void learn(std::uint64_t copy_ns, std::uint64_t ring_ns) {
    learn_copies(copy_ns);
    for (int i = 0; i < kRings; ++i) {
      EXPECT_EQ(pass(0, ring_ns), CopyMethod::kRing);
    }
  }
  // A burst of so many messages, which arrive together.
  void pass_burst(std::uint32_t messages, CopyMethod method, std::uint64_t ns) {
    EXPECT_EQ(next(), method);
    for (std::uint32_t follower = 1; follower < messages; ++follower) {
      const CopyMethodChoice::Choice choice = methods.take(kBytes, false, 0);
      EXPECT_EQ(choice.method, method);
      EXPECT_TRUE(choice.is_timed);
    }
    now += ns;
    for (std::uint32_t message = 0; message < messages; ++message) {
      methods.took(kBytes, now);
    }
  }

  CopyMethodChoice methods;
  std::uint64_t now = 0;
};

TEST_F(PosixCopyMethod, TheSystemCopiesBeforeAnythingIsKnown) {
  EXPECT_EQ(best(), CopyMethod::kCopy);
  EXPECT_EQ(next(), CopyMethod::kCopy);
}

TEST_F(PosixCopyMethod, TheRingIsChosenWhereItIsFaster) {
  learn(20000, 8000);
  EXPECT_EQ(next(), CopyMethod::kRing);
  EXPECT_EQ(best(), CopyMethod::kRing);
}

TEST_F(PosixCopyMethod, TheCopyIsChosenWhereItIsFaster) {
  learn(20000, 30000);
  EXPECT_EQ(next(), CopyMethod::kCopy);
  EXPECT_EQ(best(), CopyMethod::kCopy);
}

TEST_F(PosixCopyMethod, TheFirstCopyDoesNotCount) {
  for (int i = 0; i < kCopies; ++i) { // it would be the third of five that are slow
    pass(i < 3 ? 900000 : 20000, 0);
  }
  for (int i = 0; i < kRings; ++i) {
    pass(0, 30000);
  }
  EXPECT_EQ(best(), CopyMethod::kCopy);
}

TEST_F(PosixCopyMethod, TheFirstRoundOfTheRingDoesNotCount) {
  learn_copies(20000);
  for (int i = 0; i < kRings; ++i) { // the last of it would be the third of five that are slow
    pass(0, i < kNewRings + 2 ? 900000 : 15000);
  }
  EXPECT_EQ(best(), CopyMethod::kRing);
}

TEST_F(PosixCopyMethod, ALargeMessageIsAFirstRoundByItself) {
  constexpr std::uint64_t kLarge = 4 * kRingBytes;
  for (int i = 0; i < kCopies; ++i) {
    pass(900000, 0, kLarge);
  }
  for (int i = 0; i < 1 + CopyMethodChoice::kTrials; ++i) {
    EXPECT_EQ(best(kLarge), CopyMethod::kCopy);
    pass(0, 500000, kLarge);
  }
  EXPECT_EQ(best(kLarge), CopyMethod::kRing);
}

TEST_F(PosixCopyMethod, TwoOfFiveTrialsMayBeDisturbed) {
  learn_copies(20000);
  for (int i = 0; i < kRings; ++i) {
    pass(0, i % CopyMethodChoice::kTrials < 2 ? 900000 : 15000);
  }
  EXPECT_EQ(best(), CopyMethod::kRing);
}

TEST_F(PosixCopyMethod, TheRingIsNotBestBeforeItsLastTrial) {
  learn_copies(20000);
  for (int i = 0; i < kRings; ++i) {
    EXPECT_EQ(best(), CopyMethod::kCopy);
    EXPECT_EQ(pass(0, 15000), CopyMethod::kRing);
  }
  EXPECT_EQ(best(), CopyMethod::kRing);
}

TEST_F(PosixCopyMethod, EachClassOfSizesHasItsOwn) {
  learn(20000, 8000);
  EXPECT_EQ(best(40000), CopyMethod::kRing);
  EXPECT_EQ(best(65537), CopyMethod::kCopy);
  EXPECT_EQ(next(std::uint64_t{1} << 40), CopyMethod::kCopy);
}

TEST_F(PosixCopyMethod, MessagesThatFollowATrialOfTheRingTakeTheRing) {
  learn_copies(20000);
  EXPECT_EQ(next(), CopyMethod::kRing);
  EXPECT_EQ(methods.take(262144, false, 0).method, CopyMethod::kRing); // by itself a copy
}

TEST_F(PosixCopyMethod, ABurstCountsByItsRate) {
  learn_copies(20000);
  // Each message takes half the time of a copy.
  for (int i = 0; i < 1 + CopyMethodChoice::kTrials; ++i) {
    pass_burst(16, CopyMethod::kRing, 160000);
  }
  EXPECT_EQ(best(), CopyMethod::kRing);
}

TEST_F(PosixCopyMethod, ABurstOfSlowMessagesCountsByItsRateToo) {
  learn_copies(20000);
  for (int i = 0; i < 1 + CopyMethodChoice::kTrials; ++i) {
    pass_burst(16, CopyMethod::kRing, 640000);
  }
  EXPECT_EQ(best(), CopyMethod::kCopy);
}

TEST_F(PosixCopyMethod, NoMoreThanSoManyMessagesAreOfATrial) {
  learn_copies(20000);
  EXPECT_EQ(next(), CopyMethod::kRing);
  for (std::uint32_t follower = 1; follower < CopyMethodChoice::kMessages; ++follower) {
    EXPECT_TRUE(methods.take(kBytes, false, 0).is_timed);
  }
  const CopyMethodChoice::Choice beyond = methods.take(kBytes, false, 0);
  EXPECT_EQ(beyond.method, CopyMethod::kCopy);
  EXPECT_FALSE(beyond.is_timed);
}

TEST_F(PosixCopyMethod, ACopyBesideTheRingEndsTheTiming) {
  learn(20000, 8000);
  // Otherwise the senders would have let wait too often.
  for (int i = 0; i < 2 * CopyMethodChoice::kMaxWaits; ++i) {
    EXPECT_EQ(next(), CopyMethod::kRing);
    EXPECT_EQ(methods.take(262144, false, 0).method, CopyMethod::kCopy);
    now += 1000000;
    methods.took(kBytes, now);
  }
  EXPECT_EQ(best(), CopyMethod::kRing);
}

TEST_F(PosixCopyMethod, ATrialOfALostMessageDoesNotCount) {
  for (int i = 0; i < 2 * kCopies; ++i) {
    EXPECT_EQ(next(), CopyMethod::kCopy);
    methods.lost();
    now += 1000000;
    methods.took(kBytes, now); // of another message of that trial
  }
  learn(20000, 8000);
}

TEST_F(PosixCopyMethod, SendersThatLetWaitNowAndThenKeepTheRing) {
  learn(20000, 8000);
  for (int i = 0; i < 2 * CopyMethodChoice::kMaxWaits; ++i) {
    pass(0, i % 2 == 0 ? 1000000 : 8000);
  }
  EXPECT_EQ(best(), CopyMethod::kRing);
}

TEST_F(PosixCopyMethod, SendersThatLetWaitInARowEndTheUseOfTheRing) {
  learn(20000, 8000);
  for (int i = 0; i < CopyMethodChoice::kMaxWaits; ++i) {
    EXPECT_EQ(best(), CopyMethod::kRing);
    pass(0, 1000000);
  }
  EXPECT_EQ(best(), CopyMethod::kCopy);
  EXPECT_EQ(next(), CopyMethod::kCopy);
}

TEST_F(PosixCopyMethod, AFixedMethodStays) {
  methods.fix(CopyMethod::kRing);
  for (int i = 0; i < 2 * CopyMethodChoice::kMaxWaits; ++i) {
    EXPECT_EQ(pass(0, 1000000), CopyMethod::kRing);
  }
  EXPECT_EQ(best(), CopyMethod::kRing);
}

} // namespace
