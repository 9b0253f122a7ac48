// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Mode cart: the examples of the n-D Cartesian compression paper, families of sub-grids, random
// mixed-radix maps, and maps that are not of this kind.

#include "rankmap/forms/cart.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/component/rankmap/one_of_each.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

// The ranks of a sub-rectangle of a grid, dimension 0 counting fastest in both: corner and extents
// per dimension, in the order in which the dimensions are gone through.
Ranks sub_rectangle(const Ranks &grid, const Ranks &corner, const Ranks &extents, const Ranks &order) {
  Ranks ranks;
  std::int32_t total = 1;
  for (const std::int32_t extent : extents) {
    total *= extent;
  }
  for (std::int32_t i = 0; i < total; ++i) {
    Ranks coordinates = corner;
    std::int32_t rest = i;
    for (const std::int32_t k : order) {
      coordinates[static_cast<std::size_t>(k)] += rest % extents[static_cast<std::size_t>(k)];
      rest /= extents[static_cast<std::size_t>(k)];
    }
    std::int32_t rank = 0;
    for (std::size_t k = grid.size(); k-- > 0;) {
      rank = rank * grid[k] + coordinates[k];
    }
    ranks.push_back(rank);
  }
  return ranks;
}

class RankmapCart : public testing::Test {
protected:
  // Bytes beside the 56 of a child of the world with these ranks; the child is checked at every
  // rank.
  std::uint64_t extra_bytes(const Ranks &ranks) {
    const MapPtr map = make_child(world, ranks);
    EXPECT_TRUE(agrees(map.get(), in_group(0, ranks))) << testing::PrintToString(ranks);
    const avrm_rankmap_info_t info = info_of(map.get());
    return info.own_bytes + info.table_bytes - sizeof(avrm_rankmap_t);
  }

  CountingAllocator hooks;
  Instance instance{&hooks, false, AVRM_COST_BYTES};
  MapPtr world = make_direct(instance, 1000000);
  std::mt19937_64 engine = seeded_engine();
};

// Section 4.1, a grid of 5 x 4 x 4: six groups that have to be compressed. All are regular, or
// small carts.
TEST_F(RankmapCart, ExamplesOfThePaperAreCompressed) {
  EXPECT_EQ(extra_bytes({0, 1, 2, 3, 4}), 0U);
  EXPECT_EQ(extra_bytes({0, 5, 10, 15}), 0U);
  EXPECT_EQ(extra_bytes({10, 11, 12, 13, 14, 15, 16, 17, 18, 19}), 0U);
  EXPECT_EQ(extra_bytes({15, 35, 55, 75}), 0U);
  EXPECT_EQ(extra_bytes({15, 16, 35, 36, 55, 56, 75, 76}), 0U);
  EXPECT_EQ(extra_bytes({10, 11, 15, 16, 30, 31, 35, 36, 50, 51, 55, 56, 70, 71, 75, 76}),
            40U); // a cart
}

TEST_F(RankmapCart, SubRectanglesOfAGridInEveryOrderTakeAtMost16BytesPerDimensionAndEight) {
  Ranks order = {0, 1, 2, 3};
  do {
    EXPECT_LE(extra_bytes(sub_rectangle({6, 5, 7, 4}, {1, 0, 2, 1}, {4, 5, 3, 3}, order)), 8U + 48U);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(RankmapCart, RowsColumnsAndPlanesOfACubeAreSmall) {
  for (int fixed = 1; fixed < 7; ++fixed) { // every proper choice of dimensions that are kept whole
    Ranks extents;
    for (int k = 0; k < 3; ++k) {
      extents.push_back((fixed >> k & 1) != 0 ? 8 : 1);
    }
    EXPECT_LE(extra_bytes(sub_rectangle({8, 8, 8}, {0, 0, 0}, extents, {0, 1, 2})), 8U + 16U);
    EXPECT_LE(extra_bytes(sub_rectangle({8, 8, 8}, {0, 0, 0}, extents, {2, 1, 0})), 8U + 16U);
  }
}

TEST_F(RankmapCart, AShuffleIsNoCart) {
  Ranks ranks = sub_rectangle({6, 5, 7, 4}, {1, 0, 2, 1}, {4, 5, 3, 3}, {0, 1, 2, 3});
  std::swap(ranks[70], ranks[71]);
  EXPECT_NE(info_of(make_child(world, ranks).get()).mode, AVRM_MODE_CART);
  extra_bytes(ranks);
}

TEST_F(RankmapCart, RandomMixedRadixMapsAgreeWithTheirTwins) {
  for (int round = 0; round < 1000; ++round) {
    Ranks extents;
    std::int64_t total = 1;
    const std::uint64_t dimensions = 2 + below(engine, 7);
    while (extents.size() < dimensions && total < 3000) {
      extents.push_back(static_cast<std::int32_t>(2 + below(engine, extents.size() < 2 ? 20 : 3)));
      total *= extents.back();
    }
    std::vector<std::int64_t> strides;
    std::int64_t least = 0;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      strides.push_back(static_cast<std::int64_t>(below(engine, 200)) - 100);
      least += std::min<std::int64_t>(0, strides[k] * (extents[k] - 1));
    }
    const std::int64_t size = total - static_cast<std::int64_t>(below(engine, static_cast<std::uint64_t>(total) / 2));
    Ranks lpids;
    for (std::int64_t rank = 0; rank < size; ++rank) {
      std::int64_t lpid = -least;
      std::int64_t rest = rank;
      for (std::size_t k = 0; k < extents.size(); ++k) {
        lpid += rest % extents[k] * strides[k];
        rest /= extents[k];
      }
      lpids.push_back(static_cast<std::int32_t>(lpid));
    }
    const MapPtr map = make_lpids(instance, lpids);
    ASSERT_TRUE(agrees(map.get(), in_group(0, lpids)));
    ASSERT_LE(info_of(map.get()).dimensions, static_cast<int>(extents.size()));
  }
}

TEST_F(RankmapCart, NineDimensionsAreNone) {
  // Nine binary digits, reversed, with strides that do not combine.
  Ranks lpids;
  for (std::int32_t rank = 0; rank < 512; ++rank) {
    std::int32_t lpid = 0;
    for (int digit = 0; digit < 9; ++digit) {
      lpid = 2 * lpid + (rank >> digit & 1);
    }
    lpids.push_back(lpid);
  }
  EXPECT_EQ(info_of(make_lpids(instance, lpids).get()).mode, AVRM_MODE_LUT);
  lpids.resize(256);
  EXPECT_EQ(info_of(make_lpids(instance, lpids).get()).dimensions, 8);
}

TEST_F(RankmapCart, OneProcessThroughoutIsOne) { EXPECT_EQ(extra_bytes(Ranks(100, 7)), 8U + 16U); }

TEST_F(RankmapCart, LargeGridIsTranslatedAtItsCorners) {
  // Each 2nd of each 3rd of 1024 x 1024 x 512 processes, transposed.
  detail::Cart cart;
  cart.dimensions = 3;
  cart.size = 512 * 341 * 512;
  cart.offset = 7;
  cart.extents[0] = 512;
  cart.extents[1] = 341;
  cart.strides[0] = 1024 * 1024;
  cart.strides[1] = 3 * 1024;
  cart.strides[2] = 2;
  const detail::MapOwner map = detail::new_cart_map(instance, 0, cart, 7 + 511 * 1024 * 1024 + 340 * 3072 + 511 * 2);
  for (int round = 0; round < 100000; ++round) {
    const auto rank = static_cast<std::int32_t>(below(engine, static_cast<std::uint64_t>(cart.size)));
    const std::int32_t expected = 7 + rank % 512 * 1024 * 1024 + rank / 512 % 341 * 3072 + rank / (512 * 341) * 2;
    ASSERT_EQ(avrm_rankmap_gpid(map.get(), rank).lpid, expected) << rank;
  }
  EXPECT_EQ(avrm_rankmap_gpid(map.get(), cart.size - 1).lpid, map->as.cart.max_lpid);
}

// Strides whose products leave 64 bits in bytes: 12 * 2^30 * (2^31 - 2).
TEST_F(RankmapCart, IntermediateOverflowIsOfNoAccount) {
  detail::Cart cart;
  cart.dimensions = 3;
  cart.size = kMaxSize;
  cart.extents[0] = 2;
  cart.extents[1] = 1 << 29;
  cart.strides[0] = kLastLpid;
  const detail::MapOwner map = detail::new_cart_map(instance, 0, cart, kLastLpid);
  for (const std::int32_t rank : {0, 1, 2, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, kMaxSize - 2, kMaxSize - 1}) {
    EXPECT_EQ(avrm_rankmap_gpid(map.get(), rank).lpid, rank % 2 == 0 ? 0 : kLastLpid) << rank;
  }
}

TEST_F(RankmapCart, DescribeTellsExtentsAndStrides) {
  const MapPtr map = make_lpids(instance, sub_rectangle({6, 5, 7}, {1, 0, 2}, {4, 4, 3}, {2, 1, 0}));
  const avrm_rankmap_info_t info = info_of(map.get());
  ASSERT_EQ(info.dimensions, 3);
  for (std::int32_t rank = 0; rank < info.size; ++rank) {
    std::int64_t lpid = avrm_rankmap_gpid(map.get(), 0).lpid;
    std::int32_t rest = rank;
    for (int k = 0; k < info.dimensions; ++k) {
      lpid += rest % info.extents[k] * info.strides[k];
      rest /= info.extents[k];
    }
    ASSERT_EQ(avrm_rankmap_gpid(map.get(), rank).lpid, lpid);
    ASSERT_EQ(rest, 0);
  }
  EXPECT_EQ(info.extents[3], 0);
}

TEST_F(RankmapCart, DuplicateSharesTheDimensions) {
  const Ranks ranks = sub_rectangle({6, 5, 7}, {1, 0, 2}, {4, 4, 3}, {2, 1, 0});
  MapPtr map = make_lpids(instance, ranks);
  ASSERT_EQ(info_of(map.get()).dimensions, 3);
  const std::uint64_t live = hooks.usage(AVRM_MEM_RANKMAP).live_bytes;
  const MapPtr copy = make_dup(map);
  EXPECT_EQ(hooks.usage(AVRM_MEM_RANKMAP).live_bytes, live);
  map.reset();
  EXPECT_TRUE(agrees(copy.get(), in_group(0, ranks)));
}

TEST_F(RankmapCart, BindingAsksForTheGreatestLpidExactly) {
  const Ranks ranks = sub_rectangle({6, 5, 7}, {1, 0, 2}, {4, 4, 3}, {2, 1, 0});
  const std::int32_t max = *std::max_element(ranks.begin(), ranks.end());
  const AvPtr small = make_av(instance, max);
  const AvPtr large = make_av(instance, max + 1);
  EXPECT_EQ(avrm_rankmap_bind(make_lpids(instance, ranks, small->pgid).get()), AVRM_ERR_LPID);
  const MapPtr map = make_lpids(instance, ranks, large->pgid);
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
}

TEST_F(RankmapCart, DuplicatedProcessesAreFound) {
  EXPECT_EQ(refusal(instance,
                    [this](avrm_rankmap_t *map_p) {
                      const Ranks lpids = {0, 2, 4, 1, 3, 5, 2, 4, 6, 3, 5, 7};
                      return avrm_rankmap_create_lpids(instance, 0, 12, lpids.data(), AVRM_RANKMAP_UNIQUE, map_p);
                    }),
            AVRM_ERR_DUPLICATE);
}

TEST_F(RankmapCart, CompositionOfRegularMapsMakesNoTable) {
  const MapPtr blocked = make_blocked(instance, 1 << 20, 0, 128, 64);
  const MapPtr map = make_child_regular(blocked, 1 << 18, 0, 4); // every 4th: 16 of each block
  EXPECT_EQ(info_of(map.get()).dimensions, 2);
  EXPECT_EQ(hooks.usage(AVRM_MEM_LUT).peak_bytes, 0U);
}

} // namespace
} // namespace avrankmap::test
