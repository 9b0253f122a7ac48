// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The schemes that the component is compared with: which form each of them gives to a communicator,
// and the bytes that it holds, as the descriptions have them.

#include "baseline_twin.h"

#include "baseline/baselines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace avrankmap::bench {
namespace {

using namespace twin;

// ---- bytes ----

template <class S> std::uint64_t bytes_of_world(std::int32_t size) {
  S scheme;
  const std::uint64_t empty = scheme.bytes();
  scheme.add_world(size);
  return scheme.bytes() - empty;
}

template <class S> std::uint64_t bytes_of_child(const Ranks &ranks) {
  S scheme;
  scheme.add_world(kWorldSize);
  const auto world = scheme.make_world(0);
  const std::uint64_t before = scheme.bytes();
  const auto child = scheme.make_child(world, ranks);
  return scheme.bytes() - before;
}

template <class S> std::uint64_t bytes_of_merged(std::int32_t size_of_each) {
  S scheme;
  scheme.add_world(size_of_each);
  scheme.add_world(size_of_each);
  const std::uint64_t before = scheme.bytes();
  const auto merged = scheme.make_merged(joined(world_table(0, size_of_each), world_table(1, size_of_each)));
  return scheme.bytes() - before;
}

/// All ranks in an order that has no pattern, and no two neighbours that follow one another.
Ranks scrambled_world() {
  Ranks ranks;
  for (std::int32_t i = 0; i < kWorldSize; ++i) {
    ranks.push_back(i * 387 % kWorldSize);
  }
  return ranks;
}

TEST(BaselineBytes, VcVcrtHolds480PerProcess) {
  EXPECT_EQ(bytes_of_world<VcVcrt>(kWorldSize), sizeof(VcVcrt::ProcessGroup) + std::uint64_t{480} * kWorldSize);
}

TEST(BaselineBytes, VcVcrtHolds8PerRankOfAnyCommunicator) {
  EXPECT_EQ(bytes_of_child<VcVcrt>(contiguous(500, 0)), 8 + 8 + 8 * 500);
  EXPECT_EQ(bytes_of_child<VcVcrt>(scrambled_world()), 8 + 8 + 8 * 1000);
  EXPECT_EQ(bytes_of_merged<VcVcrt>(100), 8 + 8 + 8 * 200);
}

TEST(BaselineBytes, Mpich4Holds72PerProcess) {
  EXPECT_EQ(bytes_of_world<Mpich4>(kWorldSize), sizeof(Mpich4::AvTable) + std::uint64_t{72} * kWorldSize);
}

TEST(BaselineBytes, Mpich4HoldsItsRankMapAndATableOnlyIfIrregular) {
  EXPECT_EQ(bytes_of_child<Mpich4>(pattern(100, 5, 7, 2)), 40);
  EXPECT_EQ(bytes_of_child<Mpich4>(scrambled_world()), 40 + 8 + 4 * 1000);
  EXPECT_EQ(bytes_of_merged<Mpich4>(100), 40 + 8 + 8 * 200);
}

TEST(BaselineBytes, Mpich5Holds32PerProcess) {
  EXPECT_EQ(bytes_of_world<Mpich5>(kWorldSize), sizeof(Mpich5::AvTable) + std::uint64_t{32} * kWorldSize);
}

TEST(BaselineBytes, Mpich5HoldsItsGroupAndATableUnlessStrided) {
  EXPECT_EQ(bytes_of_child<Mpich5>(pattern(100, 900, -7)), 8 + 48);
  EXPECT_EQ(bytes_of_child<Mpich5>(pattern(100, 5, 7, 2)), 8 + 48 + 8 * 100);
  EXPECT_EQ(bytes_of_merged<Mpich5>(100), 8 + 48 + 8 * 200);
}

TEST(BaselineBytes, OmpiSparseHoldsAProcessAndAnEndpointPerProcess) {
  EXPECT_EQ(bytes_of_world<OmpiSparse>(kWorldSize), std::uint64_t{112 + 56} * kWorldSize);
}

TEST(BaselineBytes, OmpiHoldsNoProcessBeforeFirstContact) {
  EXPECT_EQ(bytes_of_world<OmpiSparseAtStart>(kWorldSize), 0U);
  EXPECT_EQ(bytes_of_world<OmpiAtStart>(kWorldSize), 0U);
  EXPECT_EQ(bytes_of_child<OmpiSparseAtStart>(pattern(100, 5, 7)), 8 + 80);
  EXPECT_EQ(bytes_of_child<OmpiAtStart>(pattern(100, 5, 7)), 8 + 80 + 8 * 100);
}

TEST(BaselineOmpi, AContactedProcessHasAnAddressInItsGroup) {
  OmpiSparseAtStart sparse;
  const OmpiSparse::Comm world = sparse.make_world(sparse.add_world(kWorldSize));
  const OmpiSparse::Comm child = sparse.make_child(world, pattern(100, 5, 7));
  EXPECT_EQ(OmpiSparse::address(child, 3), kNotNetwork);
  const std::uint64_t before = sparse.bytes();
  sparse.contact(child, 3);
  EXPECT_EQ(sparse.bytes() - before, 112U + 56);
  EXPECT_EQ(OmpiSparse::address(child, 3), address_of({0, 26}));
  EXPECT_EQ(OmpiSparse::address(world, 26), address_of({0, 26})) << "which the child refers to";
  EXPECT_EQ(OmpiSparse::address(world, 27), kNotNetwork);
  OmpiAtStart dense;
  const OmpiSparse::Comm all = dense.make_world(dense.add_world(kWorldSize));
  const OmpiSparse::Comm part = dense.make_child(all, pattern(100, 5, 7));
  dense.contact(part, 3);
  EXPECT_EQ(OmpiSparse::address(part, 3), address_of({0, 26}));
  EXPECT_EQ(OmpiSparse::address(all, 26), kNotNetwork) << "a table of its own";
  const std::uint64_t contacted = dense.bytes();
  dense.contact(all, 26);
  EXPECT_EQ(dense.bytes(), contacted) << "the same object";
}

TEST(BaselineBytes, OmpiSparseHoldsTheSmallestOfFourForms) {
  EXPECT_EQ(bytes_of_child<OmpiSparse>(pattern(100, 5, 7)), 8 + 80);
  EXPECT_EQ(bytes_of_child<OmpiSparse>(pattern(30, 5, 20, 10)), 8 + 80 + 3 * 8);
  EXPECT_EQ(bytes_of_child<OmpiSparse>(pattern(500, 0, 4, 2)), 8 + 80 + 1000 / 8);
  EXPECT_EQ(bytes_of_child<OmpiSparse>(scrambled_world()), 8 + 80 + 8 * 1000);
}

TEST(BaselineBytes, RawHolds8PerRankAndNothingPerProcess) {
  EXPECT_EQ(bytes_of_world<Raw>(kWorldSize), 0);
  EXPECT_EQ(bytes_of_child<Raw>(contiguous(500, 0)), 8 + 8 + 8 * 500);
}

// ---- forms ----

class Mpich4Modes : public testing::Test {
protected:
  using Mode = Mpich4::Mode;

  Mpich4Modes() {
    scheme_.add_world(kWorldSize);
    scheme_.add_world(kWorldSize);
  }

  Mode child(std::int32_t pgid, const Ranks &ranks) {
    return scheme_.make_child(scheme_.make_world(pgid), ranks).mode();
  }

  Mpich4 scheme_;
};

TEST_F(Mpich4Modes, OwnWorldTakesTheIntraTwins) {
  EXPECT_EQ(scheme_.make_world(0).mode(), Mode::kDirectIntra);
  EXPECT_EQ(child(0, contiguous(10, 1)), Mode::kOffsetIntra);
  EXPECT_EQ(child(0, pattern(10, 1, 2)), Mode::kStrideIntra);
  EXPECT_EQ(child(0, pattern(10, 1, 4, 2)), Mode::kStrideBlockIntra);
  EXPECT_EQ(child(0, scrambled_world()), Mode::kLutIntra);
}

TEST_F(Mpich4Modes, OtherWorldTakesThePlainTwins) {
  EXPECT_EQ(scheme_.make_world(1).mode(), Mode::kDirect);
  EXPECT_EQ(child(1, contiguous(10, 1)), Mode::kOffset);
  EXPECT_EQ(child(1, pattern(10, 1, 2)), Mode::kStride);
  EXPECT_EQ(child(1, pattern(10, 1, 4, 2)), Mode::kStrideBlock);
  EXPECT_EQ(child(1, scrambled_world()), Mode::kLut);
}

TEST_F(Mpich4Modes, SeveralWorldsTakeAnMlut) {
  EXPECT_EQ(scheme_.make_merged(joined(world_table(0, 5), world_table(1, 5))).mode(), Mode::kMlut);
}

TEST_F(Mpich4Modes, NegativeStrideTakesALut) { EXPECT_EQ(child(0, pattern(10, 100, -2)), Mode::kLutIntra); }

TEST_F(Mpich4Modes, StrideNotLongerThanItsBlockTakesALut) { EXPECT_EQ(child(0, {5, 6, 7, 2, 3, 4}), Mode::kLutIntra); }

TEST_F(Mpich4Modes, StrideOfStrideIsReducedToAStride) {
  const auto parent = scheme_.make_child(scheme_.make_world(0), pattern(100, 1, 2));
  EXPECT_EQ(scheme_.make_child(parent, pattern(20, 3, 4)).mode(), Mode::kStrideIntra);
}

TEST_F(Mpich4Modes, MappingBackToOrderIsReducedToDirect) {
  const Ranks there = scrambled_world();
  Ranks back(there.size());
  for (std::size_t rank = 0; rank < there.size(); ++rank) {
    back[static_cast<std::size_t>(there[rank])] = static_cast<std::int32_t>(rank);
  }
  const auto parent = scheme_.make_child(scheme_.make_world(0), there);
  EXPECT_EQ(scheme_.make_child(parent, back).mode(), Mode::kDirectIntra);
}

TEST_F(Mpich4Modes, ContiguousPartOfATableSharesIt) {
  const auto parent = scheme_.make_child(scheme_.make_world(0), scrambled_world());
  const std::uint64_t before = scheme_.bytes();
  const auto part = scheme_.make_child(parent, contiguous(100, 50));
  EXPECT_EQ(part.mode(), Mode::kLutIntra);
  EXPECT_EQ(scheme_.bytes() - before, Mpich4::kCommBytes);
}

TEST_F(Mpich4Modes, SharedTableLivesAsLongAsAPartOfIt) {
  const Ranks ranks = scrambled_world();
  const std::uint64_t worlds = scheme_.bytes();
  {
    auto parent = scheme_.make_child(scheme_.make_world(0), ranks);
    const auto part = scheme_.make_child(parent, contiguous(100, 50));
    parent = scheme_.make_world(0);
    expect_agrees<Mpich4>(part, child_table(child_table(world_table(0, kWorldSize), ranks), contiguous(100, 50)));
  }
  EXPECT_EQ(scheme_.bytes(), worlds);
}

TEST(Mpich5Maps, StrideOfAnySignNeedsNoTable) {
  Mpich5 scheme;
  const auto world = scheme.make_world(scheme.add_world(kWorldSize));
  EXPECT_FALSE(world.has_table());
  EXPECT_FALSE(scheme.make_child(world, pattern(10, 3, 5)).has_table());
  EXPECT_FALSE(scheme.make_child(world, pattern(10, 300, -5)).has_table());
}

TEST(Mpich5Maps, BlocksNeedATable) {
  Mpich5 scheme;
  const auto world = scheme.make_world(scheme.add_world(kWorldSize));
  EXPECT_TRUE(scheme.make_child(world, pattern(10, 3, 5, 2)).has_table());
}

class OmpiSparseForms : public testing::Test {
protected:
  using Form = OmpiSparse::Form;

  Form child(const Ranks &ranks) { return scheme_.make_child(world_, ranks).form(); }

  OmpiSparse scheme_;
  OmpiSparse::Comm world_ = scheme_.make_world(scheme_.add_world(kWorldSize));
};

TEST_F(OmpiSparseForms, WorldIsDense) { EXPECT_EQ(world_.form(), Form::kDense); }

TEST_F(OmpiSparseForms, ContiguousRanksAreOneRange) { EXPECT_EQ(child(contiguous(100, 3)), Form::kSporadic); }

TEST_F(OmpiSparseForms, PositiveStrideIsStrided) { EXPECT_EQ(child(pattern(100, 3, 2)), Form::kStrided); }

TEST_F(OmpiSparseForms, NegativeStrideIsDense) { EXPECT_EQ(child(pattern(100, 900, -2)), Form::kDense); }

TEST_F(OmpiSparseForms, ManyAscendingRangesAreABitmap) { EXPECT_EQ(child(pattern(500, 0, 4, 2)), Form::kBitmap); }

TEST_F(OmpiSparseForms, OrderWithoutRangesIsDense) { EXPECT_EQ(child(scrambled_world()), Form::kDense); }

// One pair of neighbours is enough: a list of 999 ranges takes 8 bytes less than 1000 pointers.
TEST_F(OmpiSparseForms, OrderWithOneRangeIsSporadic) {
  Ranks ranks = scrambled_world();
  std::swap(*std::find(ranks.begin(), ranks.end(), 1), ranks[1]);
  EXPECT_EQ(child(ranks), Form::kSporadic);
}

TEST_F(OmpiSparseForms, SparseGroupKeepsItsAncestorsAlive) {
  const Ranks evens = pattern(500, 0, 2);
  const Ranks part = contiguous(100, 20);
  OmpiSparse::Comm parent = scheme_.make_child(world_, evens);
  const OmpiSparse::Comm child = scheme_.make_child(parent, part);
  parent = scheme_.make_child(world_, contiguous(1, 0));
  world_ = scheme_.make_child(world_, contiguous(1, 0));
  expect_agrees<OmpiSparse>(child, child_table(child_table(world_table(0, kWorldSize), evens), part));
}

} // namespace
} // namespace avrankmap::bench
