// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/match_bits.h"

#include <gtest/gtest.h>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

using detail::MatchBits;

TEST(MatchBits, OfJobsUpTo16777216AreThoseOfTheHeader) {
  for (const std::int32_t size : {1, 2, 1000, 1 << 24}) {
    const MatchBits bits(size);
    EXPECT_EQ(bits, MatchBits());
    EXPECT_EQ(bits.contexts() - 1, static_cast<std::uint32_t>(AVRM_MATCH_MAX_CONTEXT));
    EXPECT_EQ(bits.source_mask(), AVRM_MATCH_SOURCE_MASK);
    EXPECT_EQ(bits.pack(0, 77, 5) | 9, avrm_match_pack(77, 5, 9));
    EXPECT_EQ(bits.pack(3, 77, 5), avrm_match_pack(3U << 21 | 77, 5, 0));
  }
}

TEST(MatchBits, HoldEveryRankOfAnyJob) {
  for (const std::int32_t size : {(1 << 24) + 1, 100000000, 1 << 27, (1 << 27) + 1, kMaxSize}) {
    const MatchBits bits(size);
    EXPECT_GE(bits.most_rank(), size - 1);
    EXPECT_LE(bits.most_rank() / 2, size - 1);
    const std::uint32_t context = bits.contexts() - 1;
    for (const std::int32_t rank : {0, 1, size - 1}) {
      for (std::uint32_t plane = 0; plane < 4; ++plane) {
        const std::uint64_t match = bits.pack(plane, context, rank) | static_cast<std::uint64_t>(AVRM_MATCH_MAX_TAG);
        EXPECT_EQ(bits.source(match), rank);
        EXPECT_EQ(bits.source(match | AVRM_MATCH_SYNC), rank);
        EXPECT_EQ(match & AVRM_MATCH_SYNC, 0U);
        EXPECT_EQ(avrm_match_tag(match), AVRM_MATCH_MAX_TAG);
        EXPECT_EQ(match >> AVRM_MATCH_PLANE_SHIFT, plane);
        EXPECT_EQ(match & ~bits.source_mask(), bits.pack(plane, context, 0) | AVRM_MATCH_TAG_MASK);
      }
    }
  }
}

TEST(MatchBits, LeaveContextIdsToTheLargestJobs) {
  EXPECT_EQ(MatchBits().most_context() + 1, 1015808U);
  EXPECT_EQ(MatchBits(100000000).most_context() + 1, 126976U);
  EXPECT_EQ(MatchBits(kMaxSize).most_context() + 1, 7936U);
}

// Planes, context ids and even tags.
TEST(MatchBits, DistinguishCreationsWithoutAParentBy33BitsOr26InTheLargestJobs) {
  constexpr std::uint64_t kPlanesAndTags = std::uint64_t{4} << 16;
  EXPECT_EQ(MatchBits().creation_contexts() * kPlanesAndTags, std::uint64_t{1} << 33);
  EXPECT_EQ(MatchBits(kMaxSize).creation_contexts() * kPlanesAndTags, std::uint64_t{1} << 26);
}

} // namespace
} // namespace avrankmap::test
