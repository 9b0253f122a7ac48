// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The group of survivors: that of a communicator without the dead, against the table of survivors.
#include <numeric>

#include "tests/component/group/group_twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

// An affine communicator of 100,000 of 200,001 processes, and lists of the dead, ascending.
class Shrink : public testing::Test {
protected:
  static constexpr std::int32_t kSize = 100000;

  void remove(const Ranks &dead) {
    const GroupPtr rest = excl_of(affine, dead);
    Ranks survivors;
    for (std::int32_t rank = 0; rank < kSize; ++rank) {
      if (!std::binary_search(dead.begin(), dead.end(), rank)) {
        survivors.push_back(1 + 2 * rank);
      }
    }
    ASSERT_TRUE(holds(rest, survivors));
    avrm_rankmap_info_t info{};
    ASSERT_EQ(avrm_rankmap_describe(avrm_group_map(rest.get()), &info), AVRM_OK);
    EXPECT_LE(info.own_bytes + info.table_bytes, 24 * dead.size() + 128);
  }
  Ranks random(std::size_t count) {
    Ranks dead(count);
    std::generate(dead.begin(), dead.end(),
                  [this] { return static_cast<std::int32_t>(below(engine_, std::uint64_t{kSize})); });
    std::sort(dead.begin(), dead.end());
    dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
    return dead;
  }
  static Ranks in_a_row(std::int32_t first, std::int32_t count) {
    Ranks dead(static_cast<std::size_t>(count));
    std::iota(dead.begin(), dead.end(), first);
    return dead;
  }

  Instance instance{false, AVRM_COST_BALANCED};
  GroupPtr affine = make_group([this](avrm_group_t **group_p) {
    const MapPtr map = make_stride(instance, kSize, 1, 2);
    return avrm_group_create(map.get(), group_p);
  });

private:
  std::mt19937_64 engine_ = seeded_engine();
};

TEST_F(Shrink, OfOneAnywhereTakesAtMost24BytesPerDeathAnd128) {
  for (const std::int32_t rank : {0, 1, kSize / 2, kSize - 2, kSize - 1}) {
    remove({rank});
  }
}

TEST_F(Shrink, OfRandomDeathsTakesAtMost24BytesPerDeathAnd128) {
  for (const std::size_t count : {2, 3, 5, 10, 100, 1000}) {
    SCOPED_TRACE(count);
    remove(random(count));
  }
}

TEST_F(Shrink, OfDeathsInARowOfNodesAndOfTheFirstTakesNoMore) {
  remove(in_a_row(0, 1000));
  remove(in_a_row(777, 1000));
  Ranks nodes;
  for (std::int32_t node = 3; node < 200; node += 7) {
    const Ranks ranks = in_a_row(64 * node, 64);
    nodes.insert(nodes.end(), ranks.begin(), ranks.end());
  }
  remove(nodes);
}

// Segments are removed from, not segments of segments made.
TEST_F(Shrink, OneAfterTheOtherTakesNoMoreThanAtOnce) {
  const Ranks dead = random(40);
  GroupPtr rest = excl_of(affine, {});
  for (std::size_t i = 0; i < dead.size(); ++i) {
    rest = excl_of(rest, {dead[i] - static_cast<std::int32_t>(i)});
  }
  EXPECT_EQ(comparison_of(rest, excl_of(affine, dead)), AVRM_IDENT);
  avrm_rankmap_info_t step{};
  avrm_rankmap_info_t once{};
  ASSERT_EQ(avrm_rankmap_describe(avrm_group_map(rest.get()), &step), AVRM_OK);
  ASSERT_EQ(avrm_rankmap_describe(avrm_group_map(excl_of(affine, dead).get()), &once), AVRM_OK);
  EXPECT_EQ(step.own_bytes + step.table_bytes, once.own_bytes + once.table_bytes);
}

// By the ranks of the dead, or as the difference from their group.
TEST_F(Shrink, OfABlockedGroupKeepsItsForm) {
  const GroupPtr blocked = make_group([this](avrm_group_t **group_p) {
    const MapPtr map = make_blocked(instance, kSize, 0, 64, 8);
    return avrm_group_create(map.get(), group_p);
  });
  const Ranks dead = random(1000);
  Ranks survivors;
  for (std::int32_t rank = 0; rank < kSize; ++rank) {
    if (!std::binary_search(dead.begin(), dead.end(), rank)) {
      survivors.push_back(rank / 8 * 64 + rank % 8);
    }
  }
  const GroupPtr rests[] = {excl_of(blocked, dead), difference_of(blocked, incl_of(blocked, dead))};
  for (const GroupPtr &rest : rests) {
    ASSERT_TRUE(holds(rest, survivors));
    avrm_rankmap_info_t info{};
    ASSERT_EQ(avrm_rankmap_describe(avrm_group_map(rest.get()), &info), AVRM_OK);
    EXPECT_EQ(info.mode, AVRM_MODE_LESS);
    EXPECT_LE(info.own_bytes + info.table_bytes, 8 * dead.size() + 128);
  }
}

} // namespace
} // namespace avrankmap::test
