// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps share tables, and tables own data that are built when somebody first asks: inverses. Each of
// several maps that share a table must answer for itself, whichever asked first.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "avrankmap/group.h"
#include "avrankmap/hierarchy.h"
#include "avrankmap/inverse.h"
#include "tests/rankmap/one_of_each.h"
#include "tests/rankmap/twin.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kGroups[] = {0, 7, 3};

struct GroupDestroyer {
  void operator()(avrm_group_t *group) const { avrm_group_destroy(group); }
};
using GroupPtr = std::unique_ptr<avrm_group_t, GroupDestroyer>;

// The members of one table: maps of all process groups, their parts and copies.
struct Family {
  const char *name;
  avrm_cost_t cost;
  Table (*table)(std::int32_t pgid); // without duplicates

  friend std::ostream &operator<<(std::ostream &out, const Family &family) { return out << family.name; }
};

Table irregular(std::int32_t pgid) {
  Ranks lpids;
  for (std::int32_t i = 0; i < 3000; ++i) {
    lpids.push_back(7919 * i % 3001);
  }
  return in_group(pgid, lpids);
}

Table squares(std::int32_t pgid) {
  Ranks lpids;
  for (std::int32_t i = 0; i < 40; ++i) {
    lpids.push_back(i * i);
  }
  return in_group(pgid, lpids);
}

// Two process groups, one of which is the same for all.
Table pairs(std::int32_t pgid) {
  Table table = squares(pgid);
  for (std::size_t i = 0; i < table.size(); i += 3) {
    table[i].pgid = 1;
  }
  return table;
}

Table stretches(std::int32_t pgid) {
  Table table = regular_table(pgid, 100, 7, 1);
  const Table second = regular_table(1, 100, 1000, 2);
  table.insert(table.end(), second.begin(), second.end());
  const Table third = regular_table(pgid, 90, 900, -3);
  table.insert(table.end(), third.begin(), third.end());
  return table;
}

// A cart without a closed inverse: its dimensions overlap, though no process occurs twice.
Table overlapping_cart(std::int32_t pgid) {
  Ranks lpids;
  for (std::int32_t z = 0; z < 50; ++z) {
    for (std::int32_t y = 0; y < 3; ++y) {
      for (std::int32_t x = 0; x < 4; ++x) {
        lpids.push_back(1000 * z + 6 * x + 10 * y);
      }
    }
  }
  return in_group(pgid, lpids);
}

Table cart(std::int32_t pgid) { return in_group(pgid, cart_lpids(950, {9, 8, 7})); }

constexpr Family kFamilies[] = {
    {"Lut", AVRM_COST_SPEED, irregular},      {"Table", AVRM_COST_BALANCED, irregular},
    {"SmallTable", AVRM_COST_BYTES, squares}, {"Mlut", AVRM_COST_SPEED, pairs},
    {"Pairs", AVRM_COST_BYTES, pairs},        {"Segments", AVRM_COST_BYTES, stretches},
    {"Cart", AVRM_COST_BYTES, cart},          {"OverlappingCart", AVRM_COST_BYTES, overlapping_cart},
};

class Sharers : public testing::TestWithParam<Family> {
protected:
  struct Sharer {
    std::string name;
    MapPtr map;
    Table table;
  };

  void add(std::string name, MapPtr map, Table table) {
    sharers_.push_back({std::move(name), std::move(map), std::move(table)});
  }

  void SetUp() override {
    for (const std::int32_t pgid : kGroups) {
      const std::string suffix = " in group " + std::to_string(pgid);
      const Table table = GetParam().table(pgid);
      const auto size = static_cast<std::int32_t>(table.size());
      const auto middle = [&table](std::int32_t first, std::int32_t end) {
        return Table(table.begin() + first, table.begin() + end);
      };
      add("map" + suffix, make_gpids(instance_, table), table);
      const MapPtr &map = sharers_.back().map;
      MapPtr copy = make_dup(map);
      MapPtr first_part = make_child_regular(map, size - 5, 0, 1);
      MapPtr last_part = make_child_regular(map, size - 5, 5, 1);
      MapPtr part_of_part = make_child_regular(last_part, size - 15, 7, 1);
      Ranks removed = {1, 17, size - 2};
      Table rest = table;
      for (auto rank = removed.rbegin(); rank != removed.rend(); ++rank) {
        rest.erase(rest.begin() + *rank);
      }
      MapPtr less = make_without(map, removed);
      MapPtr copy_of_less = make_dup(less);
      add("copy" + suffix, std::move(copy), table);
      add("first part" + suffix, std::move(first_part), middle(0, size - 5));
      add("last part" + suffix, std::move(last_part), middle(5, size));
      add("part of a part" + suffix, std::move(part_of_part), middle(12, size - 3));
      add("less" + suffix, std::move(less), rest);
      add("copy of less" + suffix, std::move(copy_of_less), rest);
    }
    // The processes that anybody asks for.
    for (const std::int32_t pgid : {0, 1, 3, 7}) {
      for (const avrm_gpid_t &process : GetParam().table(7)) {
        asked_.push_back({pgid, process.lpid});
      }
    }
  }

  // Ranks of processes by a search through the table.
  static Ranks ranks_in(const Table &table, const Table &processes) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> ranks;
    for (std::size_t rank = 0; rank < table.size(); ++rank) {
      ranks.emplace(std::pair(table[rank].pgid, table[rank].lpid), static_cast<std::int32_t>(rank));
    }
    Ranks result;
    for (const avrm_gpid_t &process : processes) {
      const auto found = ranks.find({process.pgid, process.lpid});
      result.push_back(found == ranks.end() ? AVRM_UNDEFINED : found->second);
    }
    return result;
  }

  void expect_right_ranks(const Sharer &sharer) const {
    Ranks ranks(asked_.size());
    require(avrm_rankmap_ranks(sharer.map.get(), asked_.size(), asked_.data(), ranks.data()));
    EXPECT_EQ(ranks, ranks_in(sharer.table, asked_)) << sharer.name;
    std::int32_t own = -7;
    require(avrm_rankmap_rank(sharer.map.get(), sharer.table.back(), &own));
    EXPECT_EQ(own, static_cast<std::int32_t>(sharer.table.size()) - 1) << sharer.name;
  }

  // By a sequence of indices, then again, with the caches as the first round left them.
  void expect_right_ranks_in_order(const std::vector<std::size_t> &order) {
    require(avrm_instance_drop_caches(instance_));
    for (int round = 0; round < 2; ++round) {
      for (const std::size_t i : order) {
        expect_right_ranks(sharers_[i]);
      }
    }
  }

  [[nodiscard]] std::vector<std::size_t> in_order() const {
    std::vector<std::size_t> order(sharers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }

  Instance instance_{false, GetParam().cost};
  std::vector<Sharer> sharers_;
  Table asked_;
};

TEST_P(Sharers, GiveRanksOfTheirOwnWhicheverAskedFirst) {
  std::vector<std::size_t> order = in_order();
  expect_right_ranks_in_order(order);
  std::reverse(order.begin(), order.end());
  expect_right_ranks_in_order(order);
}

TEST_P(Sharers, GiveRanksOfTheirOwnWhateverTheOneBeforeThemWas) {
  for (std::size_t first = 0; first < sharers_.size(); ++first) {
    require(avrm_instance_drop_caches(instance_));
    expect_right_ranks(sharers_[first]);
    expect_right_ranks(sharers_[(first + sharers_.size() / 3) % sharers_.size()]);
    expect_right_ranks(sharers_[(first + 2 * sharers_.size() / 3) % sharers_.size()]);
  }
}

TEST_P(Sharers, GiveTheirRanksAfterTheOneThatAskedFirstIsGone) {
  for (std::size_t i = 0; i + 1 < sharers_.size(); ++i) {
    expect_right_ranks(sharers_[i]);
    sharers_[i].map.reset();
    expect_right_ranks(sharers_[i + 1]);
  }
}

TEST_P(Sharers, AreGroupsOfTheirOwn) {
  std::vector<GroupPtr> groups;
  for (const Sharer &sharer : sharers_) {
    avrm_group_t *group = nullptr;
    require(avrm_group_create(sharer.map.get(), &group));
    groups.emplace_back(group);
  }
  for (std::size_t a = 0; a < sharers_.size(); ++a) {
    Ranks ranks(sharers_[a].table.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    for (std::size_t b = 0; b < sharers_.size(); ++b) {
      const std::string names = sharers_[a].name + " and " + sharers_[b].name;
      const Ranks expected = ranks_in(sharers_[b].table, sharers_[a].table);
      Ranks translated(ranks.size());
      require(
          avrm_group_translate_ranks(groups[a].get(), ranks.size(), ranks.data(), groups[b].get(), translated.data()));
      ASSERT_EQ(translated, expected) << names;
      const auto common = static_cast<std::int32_t>(
          std::count_if(expected.begin(), expected.end(), [](std::int32_t rank) { return rank != AVRM_UNDEFINED; }));
      avrm_group_t *intersection = nullptr;
      require(avrm_group_intersection(groups[a].get(), groups[b].get(), &intersection));
      EXPECT_EQ(avrm_group_size(GroupPtr(intersection).get()), common) << names;
      avrm_comparison_t comparison{};
      require(avrm_group_compare(groups[a].get(), groups[b].get(), &comparison));
      const bool same_size = sharers_[a].table.size() == sharers_[b].table.size();
      const bool similar = same_size && static_cast<std::size_t>(common) == ranks.size();
      EXPECT_EQ(comparison, sharers_[a].table == sharers_[b].table ? AVRM_IDENT
                            : similar                              ? AVRM_SIMILAR
                                                                   : AVRM_UNEQUAL)
          << names;
    }
  }
}

TEST_P(Sharers, HaveHierarchiesOfTheirOwn) {
  for (int order = 0; order < 2; ++order) {
    for (std::size_t i = 0; i < sharers_.size(); ++i) {
      const Sharer &sharer = sharers_[order == 0 ? i : sharers_.size() - 1 - i];
      avrm_hierarchy_t hierarchy{};
      require(avrm_hierarchy_create_layout(sharer.map.get(), 5, 8, &hierarchy));
      std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> nodes;
      for (std::size_t rank = 0; rank < sharer.table.size(); ++rank) {
        const avrm_gpid_t process = sharer.table[rank];
        const auto number = static_cast<std::int32_t>(nodes.size());
        const auto node = nodes.emplace(std::pair(process.pgid, process.lpid / 8 % 5), number).first->second;
        ASSERT_EQ(avrm_hierarchy_node(&hierarchy, static_cast<std::int32_t>(rank)), node) << sharer.name;
      }
      avrm_hierarchy_destroy(&hierarchy);
    }
  }
}

TEST_P(Sharers, AreBoundToTheirOwnProcessGroups) {
  std::vector<AvPtr> avs;
  for (int pgid = 0; pgid < 8; ++pgid) {
    avs.push_back(make_av(instance_, 50000));
    fill(avs.back().get());
  }
  for (const Sharer &sharer : sharers_) {
    require(avrm_rankmap_bind(sharer.map.get()));
  }
  for (const Sharer &sharer : sharers_) {
    for (std::size_t rank = 0; rank < sharer.table.size(); ++rank) {
      ASSERT_EQ(avrm_rankmap_word(sharer.map.get(), static_cast<std::int32_t>(rank)), word_of(sharer.table[rank]))
          << sharer.name;
    }
  }
  expect_right_ranks_in_order(in_order());
  for (const Sharer &sharer : sharers_) {
    require(avrm_rankmap_unbind(sharer.map.get()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sharers, testing::ValuesIn(kFamilies),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
