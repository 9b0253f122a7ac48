// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The schemes that the component is compared with: each translates every communicator as the plain
// table of its processes does, and gives back what its communicators held.

#include "baseline_twin.h"

#include "baseline/baselines.h"
#include "tests/support/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace avrankmap::bench {
namespace {

using namespace twin;

template <class S> class BaselineScheme : public testing::Test {
protected:
  void expect_child_agrees(const Ranks &ranks) {
    const std::int32_t pgid = scheme_.add_world(kWorldSize);
    const auto world = scheme_.make_world(pgid);
    expect_agrees<S>(scheme_.make_child(world, ranks), child_table(world_table(pgid, kWorldSize), ranks));
  }

  S scheme_;
  std::mt19937_64 random_ = test::seeded_engine();
};

/// vc-vcrt becomes VcVcrt: names of tests have no punctuation.
struct SchemeNames {
  template <class S> static std::string GetName(int) {
    std::string name;
    bool capital = true;
    for (const char c : std::string_view(S::kName)) {
      if (c == '-') {
        capital = true;
        continue;
      }
      name += capital && c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
      capital = false;
    }
    return name;
  }
};

using Schemes = testing::Types<VcVcrt, Mpich4, Mpich4Ucx, Mpich5, OmpiSparse, Raw>;
TYPED_TEST_SUITE(BaselineScheme, Schemes, SchemeNames);

TYPED_TEST(BaselineScheme, WorldsOfAnySizeAgreeWithTheirTables) {
  std::int32_t pgid = 0;
  for (const std::int32_t size : {1, 2, kWorldSize}) {
    ASSERT_EQ(this->scheme_.add_world(size), pgid);
    expect_agrees<TypeParam>(this->scheme_.make_world(pgid), world_table(pgid, size));
    ++pgid;
  }
}

TYPED_TEST(BaselineScheme, FirstRanksAgreeWithTheirTable) { this->expect_child_agrees(contiguous(600, 0)); }

TYPED_TEST(BaselineScheme, OffsetAgreesWithItsTable) { this->expect_child_agrees(contiguous(600, 400)); }

TYPED_TEST(BaselineScheme, StrideAgreesWithItsTable) { this->expect_child_agrees(pattern(249, 3, 4)); }

TYPED_TEST(BaselineScheme, NegativeStrideAgreesWithItsTable) { this->expect_child_agrees(pattern(333, 998, -3)); }

TYPED_TEST(BaselineScheme, ReversalAgreesWithItsTable) {
  this->expect_child_agrees(pattern(kWorldSize, kWorldSize - 1, -1));
}

TYPED_TEST(BaselineScheme, BlocksAgreeWithTheirTable) { this->expect_child_agrees(pattern(400, 2, 10, 4)); }

TYPED_TEST(BaselineScheme, PartialLastBlockAgreesWithItsTable) { this->expect_child_agrees(pattern(403, 1, 8, 4)); }

TYPED_TEST(BaselineScheme, DescendingBlocksAgreeWithTheirTable) { this->expect_child_agrees(pattern(400, 990, -8, 4)); }

TYPED_TEST(BaselineScheme, PermutationAgreesWithItsTable) {
  this->expect_child_agrees(permutation(kWorldSize, this->random_));
}

TYPED_TEST(BaselineScheme, IrregularAscendingRanksAgreeWithTheirTable) {
  this->expect_child_agrees(irregular_ascending(500, kWorldSize, this->random_));
}

TYPED_TEST(BaselineScheme, FewRangesAgreeWithTheirTable) {
  Ranks ranks = contiguous(300, 600);
  const Ranks more = contiguous(200, 50);
  ranks.insert(ranks.end(), more.begin(), more.end());
  this->expect_child_agrees(ranks);
}

TYPED_TEST(BaselineScheme, NodeRootsOfUnevenNodesAgreeWithTheirTable) {
  Ranks ranks = pattern(200, 4, 4);
  ranks.insert(ranks.begin(), 1);
  this->expect_child_agrees(ranks);
}

TYPED_TEST(BaselineScheme, OneRankAgreesWithItsTable) { this->expect_child_agrees({777}); }

TYPED_TEST(BaselineScheme, TwoRanksAgreeWithTheirTable) {
  this->expect_child_agrees({3, 999});
  this->expect_child_agrees({999, 3});
}

TYPED_TEST(BaselineScheme, ChildOfLaterWorldAgreesWithItsTable) {
  this->scheme_.add_world(10);
  this->scheme_.add_world(kWorldSize);
  const auto world = this->scheme_.make_world(1);
  for (const Ranks &ranks : {contiguous(100, 0), contiguous(100, 7), pattern(100, 5, 3), pattern(100, 900, -2),
                             pattern(100, 1, 6, 3), permutation(kWorldSize, this->random_)}) {
    expect_agrees<TypeParam>(this->scheme_.make_child(world, ranks), child_table(world_table(1, kWorldSize), ranks));
  }
}

TYPED_TEST(BaselineScheme, MergedWorldsAgreeWithTheirTable) {
  this->scheme_.add_world(300);
  this->scheme_.add_world(200);
  const Table table = joined(world_table(0, 300), world_table(1, 200));
  expect_agrees<TypeParam>(this->scheme_.make_merged(table), table);
}

TYPED_TEST(BaselineScheme, ShuffledWorldsAgreeWithTheirTable) {
  this->scheme_.add_world(300);
  this->scheme_.add_world(200);
  Table table = joined(world_table(0, 300), world_table(1, 200));
  std::shuffle(table.begin(), table.end(), this->random_);
  expect_agrees<TypeParam>(this->scheme_.make_merged(table), table);
}

TYPED_TEST(BaselineScheme, OneProcessOfEachWorldAgreesWithItsTable) {
  this->scheme_.add_world(10);
  this->scheme_.add_world(20);
  this->scheme_.add_world(30);
  const Table table = {{0, 9}, {1, 9}, {2, 9}};
  expect_agrees<TypeParam>(this->scheme_.make_merged(table), table);
}

TYPED_TEST(BaselineScheme, MergeOfOneWorldAgreesWithItsTable) {
  this->scheme_.add_world(300);
  this->scheme_.add_world(200);
  for (const std::int32_t pgid : {0, 1}) {
    for (const Ranks &ranks : {contiguous(100, 50), pattern(50, 100, -2), permutation(200, this->random_)}) {
      const Table table = child_table(world_table(pgid, 200), ranks);
      expect_agrees<TypeParam>(this->scheme_.make_merged(table), table);
    }
  }
}

TYPED_TEST(BaselineScheme, ChildrenOfMergedWorldsAgreeWithTheirTables) {
  this->scheme_.add_world(300);
  this->scheme_.add_world(200);
  const Table table = joined(world_table(0, 300), world_table(1, 200));
  const auto merged = this->scheme_.make_merged(table);
  for (const Ranks &ranks : {contiguous(500, 0), contiguous(400, 60), contiguous(100, 350), pattern(100, 0, 5),
                             pattern(250, 499, -2), permutation(500, this->random_)}) {
    expect_agrees<TypeParam>(this->scheme_.make_child(merged, ranks), child_table(table, ranks));
  }
}

TYPED_TEST(BaselineScheme, ChildrenOfIrregularParentAgreeWithTheirTables) {
  const auto world = this->scheme_.make_world(this->scheme_.add_world(kWorldSize));
  const Ranks shuffled = permutation(kWorldSize, this->random_);
  const Table table = child_table(world_table(0, kWorldSize), shuffled);
  const auto parent = this->scheme_.make_child(world, shuffled);
  for (const Ranks &ranks : {contiguous(kWorldSize, 0), contiguous(400, 60), pattern(100, 0, 5), pattern(250, 999, -2),
                             pattern(300, 0, 5, 3), permutation(kWorldSize, this->random_)}) {
    expect_agrees<TypeParam>(this->scheme_.make_child(parent, ranks), child_table(table, ranks));
  }
}

TYPED_TEST(BaselineScheme, DescendantsOfAnyPatternAgreeWithTheirTables) {
  const std::int32_t world_size = 400;
  this->scheme_.add_world(world_size);
  for (int family = 0; family < 100; ++family) {
    Table table = world_table(0, world_size);
    auto comm = this->scheme_.make_world(0);
    for (int generation = 0; generation < 6; ++generation) {
      const Ranks ranks = random_pattern(static_cast<std::int32_t>(table.size()), this->random_);
      table = child_table(table, ranks);
      comm = this->scheme_.make_child(comm, ranks);
      ASSERT_NO_FATAL_FAILURE(expect_agrees<TypeParam>(comm, table))
          << "family " << family << " generation " << generation;
    }
  }
}

TYPED_TEST(BaselineScheme, DuplicateAgreesWithItsOriginalAndOutlivesIt) {
  this->scheme_.add_world(kWorldSize);
  const Ranks ranks = permutation(kWorldSize, this->random_);
  const Table table = child_table(world_table(0, kWorldSize), ranks);
  auto original = this->scheme_.make_child(this->scheme_.make_world(0), ranks);
  const auto duplicate = this->scheme_.dup(original);
  expect_agrees<TypeParam>(duplicate, table);
  original = this->scheme_.make_world(0);
  expect_agrees<TypeParam>(duplicate, table);
}

TYPED_TEST(BaselineScheme, DuplicateAddsNoMoreThanItsHeader) {
  this->scheme_.add_world(kWorldSize);
  this->scheme_.add_world(kWorldSize);
  const auto world = this->scheme_.make_world(0);
  const auto regular = this->scheme_.make_child(world, pattern(100, 1, 5));
  const auto irregular = this->scheme_.make_child(world, permutation(kWorldSize, this->random_));
  const auto merged = this->scheme_.make_merged(joined(world_table(0, 10), world_table(1, 20)));
  for (const auto *comm : {&world, &regular, &irregular, &merged}) {
    const std::uint64_t before = this->scheme_.bytes();
    const auto duplicate = this->scheme_.dup(*comm);
    EXPECT_EQ(this->scheme_.bytes() - before, TypeParam::kCommBytes);
  }
}

TYPED_TEST(BaselineScheme, DeadCommunicatorsLeaveNoBytes) {
  this->scheme_.add_world(kWorldSize);
  this->scheme_.add_world(kWorldSize);
  const std::uint64_t worlds = this->scheme_.bytes();
  {
    std::vector<typename TypeParam::Comm> comms;
    comms.push_back(this->scheme_.make_world(0));
    comms.push_back(this->scheme_.make_merged(joined(world_table(1, 30), world_table(0, 20))));
    comms.push_back(this->scheme_.make_merged(world_table(1, 30)));
    for (int i = 0; i < 200; ++i) {
      const auto &parent = comms[this->random_() % comms.size()];
      auto child = i % 4 == 0 ? this->scheme_.dup(parent)
                              : this->scheme_.make_child(parent, random_pattern(parent.size(), this->random_));
      comms.push_back(std::move(child));
    }
    EXPECT_GT(this->scheme_.bytes(), worlds);
    std::shuffle(comms.begin(), comms.end(), this->random_);
  }
  EXPECT_EQ(this->scheme_.bytes(), worlds);
}

TYPED_TEST(BaselineScheme, MovedCommunicatorKeepsItsMapping) {
  this->scheme_.add_world(kWorldSize);
  const Ranks ranks = permutation(kWorldSize, this->random_);
  auto source = this->scheme_.make_child(this->scheme_.make_world(0), ranks);
  const std::uint64_t before = this->scheme_.bytes();
  const auto target = std::move(source);
  EXPECT_EQ(this->scheme_.bytes(), before);
  expect_agrees<TypeParam>(target, child_table(world_table(0, kWorldSize), ranks));
}

TYPED_TEST(BaselineScheme, SchemesDoNotDisturbEachOther) {
  TypeParam other;
  other.add_world(3);
  this->scheme_.add_world(kWorldSize);
  expect_agrees<TypeParam>(other.make_world(0), world_table(0, 3));
  expect_agrees<TypeParam>(this->scheme_.make_world(0), world_table(0, kWorldSize));
}

// ---- the transport test, where there is one ----

template <class S> class BaselineTransport : public testing::Test {};

using SchemesWithTransports = testing::Types<VcVcrt, Mpich4, Mpich4Ucx, Mpich5, OmpiSparse>;
TYPED_TEST_SUITE(BaselineTransport, SchemesWithTransports, SchemeNames);

TYPED_TEST(BaselineTransport, LocalPeersAreNotOnTheNetwork) {
  TypeParam scheme;
  scheme.add_world(20);
  scheme.add_world(20);
  scheme.set_local({1, 7});
  const Table table = joined(world_table(0, 20), world_table(1, 20));
  const auto comm = scheme.make_merged(table);
  for (std::int32_t rank = 0; rank < comm.size(); ++rank) {
    EXPECT_EQ(TypeParam::address(comm, rank),
              rank == 27 ? kNotNetwork : address_of(table[static_cast<std::size_t>(rank)]));
  }
}

} // namespace
} // namespace avrankmap::bench
