// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The choice of a form, exhaustively on small maps: every map of up to 7 ranks into up to 8 lpids
// takes the form of the fewest bytes, by the formulas of twin.h, and never more than the plain
// table. Seven ranks are 2 million maps.

#include <cstdint>
#include <string>

#include "tests/rankmap/twin.h"

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

INSTANTIATE_TEST_SUITE_P(Sizes, RankmapChoice, testing::Range(1, 8),
                         [](const auto &size) { return "Of" + std::to_string(size.param) + "Ranks"; });

TEST_P(RankmapChoice, IsTheMinimumForEveryMap) {
  for_each_map([this](const Ranks &lpids) {
    const MapPtr map = make_lpids(instance, lpids);
    const avrm_rankmap_info_t info = info_of(map.get());
    const Form form = smallest_form(in_group(0, lpids), true);
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

} // namespace
} // namespace avrankmap::test
