// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Division by the stored reciprocal against the processor's own, over the whole range of ranks.

#include <algorithm>
#include <cstdint>

#include "rankmap/forms/cart.h"
#include "tests/component/rankmap/machine_code/portable_block.h"
#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

// A block length with the reciprocal that a map of such blocks stores; they are 1 apart, so that
// any number of them stays in the range of lpids.
class Divisor {
public:
  Divisor(const Instance &instance, std::int32_t block)
      : block_(block), reciprocal_(make_blocked(instance, kMaxSize, 0, 1, block)->as.blocked.reciprocal) {}

  // At a rank and its neighbours.
  [[nodiscard]] testing::AssertionResult divides_around(std::int64_t middle) const {
    for (std::int64_t rank = middle - 1; rank <= middle + 1; ++rank) {
      if (rank < 0 || rank > kIntMax) {
        continue;
      }
      const std::int64_t block = avrm_i_block_of(rank, reciprocal_);
      const std::int64_t portable = avrm_test_portable_block_of(rank, reciprocal_);
      if (block != rank / block_ || portable != block) {
        return testing::AssertionFailure()
               << rank << " / " << block_ << " gives " << block << " and, without 128-bit integers, " << portable;
      }
    }
    return testing::AssertionSuccess();
  }

private:
  std::int64_t block_;
  std::uint64_t reciprocal_;
};

TEST(RankmapReciprocalBuild, IsWhatItSays) { EXPECT_EQ(avrm_test_portable_is_portable(), 1); }

// Either factor of a cart's products may be the one below 2^31.
TEST(RankmapReciprocal, ProductsByHalvesAreExact) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t narrow = below(engine, std::uint64_t{1} << below(engine, 32));
    const std::uint64_t wide = engine() >> below(engine, 64);
    __extension__ using Wide = unsigned __int128;
    const Wide exact = static_cast<Wide>(narrow) * wide;
    for (const detail::Product &product :
         {detail::multiply_by_halves(narrow, wide), detail::multiply_by_halves(wide, narrow)}) {
      ASSERT_EQ(product.low, static_cast<std::uint64_t>(exact)) << narrow << " * " << wide;
      ASSERT_EQ(product.high, static_cast<std::uint64_t>(exact >> 64)) << narrow << " * " << wide;
    }
  }
}

TEST(RankmapReciprocal, BlocksTo4096AtMultiplesInTheWholeRange) {
  const Instance instance;
  std::mt19937_64 engine = seeded_engine();
  for (std::int32_t block = 2; block <= 4096; ++block) {
    const Divisor divisor(instance, block);
    const std::int64_t last = kIntMax / block;
    for (std::int64_t multiple = 0; multiple <= 32; ++multiple) {
      ASSERT_TRUE(divisor.divides_around(multiple * block));
      ASSERT_TRUE(divisor.divides_around((last - multiple) * block));
      ASSERT_TRUE(divisor.divides_around(static_cast<std::int64_t>(below(engine, last + 1U)) * block));
    }
    ASSERT_TRUE(divisor.divides_around(kIntMax));
  }
}

TEST(RankmapReciprocal, SmallBlocksAtEverySmallRank) {
  const Instance instance;
  for (std::int32_t block = 2; block <= 64; ++block) {
    const Divisor divisor(instance, block);
    for (std::int64_t rank = 0; rank < 20000; rank += 3) {
      ASSERT_TRUE(divisor.divides_around(rank));
    }
  }
}

TEST(RankmapReciprocal, BlocksAroundPowersOfTwo) {
  const Instance instance;
  for (int bit = 1; bit <= 30; ++bit) {
    for (std::int32_t block = (1 << bit) - 1; block <= (1 << bit) + 1; ++block) {
      if (block < 2) {
        continue;
      }
      const Divisor divisor(instance, block);
      for (int rank_bit = 0; rank_bit <= 31; ++rank_bit) {
        ASSERT_TRUE(divisor.divides_around(std::int64_t{1} << rank_bit));
      }
      for (std::int64_t multiple = 1; multiple <= kIntMax / block; multiple *= 2) {
        ASSERT_TRUE(divisor.divides_around(multiple * block));
        ASSERT_TRUE(divisor.divides_around(kIntMax / block / multiple * block));
      }
    }
  }
}

TEST(RankmapReciprocal, LargestBlocks) {
  const Instance instance;
  for (std::int32_t block = kIntMax - 1; block > kIntMax - 100; --block) {
    const Divisor divisor(instance, block);
    ASSERT_TRUE(divisor.divides_around(0));
    ASSERT_TRUE(divisor.divides_around(block));
    ASSERT_TRUE(divisor.divides_around(kIntMax));
  }
}

TEST(RankmapReciprocal, RandomBlocksAtRandomRanks) {
  const Instance instance;
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 20000; ++round) {
    const auto block = static_cast<std::int32_t>(
        std::min<std::uint64_t>(2 + below(engine, std::uint64_t{1} << below(engine, 32)), kIntMax - 1));
    const Divisor divisor(instance, block);
    for (int i = 0; i < 20; ++i) {
      const auto rank = static_cast<std::int64_t>(below(engine, std::uint64_t{1} << 31));
      ASSERT_TRUE(divisor.divides_around(rank));
      ASSERT_TRUE(divisor.divides_around(rank / block * block));
    }
  }
}

} // namespace
} // namespace avrankmap::test
