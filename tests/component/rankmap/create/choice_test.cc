// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The choice of a form. With the cost class for bytes exhaustively on small maps: every map of up
// to 7 ranks into up to 8 lpids takes the form of the fewest bytes, by the formulas of twin.h, and
// never more than the plain table. Seven ranks are 2 million maps. With the default class on the
// two sides of a page.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "tests/component/rankmap/twin.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kLpids = 8;

class RankmapChoice : public testing::TestWithParam<std::int32_t> {
protected:
  // Calls visit(lpids) for every map of GetParam() ranks.
  template <typename Visit> static void for_each_map(Visit visit) {
    Ranks lpids(static_cast<std::size_t>(GetParam()));
    bool more = true;
    while (more) {
      visit(lpids);
      more = false;
      for (std::int32_t &lpid : lpids) {
        lpid = (lpid + 1) % kLpids;
        if (lpid != 0) {
          more = true;
          break;
        }
      }
    }
  }

  Instance instance{false, AVRM_COST_BYTES};
};

INSTANTIATE_TEST_SUITE_P(Sizes, RankmapChoice, testing::Range(1, is_brief() ? 7 : 8),
                         [](const auto &size) { return "Of" + std::to_string(size.param) + "Ranks"; });

TEST_P(RankmapChoice, IsTheMinimumForEveryMap) {
  for_each_map([this](const Ranks &lpids) {
    const MapPtr map = make_lpids(instance, lpids);
    const avrm_rankmap_info_t info = info_of(map.get());
    const Form form = compact_form(in_group(0, lpids), 1, true);
    const std::uint64_t bytes = info.own_bytes + info.table_bytes - sizeof(avrm_rankmap_t);
    if (!(shape_of(map.get()) == form.shape) || bytes != form.bytes || bytes > 16 + 4 * lpids.size()) {
      ADD_FAILURE() << testing::PrintToString(lpids) << ": " << shape_of(map.get()) << " of " << bytes
                    << " bytes, expected " << form.shape << " of " << form.bytes;
    }
  });
}

TEST_P(RankmapChoice, IsRightAtEveryRank) {
  for_each_map([this](const Ranks &lpids) {
    const MapPtr map = make_lpids(instance, lpids);
    for (std::size_t rank = 0; rank < lpids.size(); ++rank) {
      ASSERT_EQ(avrm_rankmap_gpid(map.get(), static_cast<std::int32_t>(rank)).lpid, lpids[rank])
          << testing::PrintToString(lpids);
    }
  });
}

// Both halves of the ranks in groups of their own.
TEST_P(RankmapChoice, IsTheMinimumForTwoGroups) {
  if (GetParam() < 2 || GetParam() > 5) {
    GTEST_SKIP() << "2 to 5 ranks are enough";
  }
  for_each_map([this](const Ranks &lpids) {
    Table table = in_group(0, lpids);
    for (std::size_t rank = table.size() / 2; rank < table.size(); ++rank) {
      table[rank].pgid = 1;
    }
    ASSERT_TRUE(agrees(make_gpids(instance, table).get(), table)) << testing::PrintToString(lpids);
  });
}

// ---- the cost class between bytes and speed ----

class RankmapBalance : public testing::Test {
protected:
  Instance balanced{false, AVRM_COST_BALANCED};

  // The mode of a table, whose form is what twin.h says.
  avrm_mode_t mode_of(const Table &table) const {
    const MapPtr map = make_gpids(balanced, table);
    EXPECT_TRUE(agrees(map.get(), table));
    return info_of(map.get()).mode;
  }
  // So many ranks, of which no neighbours are next to one another.
  static Ranks shuffled(std::int32_t size) {
    Ranks lpids = regular_values(size, 0, 1);
    std::shuffle(lpids.begin(), lpids.end(), std::mt19937_64(size));
    return lpids;
  }
};

TEST_F(RankmapBalance, SixteenRanksInNoOrderStayPlain) { EXPECT_EQ(mode_of(in_group(0, shuffled(16))), AVRM_MODE_LUT); }

TEST_F(RankmapBalance, ATableInNoOrderStaysPlainAtAnySize) {
  EXPECT_EQ(mode_of(in_group(0, shuffled(1500))), AVRM_MODE_LUT);
  EXPECT_EQ(mode_of(in_group(0, shuffled(70000))), AVRM_MODE_LUT);
}

TEST_F(RankmapBalance, ACartTakesTheTablesPlaceWhereThatSavesAPage) {
  const auto transposed = [](std::int32_t rows, std::int32_t columns) {
    Ranks lpids;
    for (std::int32_t rank = 0; rank < rows * columns; ++rank) {
      lpids.push_back(rank % rows * columns + rank / rows);
    }
    return in_group(0, lpids);
  };
  EXPECT_EQ(mode_of(transposed(32, 33)), AVRM_MODE_CART); // saves 4216 bytes
  EXPECT_EQ(mode_of(transposed(32, 32)), AVRM_MODE_LUT);  // would save 4088
}

TEST_F(RankmapBalance, AMergedWorldBecomesSegmentsWhereThatSavesAPage) {
  const auto merged = [](std::int32_t half) {
    Table table = regular_table(0, half, 0, 1);
    const Table other = regular_table(1, half, 0, 1);
    table.insert(table.end(), other.begin(), other.end());
    return table;
  };
  EXPECT_EQ(mode_of(merged(100)), AVRM_MODE_MLUT);
  EXPECT_EQ(mode_of(merged(257)), AVRM_MODE_MLUT);
  EXPECT_EQ(mode_of(merged(258)), AVRM_MODE_SEGMENTS);
}

TEST_F(RankmapBalance, ChildrenAndMergersFollowTheSameRule) {
  const MapPtr world = make_direct(balanced, 4000);
  for (const std::int32_t size : {16, 1562, 3000}) {
    const Ranks ranks = shuffled(size);
    const MapPtr child = make_child(world, ranks);
    EXPECT_TRUE(agrees(child.get(), in_group(0, ranks)));
  }
  for (const std::int32_t half : {100, 257, 258, 2000}) {
    const MapPtr halves[2] = {make_direct(balanced, half), make_direct(balanced, half, 1)};
    const MapPtr merged = make_concat({halves[0].get(), halves[1].get()});
    EXPECT_EQ(info_of(merged.get()).mode, half < 258 ? AVRM_MODE_MLUT : AVRM_MODE_SEGMENTS);
  }
}

} // namespace
} // namespace avrankmap::test
