// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Maps of 2^31 - 1 ranks and AVs of 2^31 - 1 elements: ends, middle and random places agree with
// 64-bit arithmetic.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/component/rankmap/machine_code/send_model.h"
#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

struct Largest {
  const char *name;
  std::int32_t size, offset, stride, block;
};

constexpr std::int32_t k2To30 = 1 << 30;

constexpr Largest kLargest[] = {
    {"Direct", kMaxSize, 0, 1, 1},
    {"Reversal", kMaxSize, kLastLpid, -1, 1},
    {"OffsetToTheEnd", k2To30, k2To30 - 1, 1, 1},
    {"StrideOfTwo", k2To30, 0, 2, 1},
    {"StrideOfMinusTwo", k2To30, kLastLpid, -2, 1},
    {"StrideFromEndToEnd", 2, 0, kLastLpid, 1},
    {"BlocksOfTwoOneApart", kMaxSize, 3, 1, 2},
    {"BlocksOfTwoOneApartBackwards", kMaxSize, k2To30, -1, 2},
    {"BlocksOfThreeOneApart", kMaxSize, 3, 1, 3},
    {"BlocksOfThreeFiveApart", 1200000000, 5, 5, 3},
    {"TwoHugeBlocks", kMaxSize, 0, k2To30 - 1, k2To30},
    {"TwoHugeBlocksBackwards", kMaxSize, k2To30 - 1, 1 - k2To30, k2To30},
    {"AllButOneRankInABlock", kMaxSize, 1, -1, kMaxSize - 1},
};

class RankmapLargest : public testing::TestWithParam<Largest> {
protected:
  Instance instance;
  MapPtr map = make_blocked(instance, GetParam().size, GetParam().offset, GetParam().stride, GetParam().block);

  static std::int64_t lpid(std::int64_t rank) {
    return formula(GetParam().offset, GetParam().stride, GetParam().block, rank);
  }
  // Both ends, the middle, both sides of the last block's start, and random places.
  static Ranks places() {
    const std::int32_t size = GetParam().size;
    const std::int32_t last_block = (size - 1) / GetParam().block * GetParam().block;
    Ranks ranks = {0, 1, size / 2 - 1, size / 2, size - 2, size - 1, last_block, last_block - 1};
    std::mt19937_64 engine = seeded_engine();
    for (int i = 0; i < 10000; ++i) {
      ranks.push_back(static_cast<std::int32_t>(below(engine, static_cast<std::uint64_t>(size))));
    }
    return ranks;
  }
};

TEST_P(RankmapLargest, IsSound) { EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr)); }

TEST_P(RankmapLargest, GpidAgreesWith64BitArithmetic) {
  for (const std::int32_t rank : places()) {
    ASSERT_EQ(avrm_rankmap_gpid(map.get(), rank).lpid, lpid(rank)) << "rank " << rank;
  }
}

TEST_P(RankmapLargest, CheckedTranslationKnowsTheLastRank) {
  avrm_gpid_t gpid{};
  EXPECT_EQ(avrm_rankmap_gpid_checked(map.get(), GetParam().size - 1, &gpid), AVRM_OK);
  EXPECT_EQ(gpid.lpid, lpid(GetParam().size - 1));
  EXPECT_EQ(avrm_rankmap_gpid_checked(map.get(), kIntMin, &gpid), AVRM_ERR_RANK);
}

INSTANTIATE_TEST_SUITE_P(All, RankmapLargest, testing::ValuesIn(kLargest),
                         [](const auto &param) { return std::string(param.param.name); });

// ---- on an AV of the largest size: 24 GiB of address space, of which a few pages are used ----

class RankmapOnTheLargestAv : public testing::Test {
protected:
  Instance instance;
  AvPtr av;

  void SetUp() override {
    avrm_av_t *raw = nullptr;
    const avrm_status_t status = avrm_av_create(instance, kMaxSize, nullptr, &raw);
    if (status == AVRM_ERR_NO_MEMORY) {
      GTEST_SKIP() << "the system grants no 24 GiB of address space";
    }
    ASSERT_EQ(status, AVRM_OK);
    av.reset(raw);
  }

  void expect_translates(const MapPtr &map, std::int32_t rank, std::int32_t lpid) {
    const avrm_ave_t ave = ave_of({0, lpid});
    require(avrm_av_set(av.get(), lpid, &ave));
    EXPECT_EQ(avrm_rankmap_ave(map.get(), rank), av->elements + lpid) << "rank " << rank;
    EXPECT_EQ(avrm_rankmap_word(map.get(), rank), word_of({0, lpid})) << "rank " << rank;
    EXPECT_EQ(avrm_rankmap_node(map.get(), rank), node_of({0, lpid})) << "rank " << rank;
  }
};

TEST_F(RankmapOnTheLargestAv, EveryRegularMapReachesItsElements) {
  for (const Largest &largest : kLargest) {
    SCOPED_TRACE(largest.name);
    const MapPtr map = make_blocked(instance, largest.size, largest.offset, largest.stride, largest.block);
    require(avrm_rankmap_bind(map.get()));
    for (const std::int32_t rank : {0, 1, largest.size / 2, largest.size - 1}) {
      expect_translates(map, rank,
                        static_cast<std::int32_t>(formula(largest.offset, largest.stride, largest.block, rank)));
    }
  }
}

TEST_F(RankmapOnTheLargestAv, LutReachesBothEnds) {
  const Ranks lpids = {kLastLpid, 0, k2To30, 5};
  const MapPtr map = make_lpids(instance, lpids);
  require(avrm_rankmap_bind(map.get()));
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    expect_translates(map, rank, lpids[static_cast<std::size_t>(rank)]);
  }
}

TEST_F(RankmapOnTheLargestAv, MlutReachesBothEnds) {
  const AvPtr other = make_av(instance, 10);
  const Table table = {{0, kLastLpid}, {1, 9}, {0, 0}, {0, k2To30}};
  const MapPtr map = make_gpids(instance, table);
  require(avrm_rankmap_bind(map.get()));
  for (const std::int32_t rank : {0, 2, 3}) {
    expect_translates(map, rank, table[static_cast<std::size_t>(rank)].lpid);
  }
}

// ---- plain tables with lpids whose elements begin beyond word 2^32 of the AV's table ----

class RankmapWithGreatLpids : public RankmapOnTheLargestAv {
protected:
  AvPtr other;

  void SetUp() override {
    RankmapOnTheLargestAv::SetUp();
    other = make_av(instance, 10);
  }

  // A lut, or an mlut with a process of the other group.
  [[nodiscard]] MapPtr make_table(std::int32_t greatest, avrm_mode_t mode) const {
    const Table table = {{0, greatest}, {mode == AVRM_MODE_MLUT ? 1 : 0, 3}, {0, 7}, {0, 5}};
    MapPtr map = make_gpids(instance, table);
    EXPECT_EQ(info_of(map.get()).mode, mode);
    require(avrm_rankmap_bind(map.get()));
    return map;
  }

  // Inline and in bulk.
  void expect_exact(const MapPtr &map, std::int32_t greatest) {
    expect_translates(map, 0, greatest);
    expect_translates(map, 3, 5);
    for (const avrm_test_model_t *model : {&avrm_test_model, &avrm_test_model_framed}) {
      EXPECT_EQ(model->word(map.get(), 0), word_of({0, greatest})) << model->name;
      EXPECT_EQ(model->ave(map.get(), 0), av->elements + greatest) << model->name;
      EXPECT_EQ(model->node(map.get(), 0), node_of({0, greatest})) << model->name;
      EXPECT_EQ(model->gpid(map.get(), 0).lpid, greatest) << model->name;
      EXPECT_EQ(model->lpid(map.get(), 0), greatest) << model->name;
    }
    std::uint64_t words[2] = {};
    const std::int32_t ranks[2] = {3, 0};
    require(avrm_rankmap_words(map.get(), 2, ranks, words));
    EXPECT_EQ(words[0], word_of({0, 5}));
    EXPECT_EQ(words[1], word_of({0, greatest}));
    EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
  }
};

TEST_F(RankmapWithGreatLpids, AreExact) {
  constexpr std::int32_t kLastIn32Bits = 1431655765;
  for (const std::int32_t greatest : {kLastIn32Bits, kLastIn32Bits + 1, kLastLpid}) {
    for (const avrm_mode_t mode : {AVRM_MODE_LUT, AVRM_MODE_MLUT}) {
      expect_exact(make_table(greatest, mode), greatest);
    }
  }
}

// ---- compositions whose products pass 32 bits ----

TEST(RankmapLargestComposition, ReversalOfAnAffineMap) {
  const Instance instance;
  for (const Largest &largest : kLargest) {
    if (largest.block == 1) {
      const MapPtr map = make_stride(instance, largest.size, largest.offset, largest.stride);
      const MapPtr reversed = make_child_regular(map, largest.size, largest.size - 1, -1);
      for (const std::int32_t rank : {0, 1, largest.size / 2, largest.size - 1}) {
        EXPECT_EQ(avrm_rankmap_gpid(reversed.get(), rank).lpid,
                  formula(largest.offset, largest.stride, 1, std::int64_t{largest.size} - 1 - rank))
            << largest.name << ", rank " << rank;
      }
    }
  }
}

TEST(RankmapLargestComposition, StrideOfAStrideInTheWholeRange) {
  const Instance instance;
  const MapPtr outer = make_stride(instance, 46341, kLastLpid, -46340);
  const MapPtr inner = make_child_regular(outer, 2, 0, 46340);
  EXPECT_EQ(avrm_rankmap_gpid(inner.get(), 1).lpid, kLastLpid - 46340 * 46340);
  EXPECT_EQ(info_of(inner.get()).stride, -46340 * 46340);
}

TEST(RankmapLargestComposition, BlocksOfBlocksInTheWholeRange) {
  const Instance instance;
  const MapPtr outer = make_blocked(instance, kMaxSize, 0, k2To30 - 1, k2To30);
  const MapPtr inner = make_child_regular(outer, 4, 5, k2To30, 2);
  EXPECT_TRUE(agrees(inner.get(), in_group(0, {5, 6, k2To30 + 4, k2To30 + 5})));
}

TEST(RankmapLargestComposition, ChildBeyondTheLargestParentIsRefused) {
  const Instance instance;
  const MapPtr parent = make_direct(instance, kMaxSize);
  const auto refused = [&](std::int32_t size, std::int32_t offset, std::int32_t stride, std::int32_t block) {
    return refusal(instance, [&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_child_regular(parent.get(), size, offset, stride, block, 0, map_p);
    });
  };
  EXPECT_EQ(refused(kMaxSize, 1, 1, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused(1, kIntMax, 1, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused(kMaxSize, kLastLpid, kIntMin, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused(kMaxSize, 0, kIntMax, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused(5, 0, k2To30, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused(10, 0, k2To30, 2), AVRM_ERR_RANK);
}

TEST(RankmapLargestComposition, ConcatenationToTheLargestSizeIsDirect) {
  const Instance instance;
  const MapPtr low = make_direct(instance, k2To30);
  const MapPtr high = make_offset(instance, k2To30 - 1, k2To30);
  const MapPtr all = make_concat({low.get(), high.get()});
  EXPECT_EQ(shape_of(all.get()), (Shape{AVRM_MODE_DIRECT, 0, 0, 1, 1}));
  EXPECT_EQ(avrm_rankmap_size(all.get()), kMaxSize);
}

TEST(RankmapLargestComposition, ConcatenationBeyondTheLargestSizeIsALimit) {
  const Instance instance;
  const MapPtr half = make_direct(instance, k2To30);
  const avrm_rankmap_t *const parents[] = {half.get(), half.get()};
  EXPECT_EQ(refusal(instance, [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_concat(2, parents, 0, map_p); }),
            AVRM_ERR_LIMIT);
}

TEST(RankmapLargestComposition, ConcatenationOfManyLargestIsALimit) {
  const Instance instance;
  const MapPtr largest = make_direct(instance, kMaxSize);
  const std::vector<const avrm_rankmap_t *> parents(1000, largest.get());
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_concat(1000, parents.data(), 0, map_p); }),
            AVRM_ERR_LIMIT);
}

} // namespace
} // namespace avrankmap::test
