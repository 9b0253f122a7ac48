// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Creation of regular maps from parameters: normal forms, errors, and the limits of the integers.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

// ---- the object ----

TEST(RankmapObject, Is56Bytes) { EXPECT_EQ(sizeof(avrm_rankmap_t), 56U); }

TEST(RankmapObject, RegularMapAllocatesNothing) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const std::uint64_t calls = memory.calls();
  const MapPtr map = make_blocked(instance, 1000, 3, 8, 4);
  EXPECT_EQ(memory.calls(), calls);
}

TEST(RankmapObject, DestroyGivesBackWhatCreationTook) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const std::uint64_t live_bytes = memory.live_bytes();
  make_lpids(instance, {3, 1, 4, 0, 5}).reset();
  EXPECT_EQ(memory.live_bytes(), live_bytes);
}

TEST(RankmapObject, DestroyOfNullDoesNothing) { avrm_rankmap_destroy(nullptr); }

TEST(RankmapObject, DestroyLeavesZeroBytesWhichMayBeDestroyedAgain) {
  const Instance instance;
  const MapPtr map = make_lpids(instance, {3, 1, 4, 0, 5});
  avrm_rankmap_destroy(map.get());
  EXPECT_TRUE(is_no_map(*map));
  avrm_rankmap_destroy(map.get());
}

TEST(RankmapObject, MayBeMovedAsBytesWhileItIsNotBound) {
  const Instance instance;
  const AvPtr av = make_av(instance, 100);
  fill(av.get());
  const Ranks lpids = {3, 1, 99, 0, 98};
  const MapPtr made = make_lpids(instance, lpids);
  MapPtr map(new avrm_rankmap_t(*made));
  *made = avrm_rankmap_t{};
  require(avrm_rankmap_bind(map.get()));
  EXPECT_TRUE(agrees(map.get(), in_group(0, lpids)));
  EXPECT_EQ(avrm_rankmap_word(map.get(), 2), word_of({0, 99}));
}

// ---- modes ----

TEST(RankmapModes, LabelsAreTheWordsOfTheVocabulary) {
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_DIRECT), "direct");
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_OFFSET), "offset");
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_STRIDE), "stride");
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_BLOCKED), "blocked");
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_LUT), "lut");
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_MLUT), "mlut");
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_SEGMENTS), "segments");
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_CART), "cart");
  EXPECT_STREQ(avrm_mode_label(AVRM_MODE_LESS), "less");
}

TEST(RankmapModes, LabelOfNoModeIsAQuestionMark) {
  EXPECT_STREQ(avrm_mode_label(static_cast<avrm_mode_t>(AVRM_MODE_LESS + 1)), "?");
}

// ---- normal forms ----

struct NormalForm {
  const char *fact;
  std::int32_t size, offset, stride, block; // as given
  avrm_mode_t mode;                         // as kept
  std::int32_t kept_offset, kept_stride, kept_block;
};

class RankmapNormalForm : public testing::TestWithParam<NormalForm> {};

TEST_P(RankmapNormalForm, Holds) {
  const NormalForm &form = GetParam();
  const Instance instance;
  const MapPtr map = make_blocked(instance, form.size, form.offset, form.stride, form.block, 3);
  EXPECT_EQ(shape_of(map.get()), (Shape{form.mode, 3, form.kept_offset, form.kept_stride, form.kept_block}));
  EXPECT_TRUE(agrees(map.get(), regular_table(3, form.size, form.offset, form.stride, form.block)));
}

TEST_P(RankmapNormalForm, IsFoundInThePlainTable) {
  const NormalForm &form = GetParam();
  const Instance instance;
  const MapPtr map = make_lpids(instance, regular_values(form.size, form.offset, form.stride, form.block), 3);
  EXPECT_EQ(shape_of(map.get()), (Shape{form.mode, 3, form.kept_offset, form.kept_stride, form.kept_block}));
}

INSTANTIATE_TEST_SUITE_P(
    All, RankmapNormalForm,
    testing::Values(NormalForm{"StrideOfOneAtZeroIsDirect", 10, 0, 1, 1, AVRM_MODE_DIRECT, 0, 1, 1},
                    NormalForm{"StrideOfOneIsOffset", 10, 7, 1, 1, AVRM_MODE_OFFSET, 7, 1, 1},
                    NormalForm{"StrideIsStride", 10, 7, 3, 1, AVRM_MODE_STRIDE, 7, 3, 1},
                    NormalForm{"NegativeStrideIsStride", 10, 40, -4, 1, AVRM_MODE_STRIDE, 40, -4, 1},
                    NormalForm{"ReversalIsStride", 10, 9, -1, 1, AVRM_MODE_STRIDE, 9, -1, 1},
                    NormalForm{"TwoRanksApartAreStride", 2, 7, 100, 1, AVRM_MODE_STRIDE, 7, 100, 1},
                    NormalForm{"OneRankIsOffset", 1, 7, -100, 1, AVRM_MODE_OFFSET, 7, 1, 1},
                    NormalForm{"OneRankAtZeroIsDirect", 1, 0, 100, 1, AVRM_MODE_DIRECT, 0, 1, 1},
                    NormalForm{"OneRankOfABlockIsOffset", 1, 7, 100, 5, AVRM_MODE_OFFSET, 7, 1, 1},
                    NormalForm{"BlocksAreBlocked", 10, 7, 5, 2, AVRM_MODE_BLOCKED, 7, 5, 2},
                    NormalForm{"BlocksBackwardsAreBlocked", 10, 70, -5, 2, AVRM_MODE_BLOCKED, 70, -5, 2},
                    NormalForm{"BlockOfTheStridesLengthIsOffset", 10, 7, 4, 4, AVRM_MODE_OFFSET, 7, 1, 1},
                    NormalForm{"BlockOfTheStridesLengthAtZeroIsDirect", 10, 0, 4, 4, AVRM_MODE_DIRECT, 0, 1, 1},
                    NormalForm{"BlockOfTheStridesLengthBackwardsIsBlocked", 10, 8, -4, 4, AVRM_MODE_BLOCKED, 8, -4, 4},
                    NormalForm{"BlockOfTheMapsLengthIsOffset", 10, 7, 100, 10, AVRM_MODE_OFFSET, 7, 1, 1},
                    NormalForm{"BlockBeyondTheMapIsOffset", 10, 7, -100, 11, AVRM_MODE_OFFSET, 7, 1, 1},
                    NormalForm{"BlockAndOneRankIsBlocked", 10, 7, 100, 9, AVRM_MODE_BLOCKED, 7, 100, 9},
                    NormalForm{"OverlappingBlocksAreBlocked", 10, 7, 2, 3, AVRM_MODE_BLOCKED, 7, 2, 3},
                    NormalForm{"BlocksOneApartAreBlocked", 10, 7, 1, 3, AVRM_MODE_BLOCKED, 7, 1, 3},
                    NormalForm{"BlocksOneApartBackwardsAreBlocked", 10, 7, -1, 3, AVRM_MODE_BLOCKED, 7, -1, 3}),
    [](const auto &param) { return std::string(param.param.fact); });

TEST(RankmapCreate, DirectMapsEachRankToItself) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_direct(instance, 10, 2).get(), regular_table(2, 10, 0, 1)));
}

TEST(RankmapCreate, OffsetAddsToTheRank) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_offset(instance, 10, 5, 2).get(), regular_table(2, 10, 5, 1)));
}

TEST(RankmapCreate, OffsetOfZeroIsDirect) {
  const Instance instance;
  EXPECT_EQ(info_of(make_offset(instance, 10, 0).get()).mode, AVRM_MODE_DIRECT);
}

TEST(RankmapCreate, StrideMultipliesTheRank) {
  const Instance instance;
  EXPECT_TRUE(agrees(make_stride(instance, 10, 50, -5, 2).get(), regular_table(2, 10, 50, -5)));
}

TEST(RankmapCreate, EverySmallParameterAgreesWithTheFormula) {
  const Instance instance;
  for (std::int32_t size = 1; size <= 9; ++size) {
    for (std::int32_t stride = -6; stride <= 6; ++stride) {
      for (std::int32_t block = 1; stride != 0 && block <= 6; ++block) {
        const MapPtr map = make_blocked(instance, size, 60, stride, block);
        ASSERT_TRUE(agrees(map.get(), regular_table(0, size, 60, stride, block)))
            << "size " << size << " stride " << stride << " block " << block;
      }
    }
  }
}

TEST(RankmapCreate, PgidNeedsNoProcessGroup) {
  const Instance instance;
  EXPECT_EQ(info_of(make_direct(instance, 10, kIntMax).get()).pgid, kIntMax);
}

// ---- what describe tells beside the shape ----

TEST(RankmapDescribe, RegularMapHasNoTable) {
  const Instance instance;
  const MapPtr map = make_blocked(instance, 10, 7, 5, 2);
  const avrm_rankmap_info_t info = info_of(map.get());
  EXPECT_EQ(info.size, 10);
  EXPECT_EQ(info.process_groups, 1);
  EXPECT_EQ(info.table_sharers, 0U);
  EXPECT_EQ(info.own_bytes, 56U);
  EXPECT_EQ(info.table_bytes, 0U);
  EXPECT_FALSE(info.bound);
}

TEST(RankmapDescribe, NullPointersAreRefused) {
  const Instance instance;
  const MapPtr map = make_direct(instance, 10);
  avrm_rankmap_info_t info{};
  EXPECT_EQ(avrm_rankmap_describe(nullptr, &info), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_rankmap_describe(map.get(), nullptr), AVRM_ERR_NULL);
}

// ---- what is refused ----

// The four functions behind one signature; those that lack an argument ignore it.
using RegularCreator = avrm_status_t (*)(avrm_instance_t *, std::int32_t pgid, std::int32_t size, avrm_rankmap_t *);

struct NamedCreator {
  const char *name;
  RegularCreator create;
};

class RankmapRegularCreator : public testing::TestWithParam<NamedCreator> {
protected:
  Instance instance;
  avrm_status_t refused(std::int32_t pgid, std::int32_t size) {
    return refusal(instance, [&](avrm_rankmap_t *map_p) { return GetParam().create(instance, pgid, size, map_p); });
  }
};

TEST_P(RankmapRegularCreator, RefusesNullInstance) {
  EXPECT_EQ(refusal(instance, [&](avrm_rankmap_t *map_p) { return GetParam().create(nullptr, 0, 4, map_p); }),
            AVRM_ERR_NULL);
}

TEST_P(RankmapRegularCreator, RefusesNullOutput) {
  EXPECT_EQ(GetParam().create(instance, 0, 4, nullptr), AVRM_ERR_NULL);
}

TEST_P(RankmapRegularCreator, RefusesNegativeSize) {
  EXPECT_EQ(refused(0, -1), AVRM_ERR_SIZE);
  EXPECT_EQ(refused(0, kIntMin), AVRM_ERR_SIZE);
}

TEST_P(RankmapRegularCreator, RefusesNegativePgid) {
  EXPECT_EQ(refused(-1, 4), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_EQ(refused(kIntMin, 4), AVRM_ERR_PGID_UNKNOWN);
}

INSTANTIATE_TEST_SUITE_P(
    All, RankmapRegularCreator,
    testing::Values(NamedCreator{"Direct",
                                 [](avrm_instance_t *i, std::int32_t pgid, std::int32_t size, avrm_rankmap_t *map_p) {
                                   return avrm_rankmap_create_direct(i, pgid, size, map_p);
                                 }},
                    NamedCreator{"Offset",
                                 [](avrm_instance_t *i, std::int32_t pgid, std::int32_t size, avrm_rankmap_t *map_p) {
                                   return avrm_rankmap_create_offset(i, pgid, size, 9, map_p);
                                 }},
                    NamedCreator{"Stride",
                                 [](avrm_instance_t *i, std::int32_t pgid, std::int32_t size, avrm_rankmap_t *map_p) {
                                   return avrm_rankmap_create_stride(i, pgid, size, 9, 2, map_p);
                                 }},
                    NamedCreator{"Blocked",
                                 [](avrm_instance_t *i, std::int32_t pgid, std::int32_t size, avrm_rankmap_t *map_p) {
                                   return avrm_rankmap_create_blocked(i, pgid, size, 9, 5, 2, map_p);
                                 }}),
    [](const auto &param) { return std::string(param.param.name); });

avrm_status_t blocked_refusal(const Instance &instance, std::int32_t size, std::int32_t offset, std::int32_t stride,
                              std::int32_t block) {
  return refusal(instance, [&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_blocked(instance, 0, size, offset, stride, block, map_p);
  });
}

TEST(RankmapCreate, RefusesStrideZero) {
  const Instance instance;
  EXPECT_EQ(
      refusal(instance, [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_stride(instance, 0, 4, 9, 0, map_p); }),
      AVRM_ERR_STRIDE);
  EXPECT_EQ(blocked_refusal(instance, 4, 9, 0, 2), AVRM_ERR_STRIDE);
}

TEST(RankmapCreate, RefusesStrideZeroForOneRankToo) {
  const Instance instance;
  EXPECT_EQ(blocked_refusal(instance, 1, 9, 0, 1), AVRM_ERR_STRIDE);
}

TEST(RankmapCreate, RefusesBlockBelowOne) {
  const Instance instance;
  EXPECT_EQ(blocked_refusal(instance, 4, 9, 5, 0), AVRM_ERR_BLOCK);
  EXPECT_EQ(blocked_refusal(instance, 4, 9, 5, -1), AVRM_ERR_BLOCK);
  EXPECT_EQ(blocked_refusal(instance, 4, 9, 5, kIntMin), AVRM_ERR_BLOCK);
}

// ---- overflow of offset + rank * stride ----

struct Edge {
  const char *fact;
  std::int32_t size, offset, stride, block;
};

class RankmapOverflow : public testing::TestWithParam<Edge> {};

TEST_P(RankmapOverflow, IsRefused) {
  const Edge &edge = GetParam();
  const Instance instance;
  EXPECT_EQ(blocked_refusal(instance, edge.size, edge.offset, edge.stride, edge.block), AVRM_ERR_OVERFLOW);
}

constexpr std::int32_t k2To30 = 1 << 30;

INSTANTIATE_TEST_SUITE_P(
    All, RankmapOverflow,
    testing::Values(
        Edge{"NegativeOffset", 1, -1, 1, 1}, Edge{"LeastOffset", 1, kIntMin, 1, 1},
        Edge{"OffsetBeyondTheLastLpid", 1, kIntMax, 1, 1}, Edge{"LastRankBeyondTheLastLpid", 2, kLastLpid, 1, 1},
        Edge{"LargestSizeAtOne", kMaxSize, 1, 1, 1}, Edge{"NegativeFirstRankOnly", 10, -1, 1, 1},
        Edge{"StrideBelowZero", 2, 0, -1, 1}, Edge{"StrideBelowZeroAtTheEnd", 11, 9, -1, 1},
        Edge{"LargestStride", 2, 0, kIntMax, 1}, Edge{"LeastStride", 2, kLastLpid, kIntMin, 1},
        Edge{"LargestStrideTimesLargestSize", kMaxSize, kLastLpid, kIntMax, 1},
        Edge{"LeastStrideTimesLargestSize", kMaxSize, kLastLpid, kIntMin, 1},
        Edge{"LastRankIsZeroModulo32Bits", 5, 0, k2To30, 1},
        Edge{"LastRankIsZeroModulo32BitsBackwards", 5, 0, -k2To30, 1},
        Edge{"LastRankFitsModulo32Bits", 65537, 5, 65536, 1},
        Edge{"ReversalFromBelowTheEnd", kMaxSize, kLastLpid - 1, -1, 1},
        Edge{"EndOfTheOnlyBlock", 4, kLastLpid - 2, 100, 4},
        Edge{"EndOfTheFirstBlockBackwards", 8, kLastLpid - 2, -100, 4},
        Edge{"EndOfTheBlockBeforeAShortOne", 5, kLastLpid - 2, 1, 4},
        Edge{"EndOfTheLastBlock", 8, kLastLpid - 102, 100, 4}, Edge{"ShortLastBlockBelowZero", 5, 99, -100, 4},
        Edge{"BlocksThatWrapModulo32Bits", 10, 0, k2To30, 2}, Edge{"NegativeOffsetOfABlock", 4, -1, 100, 4}),
    [](const auto &param) { return std::string(param.param.fact); });

TEST(RankmapCreate, OffsetOverflowIsRefusedByTheShorterFunctionsToo) {
  const Instance instance;
  EXPECT_EQ(
      refusal(instance, [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_offset(instance, 0, 2, -1, map_p); }),
      AVRM_ERR_OVERFLOW);
  EXPECT_EQ(refusal(instance,
                    [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_stride(instance, 0, 2, 0, -1, map_p); }),
            AVRM_ERR_OVERFLOW);
}

class RankmapNoOverflow : public testing::TestWithParam<Edge> {};

TEST_P(RankmapNoOverflow, IsAccepted) {
  const Edge &edge = GetParam();
  const Instance instance;
  const MapPtr map = make_blocked(instance, edge.size, edge.offset, edge.stride, edge.block);
  EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
  const std::int32_t last = edge.size - 1;
  EXPECT_EQ(avrm_rankmap_gpid(map.get(), last).lpid, formula(edge.offset, edge.stride, edge.block, last));
}

INSTANTIATE_TEST_SUITE_P(All, RankmapNoOverflow,
                         testing::Values(Edge{"LastLpid", 1, kLastLpid, 1, 1}, Edge{"LargestSize", kMaxSize, 0, 1, 1},
                                         Edge{"ReversalOfTheLargestSize", kMaxSize, kLastLpid, -1, 1},
                                         Edge{"StrideToTheLastLpid", 2, 0, kLastLpid, 1},
                                         Edge{"StrideFromTheLastLpid", 2, kLastLpid, -kLastLpid, 1},
                                         Edge{"StrideThatOneRankNeverTakes", 1, 5, kIntMin, 1},
                                         Edge{"StrideThatOneBlockNeverTakes", 5, 5, kIntMax, 5},
                                         Edge{"LargestBlock", 5, 5, kIntMax, kIntMax},
                                         Edge{"ShortLastBlockAtTheEnd", 5, 0, kLastLpid, 4},
                                         Edge{"ShortLastBlockAtZero", 5, 100, -100, 4},
                                         Edge{"LastBlockAtTheEnd", 8, kLastLpid - 103, 100, 4}),
                         [](const auto &param) { return std::string(param.param.fact); });

// Both ends of the range, every small shape: the status is what brute force says.
TEST(RankmapCreate, OverflowIsSeenExactlyWhereSomeRankLeavesTheRange) {
  const Instance instance;
  std::vector<std::int32_t> offsets;
  for (std::int32_t distance = -2; distance <= 24; ++distance) {
    offsets.push_back(distance);
    offsets.push_back(distance < 0 ? kIntMax : kLastLpid - distance);
  }
  for (std::int32_t size = 1; size <= 7; ++size) {
    for (std::int32_t stride = -4; stride <= 4; ++stride) {
      for (std::int32_t block = 1; stride != 0 && block <= 8; ++block) {
        for (const std::int32_t offset : offsets) {
          bool fits = true;
          for (std::int32_t rank = 0; rank < size; ++rank) {
            const std::int64_t lpid = formula(offset, stride, block, rank);
            fits = fits && lpid >= 0 && lpid <= kLastLpid;
          }
          avrm_rankmap_t map{};
          ASSERT_EQ(avrm_rankmap_create_blocked(instance, 0, size, offset, stride, block, &map),
                    fits ? AVRM_OK : AVRM_ERR_OVERFLOW)
              << "size " << size << " offset " << offset << " stride " << stride << " block " << block;
          avrm_rankmap_destroy(&map);
        }
      }
    }
  }
}

} // namespace
} // namespace avrankmap::test
