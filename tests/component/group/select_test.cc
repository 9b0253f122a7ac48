// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Selection compared with its twin, on lists for each of its ways.
#include "group/select.h"

#include "av/instance.h"
#include "group/distinct.h"
#include "group/select_by_runs.h"
#include "group/take.h"
#include "tests/component/group/group_twin.h"
#include "tests/component/group/sequences.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using detail::Keep;
using detail::ProcessList;

Table table_of(const ProcessList &list) {
  Table table;
  for (const detail::Run &run : list) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      table.push_back({run.pgid, static_cast<std::int32_t>(run.offset + i * run.stride)});
    }
  }
  return table;
}

class Select : public testing::Test {
protected:
  Instance instance;
  std::mt19937_64 engine = seeded_engine();

  Listed list_of(const Sequences &runs) { return Listed(instance.get()->memory, runs); }
  std::int32_t number(std::int32_t bound) {
    return static_cast<std::int32_t>(below(engine, static_cast<std::uint64_t>(bound)));
  }
  void expect_agreement(const ProcessList &a, const ProcessList &b) {
    for (const Keep keep : {Keep::kMembers, Keep::kOthers}) {
      ProcessList result(instance.get()->memory);
      select(a, b, keep, &result);
      ASSERT_FALSE(result.failed());
      ASSERT_EQ(table_of(result), twin_selection(table_of(a), table_of(b), keep == Keep::kMembers));
      ASSERT_EQ(result.total(), static_cast<std::int64_t>(table_of(result).size()));
    }
  }
  // Runs that share no process: each takes the lpids of one residue in one window.
  Listed random_runs(std::int32_t windows, std::int32_t window, std::int32_t groups) {
    Sequences runs;
    for (std::int32_t i = 0; i < windows; ++i) {
      const std::int32_t stride = 1 + number(4);
      for (std::int32_t residue = 0; residue < stride; ++residue) {
        const std::int32_t count = number(window / stride - 1);
        const std::int32_t offset = i * window + residue;
        if (count > 0 && number(3) != 0) {
          const std::int32_t pgid = number(groups);
          runs.push_back(number(2) == 0 ? Sequence{pgid, offset, stride, count}
                                        : Sequence{pgid, offset + (count - 1) * stride, -stride, count});
        }
      }
    }
    std::shuffle(runs.begin(), runs.end(), engine);
    return list_of(runs);
  }
};

TEST_F(Select, FewRunsAgree) {
  for (int i = 0; i < 500; ++i) {
    expect_agreement(random_runs(1 + number(4), 200, 2), random_runs(1 + number(4), 150, 2));
  }
}

TEST_F(Select, ManyShortRunsAgree) {
  for (int i = 0; i < 100; ++i) {
    expect_agreement(random_runs(100, 12, 3), random_runs(80, 15, 3));
  }
}

TEST_F(Select, FarApartRunsAgree) {
  for (int i = 0; i < 100; ++i) {
    expect_agreement(random_runs(20, 40, 1), list_of({{0, 0, 50000000, 40}, {0, 3, 50000000, 40}}));
  }
}

TEST_F(Select, EntangledThinRunsAgree) {
  // Runs that span all lpids and overlap all others: arithmetic on pairs would be quadratic.
  for (int i = 0; i < 20; ++i) {
    Sequences a;
    Sequences b;
    for (std::int32_t run = 0; run < 60; ++run) {
      a.push_back({0, run * 7, 100000, 5});
      b.push_back({0, run * 5 + number(5), 50000, 9});
    }
    expect_agreement(list_of(a), list_of(b));
  }
}

TEST_F(Select, EntangledRunsAreGivenUpByTheWayOfRuns) {
  Sequences a;
  for (std::int32_t run = 0; run < 1000; ++run) {
    a.push_back({0, run * 7, 1000000, 2});
  }
  ProcessList out(instance.get()->memory);
  EXPECT_FALSE(select_by_runs(list_of(a), list_of(a), Keep::kMembers, 8000, &out));
  EXPECT_TRUE(out.empty());
}

TEST_F(Select, ExhaustiveOnSmallSequences) {
  for (std::int32_t stride = 1; stride <= 4; ++stride) {
    for (std::int32_t other_stride = 1; other_stride <= 5; ++other_stride) {
      for (std::int32_t shift = 0; shift <= 8; ++shift) {
        for (const std::int32_t count : {1, 2, 3, 9}) {
          for (const std::int32_t other_count : {1, 2, 3, 9}) {
            expect_agreement(list_of({{0, 4, stride, count}}), list_of({{0, shift, other_stride, other_count}}));
            expect_agreement(list_of({{0, 60, -stride, count}}),
                             list_of({{0, 60 - shift, -other_stride, other_count}}));
          }
        }
      }
    }
  }
}

TEST_F(Select, RunsGrowTogetherWhereTheSequenceGoesOn) {
  const Listed list = list_of({{0, 5, 1, 1}, {0, 7, 1, 1}, {0, 9, 2, 3}, {0, 15, 1, 1}, {0, 16, 1, 1}});
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list.begin()->count, 6);
  EXPECT_EQ(list.begin()->stride, 2);
  EXPECT_EQ(list.total(), 7);
}

TEST_F(Select, TakenRanksAgree) {
  for (int i = 0; i < 300; ++i) {
    const Listed list = random_runs(1 + number(20), 60, 3);
    const Table table = table_of(list);
    if (table.empty()) {
      continue;
    }
    const auto size = static_cast<std::int32_t>(table.size());
    Sequences ranks;
    for (int run = 0; run < 10; ++run) {
      const std::int32_t first = number(size);
      const std::int32_t stride = (1 + number(7)) * (number(2) == 0 ? 1 : -1);
      const std::int32_t most = (stride > 0 ? size - 1 - first : first) / std::abs(stride) + 1;
      ranks.push_back({0, first, stride, 1 + number(most)});
    }
    const Listed named = list_of(ranks);
    if (std::any_of(named.begin(), named.end(), [](const detail::Run &run) { return run.stride == 0; })) {
      continue; // the same rank twice in a row, which callers refuse
    }
    ProcessList result(instance.get()->memory);
    take(list, named, &result);
    Table expected;
    for (const avrm_gpid_t &rank : table_of(named)) {
      expected.push_back(table[static_cast<std::size_t>(rank.lpid)]);
    }
    ASSERT_EQ(table_of(result), expected);
  }
}

TEST_F(Select, DistinctRanksAreToldFromOthers) {
  for (int i = 0; i < 2000; ++i) {
    const std::int32_t bound = i % 3 == 0 ? 64 : i % 3 == 1 ? 1000 : 1000000000;
    Sequences runs;
    for (std::int32_t run = number(6); run >= 0; --run) {
      const std::int32_t first = number(bound);
      const std::int32_t stride = 1 + number(bound / 8);
      runs.push_back({0, first, stride, 1 + number((bound - 1 - first) / stride + 1)});
    }
    const Listed list = list_of(runs);
    EXPECT_EQ(check_distinct(list, bound), has_twice(table_of(list)) ? AVRM_ERR_DUPLICATE : AVRM_OK);
  }
}

// A list of two runs that has room for one.
struct OverfullList : ProcessList {
  explicit OverfullList(detail::Memory &memory) : ProcessList(memory, 1) {
    append({0, 2, 0, 0, 1});
    append({0, 2, 0, 10, 1});
  }
};

TEST_F(Select, TooManyDistinctRunsAreNotDuplicates) {
  EXPECT_EQ(check_distinct(OverfullList(instance.get()->memory), 100), AVRM_ERR_LIMIT);
}

TEST_F(Select, TooManyRunsAreNoLackOfMemory) {
  const OverfullList overfull(instance.get()->memory);
  const Listed one = list_of({{0, 0, 1, 20}});
  ProcessList selected(instance.get()->memory);
  ProcessList taken(instance.get()->memory);
  select(one, overfull, Keep::kOthers, &selected);
  take(one, overfull, &taken);
  EXPECT_EQ(selected.status(), AVRM_ERR_LIMIT);
  EXPECT_EQ(taken.status(), AVRM_ERR_LIMIT);
}

} // namespace
} // namespace avrankmap::test
