// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which way of copying large messages is chosen, by times that the test makes up.
#include "posix/ways.h"

#include <gtest/gtest.h>

namespace {

using namespace avrankmap::detail::posix;

constexpr std::uint64_t kBytes = 65536;

class PosixWays : public testing::Test {
protected:
  // Messages of a machine on which the ways take so long, until both were tried often enough.
  void learn(std::uint64_t copy_ns, std::uint64_t ring_ns, std::uint64_t bytes = kBytes) {
    for (int i = 0; i < 2 * Ways::kTrials; ++i) {
      const Way way = ways.next(bytes);
      ways.took(way, bytes, way == Way::kCopy ? copy_ns : ring_ns);
    }
  }

  Ways ways;
};

TEST_F(PosixWays, TheSystemCopiesBeforeAnythingIsKnown) {
  EXPECT_EQ(ways.best(kBytes), Way::kCopy);
  EXPECT_EQ(ways.next(kBytes), Way::kCopy);
}

TEST_F(PosixWays, TheFasterOneIsChosen) {
  learn(20000, 30000);
  EXPECT_EQ(ways.next(kBytes), Way::kCopy);
  ways = {};
  learn(20000, 8000);
  EXPECT_EQ(ways.next(kBytes), Way::kRing);
  EXPECT_EQ(ways.best(kBytes), Way::kRing);
}

TEST_F(PosixWays, OneUndisturbedTrialIsEnough) {
  for (const std::uint64_t copy_ns : {20000, 20000, 20000, 20000}) {
    ways.took(ways.next(kBytes), kBytes, copy_ns);
  }
  for (const std::uint64_t ring_ns : {900000, 15000, 900000, 900000}) {
    ASSERT_EQ(ways.next(kBytes), Way::kRing);
    EXPECT_EQ(ways.best(kBytes), Way::kCopy);
    ways.took(Way::kRing, kBytes, ring_ns);
  }
  EXPECT_EQ(ways.best(kBytes), Way::kRing);
}

TEST_F(PosixWays, EachClassOfSizesHasItsOwn) {
  learn(20000, 8000, 65536);
  learn(60000, 90000, 262144);
  EXPECT_EQ(ways.best(40000), Way::kRing);
  EXPECT_EQ(ways.best(65537), Way::kCopy);
  EXPECT_EQ(ways.next(std::uint64_t{1} << 40), Way::kCopy);
}

TEST_F(PosixWays, SendersThatLetWaitEndTheUseOfTheRing) {
  learn(20000, 8000);
  for (int i = 0; i < 2 * Ways::kPatience; ++i) { // but not now and then
    ways.took(Way::kRing, kBytes, i % 2 == 0 ? 1000000 : 8000);
  }
  EXPECT_EQ(ways.best(kBytes), Way::kRing);
  for (int i = 0; i < Ways::kPatience; ++i) {
    ways.took(Way::kRing, kBytes, 1000000);
  }
  EXPECT_EQ(ways.best(kBytes), Way::kCopy);
  EXPECT_EQ(ways.next(kBytes), Way::kCopy);
}

TEST_F(PosixWays, AFixedWayStays) {
  ways.fix(Way::kRing);
  EXPECT_EQ(ways.next(kBytes), Way::kRing);
  for (int i = 0; i < 2 * Ways::kPatience; ++i) {
    ways.took(Way::kRing, kBytes, 1000000);
  }
  EXPECT_EQ(ways.best(kBytes), Way::kRing);
}

} // namespace
