// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The word by which two processes divide a copy, on its own.
#include "posix/copy_claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/support/seed.h"

namespace {

using namespace avrankmap::detail::posix;
using avrankmap::test::below;
using avrankmap::test::seeded_engine;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class PosixShare : public testing::Test {
protected:
  void begin(std::uint32_t turn) { ASSERT_TRUE(share_.begin(turn)); }

  std::uint64_t word_ = 0;
  CopyClaims share_{&word_};
};

// Whether the parts cover a message, each byte once.
bool are_whole(std::vector<ByteRange> parts, std::uint64_t wanted) {
  std::sort(parts.begin(), parts.end(), [](const ByteRange &a, const ByteRange &b) { return a.from < b.from; });
  std::uint64_t end = 0;
  for (const ByteRange &part : parts) {
    if (part.from != end || part.empty()) {
      return false;
    }
    end = part.to;
  }
  return end == wanted;
}

TEST_F(PosixShare, ClaimsOfBothSidesAreTheWholeMessage) {
  auto engine = seeded_engine();
  std::vector<std::uint64_t> lengths = {1, 4095, 4096, 4097, 65536, 65537, kMiB, 100 * kMiB + 1, UINT64_C(5) << 32};
  for (int i = 0; i < 200; ++i) {
    lengths.push_back(1 + below(engine, 8 * kMiB));
  }
  std::uint32_t turn = 0;
  for (const std::uint64_t wanted : lengths) {
    begin(++turn);
    std::vector<ByteRange> parts;
    for (;;) {
      const ByteRange part = below(engine, 2) == 0 ? share_.claim(turn, wanted) : share_.claim_to_write(turn, wanted);
      share_.written();
      if (part.empty()) {
        break;
      }
      parts.push_back(part);
    }
    ASSERT_TRUE(are_whole(parts, wanted)) << wanted;
  }
}

TEST_F(PosixShare, FirstClaimIsHalf) {
  begin(1);
  const ByteRange part = share_.claim(1, 128 << 10);
  EXPECT_EQ(part.from, 0U);
  EXPECT_EQ(part.to, 64U << 10);
}

TEST_F(PosixShare, NoClaimIsLongerThanTheLongestPart) {
  begin(1);
  for (int i = 0; i < 100; ++i) {
    const ByteRange part = share_.claim(1, UINT64_C(1) << 40);
    ASSERT_EQ(part.to - part.from, CopyClaims::kLongestPart);
  }
}

TEST_F(PosixShare, LateSenderClaimsNothingOfTheNextCopy) {
  begin(1);
  (void)share_.claim(1, kMiB);
  begin(2);
  EXPECT_TRUE(share_.claim_to_write(1, kMiB).empty());
  EXPECT_FALSE(share_.helped());
  EXPECT_FALSE(share_.writing());
}

TEST_F(PosixShare, TurnsComeBackAfterTheLast) {
  EXPECT_EQ(next_turn(0xfffffe), 0xffffffU);
  EXPECT_EQ(next_turn(0xffffff), 0U);
  begin(0xffffff);
  EXPECT_FALSE(share_.claim_to_write(0xffffff, kMiB).empty());
}

TEST_F(PosixShare, SenderThatClaimsIsSeen) {
  begin(1);
  (void)share_.claim(1, kMiB);
  EXPECT_FALSE(share_.helped());
  (void)share_.claim_to_write(1, kMiB);
  EXPECT_TRUE(share_.helped());
  EXPECT_TRUE(share_.writing());
  share_.written();
  EXPECT_TRUE(share_.helped());
  EXPECT_FALSE(share_.writing());
}

TEST_F(PosixShare, SenderThatFindsNothingLeftIsNotWaitedFor) {
  begin(1);
  while (!share_.claim(1, kMiB).empty()) {
  }
  EXPECT_TRUE(share_.claim_to_write(1, kMiB).empty());
  EXPECT_FALSE(share_.helped());
  EXPECT_FALSE(share_.writing());
}

TEST_F(PosixShare, NothingIsClaimedAfterClose) {
  begin(1);
  (void)share_.claim(1, kMiB);
  share_.close();
  EXPECT_TRUE(share_.claim(1, kMiB).empty());
  EXPECT_TRUE(share_.claim_to_write(1, kMiB).empty());
  EXPECT_FALSE(share_.helped());
}

TEST_F(PosixShare, CloseDoesNotHideAWriteThatIsUnderWay) {
  begin(1);
  (void)share_.claim_to_write(1, kMiB);
  share_.close();
  EXPECT_TRUE(share_.writing());
  EXPECT_FALSE(share_.begin(2)) << "the word is still in use";
  share_.written();
  EXPECT_TRUE(share_.begin(2));
}

TEST_F(PosixShare, WordThatAPeerHasSpoiledClaimsNothingOutside) {
  auto engine = seeded_engine();
  for (int i = 0; i < 10000; ++i) {
    word_ = (std::uint64_t{1} << 40) | (engine() & ((std::uint64_t{1} << 40) - 1)) >> below(engine, 40);
    const std::uint64_t wanted = 1 + below(engine, kMiB);
    const ByteRange part = share_.claim_to_write(1, wanted);
    ASSERT_TRUE(part.empty() || part.to <= wanted);
  }
}

TEST_F(PosixShare, TwoThreadsClaimEveryByteOnce) {
  constexpr std::uint64_t kWanted = 16 * kMiB + 5;
  for (std::uint32_t turn = 1; turn <= 200; ++turn) {
    begin(turn);
    std::vector<ByteRange> theirs;
    std::vector<ByteRange> parts;
    std::thread sender([&] {
      for (ByteRange part; !(part = share_.claim_to_write(turn, kWanted)).empty(); share_.written()) {
        theirs.push_back(part);
      }
    });
    for (ByteRange part; !(part = share_.claim(turn, kWanted)).empty();) {
      parts.push_back(part);
    }
    sender.join();
    ASSERT_EQ(share_.helped(), !theirs.empty());
    parts.insert(parts.end(), theirs.begin(), theirs.end());
    ASSERT_TRUE(are_whole(parts, kWanted));
  }
}

} // namespace
