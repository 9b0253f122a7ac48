// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The translation caches of the n-D Cartesian compression paper: what they hold, what they replace,
// and which row a rank is in.

#include "baseline/translation_caches.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace avrankmap::bench {
namespace {

/// A cache whose misses are noted.
template <class Cache> class Watched {
public:
  /// Whether the rank was there. Its translation is always 1000 + rank.
  bool hits(std::int32_t rank) {
    bool hit = true;
    const std::int32_t found = cache_.translate(rank, [&hit](std::int32_t r) {
      hit = false;
      return 1000 + r;
    });
    EXPECT_EQ(found, 1000 + rank);
    return hit;
  }

private:
  Cache cache_;
};

TEST(LinearCache, HoldsTheLatestOnes) {
  Watched<LinearCache<8>> cache;
  for (std::int32_t rank = 0; rank < 8; ++rank) {
    EXPECT_FALSE(cache.hits(rank));
  }
  for (std::int32_t rank = 0; rank < 8; ++rank) {
    EXPECT_TRUE(cache.hits(rank));
  }
  EXPECT_FALSE(cache.hits(8)); // takes the place of 0
  EXPECT_TRUE(cache.hits(1));
  EXPECT_FALSE(cache.hits(0)); // takes the place of 1
  EXPECT_FALSE(cache.hits(1));
  EXPECT_TRUE(cache.hits(8));
}

TEST(LinearCache, OfSixteenMissesEverythingWhenSeventeenTakeTurns) {
  Watched<LinearCache<16>> cache;
  for (int round = 0; round < 3; ++round) {
    for (std::int32_t rank = 0; rank < 17; ++rank) {
      EXPECT_FALSE(cache.hits(rank));
    }
  }
}

TEST(PaperCache, RowIsTheHashOfThePaper) {
  EXPECT_EQ(PaperCache::row_of(0), 0U);
  EXPECT_EQ(PaperCache::row_of(127), 127U);
  EXPECT_EQ(PaperCache::row_of(128), 1U);
  EXPECT_EQ(PaperCache::row_of(129), 0U);
  EXPECT_EQ(PaperCache::row_of(0x3fff), 0U);
  EXPECT_EQ(PaperCache::row_of(0x4000), 0U); // 14 bits count
}

TEST(PaperCache, RowsAreReplacedInTurnAndApart) {
  const auto cache = std::make_unique<Watched<PaperCache>>();
  std::vector<std::int32_t> of_row_3;
  for (std::int32_t rank = 0; of_row_3.size() < 9; ++rank) {
    if (PaperCache::row_of(rank) == 3) {
      of_row_3.push_back(rank);
    }
  }
  EXPECT_FALSE(cache->hits(4));
  for (const std::int32_t rank : of_row_3) {
    EXPECT_FALSE(cache->hits(rank));
  }
  EXPECT_TRUE(cache->hits(4));
  EXPECT_TRUE(cache->hits(of_row_3[1]));
  EXPECT_TRUE(cache->hits(of_row_3[8]));
  EXPECT_FALSE(cache->hits(of_row_3[0]));
  EXPECT_FALSE(cache->hits(of_row_3[1]));
}

TEST(PaperCache, HoldsAThousandAndTwentyFourRanksInARow) {
  const auto cache = std::make_unique<Watched<PaperCache>>();
  for (std::int32_t rank = 0; rank < 1024; ++rank) {
    EXPECT_FALSE(cache->hits(rank));
  }
  for (std::int32_t rank = 0; rank < 1024; ++rank) {
    EXPECT_TRUE(cache->hits(rank));
  }
}

TEST(CachedVcrt, IsRightWithEachCacheAndWithItsTable) {
  const std::vector<std::int32_t> ranks = {10, 11, 15, 16, 30, 31, 35, 36, 50, 51, 55, 56, 70, 71, 75, 76};
  const std::optional<CartesianVcrt> vcrt = CartesianVcrt::compress({5, 4, 4}, ranks);
  ASSERT_TRUE(vcrt.has_value());
  CachedVcrt<NoCache> table(*vcrt, ranks.data());
  CachedVcrt<NoCache> none(*vcrt);
  CachedVcrt<LinearCache<8>> linear(*vcrt);
  const auto rows = std::make_unique<CachedVcrt<PaperCache>>(*vcrt);
  for (int round = 0; round < 2; ++round) {
    for (std::int32_t rank = 0; rank < 16; ++rank) {
      const std::int32_t expected = ranks[static_cast<std::size_t>(rank)];
      EXPECT_EQ(table.translate(rank), expected);
      EXPECT_EQ(none.translate(rank), expected);
      EXPECT_EQ(linear.translate(rank), expected);
      EXPECT_EQ(rows->translate(rank), expected);
    }
  }
  EXPECT_EQ(table.misses(), 0U);
  EXPECT_EQ(none.misses(), 32U);
  EXPECT_EQ(linear.misses(), 32U);
  EXPECT_EQ(rows->misses(), 16U);
}

} // namespace
} // namespace avrankmap::bench
