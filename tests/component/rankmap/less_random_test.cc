// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random maps without some of their ranks, against the table of those that remain.
#include "rankmap/forms/less.h"
#include "tests/component/rankmap/random_parents.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

// Ranks of processes are those of the table, which has none twice; others have none.
testing::AssertionResult inverts(const avrm_rankmap_t *map, const Table &table, const Table &others) {
  Ranks ranks(table.size());
  require(avrm_rankmap_ranks(map, table.size(), table.data(), ranks.data()));
  for (std::size_t rank = 0; rank < table.size(); ++rank) {
    if (ranks[rank] != static_cast<std::int32_t>(rank)) {
      return testing::AssertionFailure() << "the process of rank " << rank << " has rank " << ranks[rank];
    }
  }
  for (const avrm_gpid_t &process : others) {
    std::int32_t rank = 0;
    require(avrm_rankmap_rank(map, process, &rank));
    const bool is_there = std::find(table.begin(), table.end(), process) != table.end();
    if (!is_there && rank != AVRM_UNDEFINED) {
      return testing::AssertionFailure() << "lpid " << process.lpid << " was removed, but has rank " << rank;
    }
  }
  return testing::AssertionSuccess();
}

TEST_F(RandomParents, AgreeWithTheTableOfThoseThatRemainAfterEachShrink) {
  int lists = 0;
  const int rounds = is_brief() ? 50 : 250;
  for (int round = 0; round < rounds; ++round) {
    MapPtr map = parent();
    const Table all = table_of(map.get());
    Table table = all;
    for (int depth = 0; depth < 5 && table.size() > 1; ++depth) {
      const auto size = static_cast<std::int32_t>(table.size());
      const Ranks removed = random.one_in(3) ? between_parts(size, info_of(map.get())) : some(size);
      map = make_without(map, removed);
      table = without(table, removed);
      if (table.empty()) {
        break;
      }
      SCOPED_TRACE(testing::Message() << "round " << round << ", depth " << depth << ", AVRM_TEST_SEED=" << seed());
      ASSERT_TRUE(agrees(map.get(), table));
      ASSERT_TRUE(inverts(map.get(), table, all));
      const avrm_rankmap_info_t info = info_of(map.get());
      if (info.mode == AVRM_MODE_LESS) {
        ++lists;
        const std::uint64_t dimensions = 8 + 16 * (static_cast<std::uint64_t>(info.dimensions) - 1);
        ASSERT_LE(info.table_bytes, most_less_bytes(static_cast<std::size_t>(info.removed)) + dimensions);
      }
    }
  }
  EXPECT_GT(lists, rounds / 3);
}

// Of a parent whose last dimension has steps of `step` ranks: the rest never takes more bytes than
// a list of the removed ranks that are not at an end of the base, unless only one step is left.
TEST_F(RandomParents, NeverTakeMoreThanAList) {
  int lists = 0;
  for (int round = 0; round < 400; ++round) {
    const MapPtr map = parent();
    const avrm_rankmap_info_t info = info_of(map.get());
    if (info.mode != AVRM_MODE_BLOCKED && info.mode != AVRM_MODE_CART) {
      continue;
    }
    const std::int32_t size = avrm_rankmap_size(map.get());
    const Ranks removed = some(size);
    std::int32_t step = info.block;
    std::uint64_t dimensions = 0;
    if (info.mode == AVRM_MODE_CART) {
      step = std::accumulate(info.extents, info.extents + info.dimensions - 1, 1, std::multiplies<>());
      dimensions = 8 + 16 * (static_cast<std::uint64_t>(info.dimensions) - 1);
    }
    std::int32_t first = 0;
    std::int32_t end = size;
    for (std::size_t i = 0; i < removed.size() && removed[i] == first; ++i) {
      ++first;
    }
    first -= first % step;
    for (std::size_t i = removed.size(); i > 0 && removed[i - 1] == end - 1; --i) {
      --end;
    }
    if (end - first <= step) {
      continue;
    }
    const std::int32_t rest = size - static_cast<std::int32_t>(removed.size());
    const std::uint64_t list = end - first == rest ? 0 : detail::less_bytes(rest, end - first - rest);
    lists += list != 0 ? 1 : 0;
    ASSERT_LE(info_of(make_without(map, removed).get()).table_bytes, list + dimensions)
        << "round " << round << ", AVRM_TEST_SEED=" << seed();
  }
  EXPECT_GT(lists, 100);
}

bool may_yield_a_less(const avrm_rankmap_t *map) {
  const avrm_mode_t mode = info_of(map).mode;
  return mode == AVRM_MODE_BLOCKED || mode == AVRM_MODE_CART || mode == AVRM_MODE_LESS;
}

// Each after up to three removals, every second time of what lies between equal parts: the rest is
// often a cart then, which a list of the removed ranks does not show.
TEST_F(RandomParents, NeverTakeMoreThanTheMapOfTheirTable) {
  const int cases = is_brief() ? 2000 : 20000;
  int lists = 0;
  int carts = 0;
  for (int i = 0; i < cases;) {
    MapPtr map = parent();
    Table table = table_of(map.get());
    const int removals = 1 + random.below(3);
    for (int depth = 0; depth < removals && may_yield_a_less(map.get()) && table.size() > 1; ++depth, ++i) {
      const auto size = static_cast<std::int32_t>(table.size());
      const Ranks removed = random.one_in(2) ? some(size) : between_parts(size, info_of(map.get()));
      map = make_without(map, removed);
      table = without(table, removed);
      if (table.empty()) {
        break;
      }
      const avrm_rankmap_info_t info = info_of(map.get());
      const avrm_rankmap_info_t plain = info_of(make_gpids(instance, table).get());
      ASSERT_LE(info.table_bytes, plain.table_bytes)
          << "mode " << info.mode << " of " << size << " ranks, case " << i << ", AVRM_TEST_SEED=" << seed();
      lists += info.mode == AVRM_MODE_LESS ? 1 : 0;
      carts += plain.mode == AVRM_MODE_CART ? 1 : 0;
    }
  }
  EXPECT_GT(lists, cases / 20);
  EXPECT_GT(carts, cases / 20);
}

// One after the other, or at once.
TEST_F(RandomParents, AreEqualRunByRunHoweverTheyWereMade) {
  for (int round = 0; round < 200; ++round) {
    const MapPtr map = make_without(parent(), {2});
    const Table table = table_of(map.get());
    const Ranks removed = some(avrm_rankmap_size(map.get()));
    if (removed.size() == table.size()) {
      continue;
    }
    const MapPtr rest = make_without(map, removed);
    const MapPtr same = make_gpids(instance, without(table, removed));
    std::size_t count = 0;
    std::size_t same_count = 0;
    std::vector<avrm_run_t> runs(table.size());
    std::vector<avrm_run_t> same_runs(table.size());
    require(avrm_rankmap_runs(rest.get(), runs.size(), runs.data(), &count));
    require(avrm_rankmap_runs(same.get(), same_runs.size(), same_runs.data(), &same_count));
    ASSERT_EQ(count, same_count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(runs[i].count == same_runs[i].count && runs[i].lpid == same_runs[i].lpid &&
                  runs[i].stride == same_runs[i].stride)
          << "run " << i << ", AVRM_TEST_SEED=" << seed();
    }
  }
}

TEST_F(RandomParents, HaveChildrenThatAgree) {
  for (int round = 0; round < 200; ++round) {
    const MapPtr map = make_without(parent(), {1});
    const Ranks ranks = random.ranks(avrm_rankmap_size(map.get()), 60);
    ASSERT_TRUE(agrees(make_child(map, ranks).get(), child_table(table_of(map.get()), ranks)))
        << "AVRM_TEST_SEED=" << seed();
  }
}

} // namespace
} // namespace avrankmap::test
