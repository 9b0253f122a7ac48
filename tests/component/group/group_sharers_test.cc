// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations of groups whose maps share tables and inverses, whichever of them asks first.
#include "tests/component/group/group_twin.h"
#include "tests/component/rankmap/sharers.h"

namespace avrankmap::test {
namespace {

struct Member {
  std::string name;
  GroupPtr group;
  Table table;
  RankByProcess ranks;
};

class GroupSharers : public testing::TestWithParam<ContentInClass> {
protected:
  Instance instance{false, std::get<avrm_cost_t>(GetParam())};
  std::vector<Member> members; // some of each process group, which are not of a kind

  void SetUp() override {
    constexpr std::size_t kStep = 4;
    Family family(instance, std::get<Content>(GetParam()));
    const std::vector<Sharer> &sharers = family.sharers();
    for (std::size_t i = 0; i < sharers.size(); i += kStep) {
      const Sharer &sharer = sharers[i];
      members.push_back({sharer.name, group_of(sharer.map), sharer.table, RankByProcess(sharer.table)});
    }
  }

  static void expect_translation(const Member &a, const Member &b) {
    Ranks ranks;
    for (std::size_t rank = 0; rank < a.table.size(); rank += a.table.size() / 40 + 1) {
      ranks.push_back(static_cast<std::int32_t>(rank));
    }
    Ranks translated(ranks.size());
    require(avrm_group_translate_ranks(a.group.get(), ranks.size(), ranks.data(), b.group.get(), translated.data()));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const avrm_gpid_t process = a.table[static_cast<std::size_t>(ranks[i])];
      ASSERT_EQ(translated[i], b.ranks.rank(process))
          << "rank " << ranks[i] << " of the " << a.name << " in the " << b.name;
    }
  }
};

// Contents in which no process occurs twice.
std::vector<Content> contents_of_groups() {
  std::vector<Content> all = contents();
  all.erase(
      std::remove_if(all.begin(), all.end(), [](const Content &content) { return has_twice(table_of(content, 0, 1)); }),
      all.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, GroupSharers, in_both_classes(contents_of_groups()), content_name);

TEST_P(GroupSharers, TranslateRanksWhicheverAsksFirst) {
  for (const Member &first : members) {
    require(avrm_instance_drop_caches(instance));
    expect_translation(first, first);
    for (const Member &a : members) {
      for (const Member &b : members) {
        expect_translation(a, b);
      }
    }
  }
}

TEST_P(GroupSharers, AreComparedAndCombined) {
  for (const Member &a : members) {
    for (const Member &b : members) {
      ASSERT_EQ(comparison_of(a.group, b.group), twin_comparison(a.table, b.table)) << a.name << " and " << b.name;
      ASSERT_TRUE(holds(union_of(a.group, b.group), twin_union(a.table, b.table))) << a.name << " and " << b.name;
      ASSERT_TRUE(holds(intersection_of(a.group, b.group), twin_intersection(a.table, b.table)))
          << a.name << " and " << b.name;
      ASSERT_TRUE(holds(difference_of(a.group, b.group), twin_difference(a.table, b.table)))
          << a.name << " and " << b.name;
    }
  }
}

} // namespace
} // namespace avrankmap::test
