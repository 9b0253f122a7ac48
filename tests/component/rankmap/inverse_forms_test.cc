// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverses of segments that overlap and of carts, against a search through the plain table.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "avrankmap/inverse.h"
#include "rankmap/forms/cart.h"
#include "rankmap/forms/segments.h"
#include "tests/component/rankmap/random_world.h"

namespace avrankmap::test {
namespace {

// The map inverts a table at each lpid of -2 .. most of process groups 0 .. 2, lowest rank first.
testing::AssertionResult inverts(const MapPtr &map, const Table &table, std::int32_t most) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> lowest;
  for (std::size_t rank = 0; rank < table.size(); ++rank) {
    lowest.emplace(std::pair{table[rank].pgid, table[rank].lpid}, static_cast<std::int32_t>(rank));
  }
  Table processes;
  for (std::int32_t pgid = 0; pgid < 3; ++pgid) {
    for (std::int32_t lpid = -2; lpid <= most; ++lpid) {
      processes.push_back({pgid, lpid});
    }
  }
  Ranks ranks(processes.size());
  require(avrm_rankmap_ranks(map.get(), processes.size(), processes.data(), ranks.data()));
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto found = lowest.find({processes[i].pgid, processes[i].lpid});
    const std::int32_t expected = found == lowest.end() ? AVRM_UNDEFINED : found->second;
    if (ranks[i] != expected) {
      return testing::AssertionFailure() << shape_of(map.get()) << ": " << processes[i].pgid << ':' << processes[i].lpid
                                         << " is rank " << ranks[i] << ", expected " << expected;
    }
  }
  return testing::AssertionSuccess();
}

// ---- segments ----

struct Piece {
  std::int32_t pgid, count, offset, stride;
};

class SegmentsInverse : public testing::Test {
protected:
  Instance instance{false, AVRM_COST_BYTES};

  std::uint64_t cache() const { return instance.usage(AVRM_MEM_CACHE).live_bytes; }

  // A map of segments, whatever else would be smaller.
  static MapPtr make_segments(avrm_instance_t *instance, const std::vector<Piece> &pieces, Table *table) {
    std::vector<detail::Run> runs;
    std::int32_t first = 0;
    for (const Piece &piece : pieces) {
      runs.push_back({first, piece.count, piece.pgid, piece.offset, piece.count == 1 ? 1 : piece.stride});
      for (std::int32_t i = 0; i < piece.count; ++i) {
        table->push_back({piece.pgid, piece.offset + i * piece.stride});
      }
      first += piece.count;
    }
    return MapPtr(new avrm_rankmap_t(
        detail::new_segments_map(instance, runs.data(), static_cast<std::int32_t>(runs.size())).release()));
  }
  testing::AssertionResult inverts_pieces(const std::vector<Piece> &pieces, std::int32_t most = 400) {
    Table table;
    const MapPtr map = make_segments(instance, pieces, &table);
    return inverts(map, table, most);
  }
};

TEST_F(SegmentsInverse, OfInterleavedRunsIsRight) {
  EXPECT_TRUE(inverts_pieces({{0, 50, 0, 3}, {0, 50, 1, 3}, {0, 50, 149, -3}}));
}

TEST_F(SegmentsInverse, OfProcessesInSeveralSegmentsGivesTheLowestRank) {
  EXPECT_TRUE(inverts_pieces({{0, 20, 40, 1}, {0, 100, 0, 1}, {0, 30, 50, -1}}));
  EXPECT_TRUE(inverts_pieces({{0, 100, 0, 1}, {0, 20, 40, 1}, {0, 100, 150, -1}}));
  EXPECT_TRUE(inverts_pieces({{0, 30, 3, 2}, {0, 10, 31, -2}, {0, 60, 1, 2}, {0, 1, 5, 1}, {0, 1, 6, 1}}));
}

TEST_F(SegmentsInverse, OfAProcessManyTimesGivesTheFirst) {
  EXPECT_TRUE(inverts_pieces({{0, 5, 7, 2}, {0, 6, 9, 0}, {0, 6, 11, 0}, {0, 3, 30, 0}, {0, 3, 29, 1}}));
}

TEST_F(SegmentsInverse, OfEightStridesAndOfNineIsRight) {
  std::vector<Piece> pieces;
  for (std::int32_t stride = 1; stride <= 9; ++stride) {
    const bool falls = stride % 2 != 0;
    pieces.push_back({0, 30, falls ? 30 + 29 * stride : 10 + stride, falls ? -stride : stride});
    EXPECT_TRUE(inverts_pieces(pieces)) << stride;
  }
}

TEST_F(SegmentsInverse, OfManyStridesThatDoNotOverlapTakes8BytesPerSegment) {
  std::vector<Piece> pieces;
  std::int32_t offset = 0;
  for (std::int32_t stride = 1; stride <= 40; ++stride) {
    pieces.push_back({0, 4, offset, stride});
    offset += 4 * stride;
  }
  std::reverse(pieces.begin(), pieces.end());
  Table table;
  const MapPtr map = make_segments(instance, pieces, &table);
  EXPECT_TRUE(inverts(map, table, offset + 10));
  EXPECT_LE(cache(), 40 * 8 + 64U);
}

TEST_F(SegmentsInverse, OfOneStrideTakes8BytesPerSegment) {
  std::vector<Piece> pieces;
  for (std::int32_t i = 0; i < 128; ++i) {
    pieces.push_back({0, 16, i % 2 == 0 ? i : i + 15 * 128, i % 2 == 0 ? 128 : -128});
  }
  Table table;
  const MapPtr map = make_segments(instance, pieces, &table);
  EXPECT_TRUE(inverts(map, table, 2100));
  EXPECT_LE(cache(), 128 * 8 + 64U);
}

TEST_F(SegmentsInverse, OfSomeProcessGroupsThatOverlapIsRight) {
  EXPECT_TRUE(inverts_pieces({{1, 30, 0, 7}, {2, 30, 0, 1}, {1, 30, 3, 7}, {0, 5, 300, -11}, {2, 30, 40, 2}}));
}

TEST_F(SegmentsInverse, OfTheGreatestLpidsIsRight) {
  Table table;
  const MapPtr map = make_segments(
      instance, {{0, 2, 0, kLastLpid}, {0, 3, kLastLpid - 1, -1073741822}, {0, 2, 3, kLastLpid - 6}}, &table);
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::int32_t rank = -7;
    require(avrm_rankmap_rank(map.get(), table[i], &rank));
    EXPECT_EQ(rank, static_cast<std::int32_t>(i));
  }
  for (const std::int32_t lpid : {-1, 2, 4, kLastLpid - 2, kIntMax, kIntMin}) {
    std::int32_t rank = -7;
    require(avrm_rankmap_rank(map.get(), {0, lpid}, &rank));
    EXPECT_EQ(rank, AVRM_UNDEFINED) << lpid;
  }
}

TEST_F(SegmentsInverse, OfRandomSegmentsIsRight) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Piece> pieces;
    const std::int32_t strides = input.size(12);
    const std::int32_t groups = 1 + input.below(2);
    for (std::int32_t count = input.size(40); count > 0; --count) {
      const std::int32_t stride = input.below(strides + 1);
      const std::int32_t size = 1 + input.below(input.one_in(3) ? 1 : 30);
      const bool falls = input.one_in(3);
      const std::int32_t offset = input.below(200) + (falls ? (size - 1) * stride : 0);
      pieces.push_back({input.below(groups), size, offset, falls ? -stride : stride});
    }
    ASSERT_TRUE(inverts_pieces(pieces, 600)) << "round " << round << " AVRM_TEST_SEED=" << seed();
    require(avrm_instance_drop_caches(instance));
  }
}

TEST(SegmentsInverseMemory, MayBeRefusedAtEachAllocation) {
  CountingAllocator memory;
  const Instance instance(&memory, false, AVRM_COST_BYTES);
  std::vector<detail::Run> runs; // of more strides than have lines
  for (std::int32_t stride = 1; stride <= 20; ++stride) {
    runs.push_back({(stride - 1) * 10, 10, 0, 5 + stride, stride});
  }
  const MapPtr map(new avrm_rankmap_t(detail::new_segments_map(instance, runs.data(), 20).release()));
  std::int32_t rank = -7;
  for (std::uint64_t point = 0; rank == -7; ++point) {
    require(avrm_instance_drop_caches(instance));
    const std::uint64_t live_bytes = memory.live_bytes();
    memory.refuse_after(point);
    const avrm_status_t status = avrm_rankmap_rank(map.get(), {0, 6}, &rank);
    const bool refused = memory.refused();
    memory.refuse_none();
    ASSERT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
    ASSERT_LT(point, 100U);
    if (refused) {
      ASSERT_LE(memory.live_bytes() - live_bytes, 1000U); // the first of two inverses may stay
    }
  }
  EXPECT_EQ(rank, 0);
}

// ---- carts ----

// A cart map, whatever else would be smaller. `extents` are those of all dimensions.
MapPtr make_cart(avrm_instance_t *instance, const Ranks &extents, const Ranks &strides, std::int32_t offset,
                 std::int32_t size, Table *table) {
  detail::Cart cart;
  cart.dimensions = static_cast<int>(extents.size());
  cart.size = size;
  cart.offset = offset;
  std::copy(extents.begin(), extents.end() - 1, cart.extents);
  std::copy(strides.begin(), strides.end(), cart.strides);
  std::int64_t max_lpid = 0;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    table->push_back({1, static_cast<std::int32_t>(cart.at(rank))});
    max_lpid = std::max<std::int64_t>(max_lpid, table->back().lpid);
  }
  return MapPtr(new avrm_rankmap_t(detail::new_cart_map(instance, 1, cart, max_lpid).release()));
}

class CartInverse : public testing::Test {
protected:
  Instance instance{false, AVRM_COST_BYTES};
  std::uint64_t peak() const { return instance.usage(AVRM_MEM_CACHE).peak_bytes; }
};

// Every order of the dimensions of an array, with gaps, each dimension forwards and backwards, and
// with every size that has the same number of dimensions.
TEST_F(CartInverse, OfAPermutedArrayTakesNoMemory) {
  const Ranks extents = {3, 2, 4, 3};
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  do {
    for (unsigned backwards = 0; backwards < 16; ++backwards) {
      Ranks strides(4);
      std::int32_t stride = 1 + static_cast<std::int32_t>(backwards % 3);
      std::int32_t offset = 2;
      for (const std::size_t k : order) {
        const bool falls = (backwards >> k & 1) != 0;
        strides[k] = falls ? -stride : stride;
        offset += falls ? (extents[k] - 1) * stride : 0;
        stride = stride * extents[k] + (backwards % 5 == 0 ? 1 : 0);
      }
      for (const std::int32_t size : {72, 71, 55, 49, 48, 25}) {
        Table table;
        const MapPtr map = make_cart(instance, extents, strides, offset, size, &table);
        ASSERT_TRUE(inverts(map, table, 330));
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(peak(), 0U);
}

TEST_F(CartInverse, OfProcessesTwiceGivesTheLowestRank) {
  Table table;
  const MapPtr map = make_cart(instance, {5, 4}, {2, 4}, 3, 20, &table);
  EXPECT_TRUE(inverts(map, table, 40));
  EXPECT_NE(peak(), 0U);
}

TEST_F(CartInverse, OfStridesThatMeetBetweenIsRight) {
  for (const Ranks &strides : {Ranks{2, 3}, Ranks{3, 2}, Ranks{1, 0}, Ranks{0, 1}, Ranks{-2, 3}, Ranks{4, -4}}) {
    Table table;
    const MapPtr map = make_cart(instance, {3, 3}, strides, 20, 8, &table);
    EXPECT_TRUE(inverts(map, table, 40)) << strides[0] << ' ' << strides[1];
  }
}

TEST_F(CartInverse, OfAVeryLargeCartTakesNoMemory) {
  detail::Cart cart;
  cart.dimensions = 3;
  cart.size = 1000 * 1000 * 1000;
  cart.extents[0] = cart.extents[1] = 1000;
  cart.strides[0] = 1000 * 1000;
  cart.strides[1] = -1000;
  cart.strides[2] = 1;
  cart.offset = 999000;
  const MapPtr map(new avrm_rankmap_t(detail::new_cart_map(instance, 0, cart, 999999999).release()));
  for (const std::int32_t rank : {0, 1, 999, 1000, 123456789, 999999999}) {
    std::int32_t found = -7;
    require(avrm_rankmap_rank(map.get(), avrm_rankmap_gpid(map.get(), rank), &found));
    EXPECT_EQ(found, rank);
  }
  EXPECT_EQ(peak(), 0U);
}

} // namespace
} // namespace avrankmap::test
