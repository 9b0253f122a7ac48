// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random expressions of group operations compared with their twins: ranks of results, translated
// ranks, comparisons; and identities that MPI's definitions imply.
#include <iostream>
#include <optional>

#include "tests/component/group/group_twin.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kGroups = 3;       // process groups
constexpr std::int32_t kProcesses = 4000; // in each
constexpr std::size_t kPool = 24;         // groups at a time
// Processes of a group; larger results are checked, but not kept.
constexpr std::size_t kLargest = 6000;
constexpr std::uint64_t kValues = 75000; // to be compared in each round

struct Member {
  GroupPtr group;
  Table table;
};

class Expressions {
public:
  Expressions(std::uint64_t number, avrm_cost_t cost) : instance_(false, cost), engine_(seed() + number) {
    for (std::size_t i = 0; i < kPool; ++i) {
      pool_.push_back(fresh());
    }
  }

  void take_step() {
    const Member &a = any();
    const Member &b = any();
    switch (below(11)) {
    case 0: return replace(fresh());
    case 1: return put(union_of(a.group, b.group), twin_union(a.table, b.table));
    case 2: return put(intersection_of(a.group, b.group), twin_intersection(a.table, b.table));
    case 3: return put(difference_of(a.group, b.group), twin_difference(a.table, b.table));
    case 4: return put_incl(a);
    case 5: return put_excl(a);
    case 6: return put_ranges(a);
    case 7: return check_comparison(a, b);
    case 8: return check_translation(a, b);
    case 9: return check_ranks(a);
    default: return check_identities(a, b);
    }
  }
  [[nodiscard]] std::uint64_t values() const { return values_; }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

private:
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(test::below(engine_, static_cast<std::uint64_t>(bound)));
  }
  bool one_in(std::int32_t n) { return below(n) == 0; }
  const Member &any() { return pool_[static_cast<std::size_t>(below(kPool))]; }

  void replace(Member member) {
    if (member.table.size() <= kLargest) {
      pool_[static_cast<std::size_t>(below(kPool))] = std::move(member);
    }
  }
  void put(GroupPtr group, Table table) {
    ++operations_;
    ASSERT_TRUE(holds(group, table));
    values_ += table.size() + 1;
    replace({std::move(group), std::move(table)});
  }

  // Ranks 0 .. size - 1, some or all of them, each once, in an order with or without a pattern.
  Ranks some_ranks(std::int32_t size) {
    if (size == 0) {
      return {};
    }
    const std::int32_t count = one_in(4) ? std::min(size, below(8)) : below(size + 1);
    switch (below(4)) {
    case 0: return regular_values(count, below(size - count + 1), 1);
    case 1: return regular_values(count, size - 1, -1);
    case 2: {
      const std::int32_t stride = 1 + below(9);
      return regular_values((size - 1) / stride + 1, 0, stride);
    }
    default: {
      Ranks ranks = regular_values(size, 0, 1);
      if (one_in(3)) { // a pattern with a flaw
        std::swap(ranks[static_cast<std::size_t>(below(size))], ranks[static_cast<std::size_t>(below(size))]);
      } else {
        std::shuffle(ranks.begin(), ranks.end(), engine_);
      }
      ranks.resize(static_cast<std::size_t>(count));
      return ranks;
    }
    }
  }

  Member fresh() {
    Table table;
    for (std::int32_t parts = one_in(20) ? 0 : 1 + below(3); parts > 0; --parts) {
      const std::int32_t pgid = below(kGroups);
      const Table part = in_group(pgid, some_ranks(1 + below(one_in(3) ? 50 : kProcesses)));
      table = twin_union(std::move(table), part);
    }
    return {group_of(instance_, table), std::move(table)};
  }

  void put_incl(const Member &a) {
    const Ranks ranks = some_ranks(count_of(a.table));
    put(incl_of(a.group, ranks), child_table(a.table, ranks));
  }
  void put_excl(const Member &a) {
    const Ranks ranks = some_ranks(count_of(a.table));
    put(excl_of(a.group, ranks), twin_excl(a.table, ranks));
  }
  void put_ranges(const Member &a) {
    // Cuts the ranks into stretches, takes some of these, with strides, up or down, in any order.
    Ranges ranges;
    const std::int32_t size = count_of(a.table);
    for (std::int32_t first = 0; first < size;) {
      const std::int32_t last = std::min(size - 1, first + below(one_in(2) ? 10 : size));
      const std::int32_t stride = 1 + below(4);
      if (one_in(2)) {
        ranges.push_back({first, last, stride});
      } else if (one_in(2)) {
        ranges.push_back({last, first, -stride});
      }
      first = last + 1;
    }
    std::shuffle(ranges.begin(), ranges.end(), engine_);
    if (one_in(2)) {
      put(range_incl_of(a.group, ranges), child_table(a.table, ranks_of(ranges)));
    } else {
      put(range_excl_of(a.group, ranges), twin_excl(a.table, ranks_of(ranges)));
    }
  }

  void check_comparison(const Member &a, const Member &b) {
    ++operations_;
    ++values_;
    ASSERT_EQ(comparison_of(a.group, b.group), twin_comparison(a.table, b.table));
    Ranks order = regular_values(count_of(a.table), 0, 1);
    std::shuffle(order.begin(), order.end(), engine_);
    const Table shuffled = child_table(a.table, order);
    ASSERT_EQ(comparison_of(a.group, group_of(instance_, shuffled)), twin_comparison(a.table, shuffled));
  }

  void check_translation(const Member &a, const Member &b) {
    ++operations_;
    Ranks ranks = regular_values(count_of(a.table), 0, 1);
    ranks.push_back(AVRM_PROC_NULL);
    std::shuffle(ranks.begin(), ranks.end(), engine_);
    Ranks translated(ranks.size());
    require(avrm_group_translate_ranks(a.group.get(), ranks.size(), ranks.data(), b.group.get(), translated.data()));
    const RankByProcess in_b(b.table);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const std::int32_t expected =
          ranks[i] == AVRM_PROC_NULL ? AVRM_PROC_NULL : in_b.rank(a.table[static_cast<std::size_t>(ranks[i])]);
      ASSERT_EQ(translated[i], expected);
    }
    values_ += ranks.size();
  }

  void check_ranks(const Member &a) {
    ++operations_;
    const RankByProcess in_a(a.table);
    for (int i = 0; i < 500; ++i) {
      const avrm_gpid_t process{below(kGroups + 1), below(kProcesses + 10)};
      std::int32_t rank = 0;
      require(avrm_group_rank(a.group.get(), process, &rank));
      ASSERT_EQ(rank, in_a.rank(process));
    }
    values_ += 500;
  }

  void check_identities(const Member &a, const Member &b) {
    ++operations_;
    const GroupPtr both = intersection_of(a.group, b.group);
    const GroupPtr only_a = difference_of(a.group, b.group);
    const GroupPtr all = union_of(a.group, b.group);
    const auto size = [](const GroupPtr &group) { return avrm_group_size(group.get()); };
    ASSERT_EQ(std::int64_t{size(all)}, std::int64_t{size(a.group)} + size(b.group) - size(both));
    ASSERT_EQ(comparison_of(union_of(a.group, a.group), a.group), AVRM_IDENT);
    ASSERT_EQ(comparison_of(intersection_of(a.group, a.group), a.group), AVRM_IDENT);
    ASSERT_EQ(size(difference_of(a.group, a.group)), 0);
    ASSERT_EQ(comparison_of(difference_of(a.group, only_a), both), AVRM_IDENT);
    ASSERT_EQ(comparison_of(difference_of(all, b.group), only_a), AVRM_IDENT);
    ASSERT_EQ(comparison_of(union_of(a.group, difference_of(b.group, a.group)), all), AVRM_IDENT);
    ASSERT_NE(comparison_of(intersection_of(b.group, a.group), both), AVRM_UNEQUAL);
    ASSERT_NE(comparison_of(union_of(only_a, both), a.group), AVRM_UNEQUAL);
    ASSERT_NE(comparison_of(union_of(b.group, a.group), all), AVRM_UNEQUAL);
    values_ += 10;
  }

  Instance instance_;
  std::mt19937_64 engine_;
  std::vector<Member> pool_;
  std::uint64_t values_ = 0;
  std::uint64_t operations_ = 0;
};

class GroupProperty : public testing::TestWithParam<std::uint64_t> {};

TEST_P(GroupProperty, EveryExpressionAgreesWithItsTwin) {
  std::uint64_t operations = 0;
  std::uint64_t values = 0;
  const std::uint64_t rounds = is_long() ? 100 : 10;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Expressions expressions(1000 * GetParam() + round, static_cast<avrm_cost_t>(round % 3));
    while (expressions.values() < kValues) {
      expressions.take_step();
      if (HasFatalFailure()) {
        FAIL() << "in round " << round << ", operation " << expressions.operations() << "; AVRM_TEST_SEED=" << seed()
               << " repeats it";
      }
    }
    values += expressions.values();
    operations += expressions.operations();
  }
  std::cout << values << " values of " << operations << " operations checked\n";
}

INSTANTIATE_TEST_SUITE_P(All, GroupProperty, testing::Values(0, 1, 2, 3));

} // namespace
} // namespace avrankmap::test
