// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchies that share what they refer to: of equal maps, of maps with equal lpids in other
// process groups, and duplicates. Each is asked after others were destroyed, and for the maps of
// its nodes among the ranks of a map in another process group.
#include "tests/component/hierarchy/hierarchy_twin.h"
#include "tests/component/rankmap/sharers.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kNodes = 3; // of each process group
constexpr std::int32_t kBlock = 7;

Keys keys_of(const Table &table) {
  Keys keys;
  for (const avrm_gpid_t &process : table) {
    keys.push_back(static_cast<std::uint64_t>(process.pgid) << 32 |
                   static_cast<std::uint64_t>(process.lpid / kBlock % kNodes));
  }
  return keys;
}

struct Member {
  std::string name;
  HierarchyPtr hierarchy;
  HierarchyTwin twin;
};

class HierarchySharers : public testing::TestWithParam<ContentInClass> {
protected:
  Instance instance{false, std::get<avrm_cost_t>(GetParam())};
  Family family{instance, std::get<Content>(GetParam())};
  const std::vector<Sharer> &sharers = family.sharers();

  // Each hierarchy and a duplicate of it.
  [[nodiscard]] std::vector<Member> members() const {
    std::vector<Member> all;
    for (const Sharer &sharer : sharers) {
      const HierarchyTwin twin(keys_of(sharer.table));
      all.push_back({sharer.name, of_layout(sharer.map, kNodes, kBlock), twin});
      HierarchyPtr duplicate = make_hierarchy([&all](avrm_hierarchy_t *hierarchy_p) {
        return avrm_hierarchy_dup(all.back().hierarchy.get(), hierarchy_p);
      });
      all.push_back({"duplicate of the hierarchy of the " + sharer.name, std::move(duplicate), twin});
    }
    return all;
  }

  void expect_answers_while_destroying(std::vector<Member> all) const {
    constexpr std::size_t kStep = 29; // those that are asked each time
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(all[i].twin.agrees(all[i].hierarchy.get())) << all[i].name;
      all[i].hierarchy.reset();
      for (std::size_t other = i + 1; other < all.size(); other += kStep) {
        ASSERT_TRUE(all[other].twin.agrees(all[other].hierarchy.get())) << all[other].name;
      }
    }
    EXPECT_EQ(instance.usage(AVRM_MEM_COMM).live_bytes, 0U);
  }
};

INSTANTIATE_TEST_SUITE_P(All, HierarchySharers, in_both_classes(contents(2500)), content_name);

TEST_P(HierarchySharers, AnswerWhicheverIsDestroyedFirst) {
  expect_answers_while_destroying(members());
  std::vector<Member> backwards = members();
  std::reverse(backwards.begin(), backwards.end());
  expect_answers_while_destroying(std::move(backwards));
}

// A hierarchy numbers nodes and knows no processes.
TEST_P(HierarchySharers, HaveTheMapsOfNodesInEachProcessGroup) {
  const std::size_t in_group = sharers.size() / 3;
  for (std::size_t place = 0; place < in_group; ++place) {
    const HierarchyTwin twin(keys_of(sharers[place].table));
    const HierarchyPtr hierarchy = of_layout(sharers[place].map, kNodes, kBlock);
    for (std::size_t at = place; at < sharers.size(); at += in_group) {
      const HierarchyPtr own = of_layout(sharers[at].map, kNodes, kBlock);
      EXPECT_EQ(own->shared, hierarchy->shared) << sharers[at].name;
      Ranks leaders;
      for (std::size_t node = 0; node < twin.nodes().size(); ++node) {
        const MapPtr map = make_map([&](avrm_rankmap_t *map_p) {
          return avrm_hierarchy_node_map(hierarchy.get(), static_cast<std::int32_t>(node), sharers[at].map.get(),
                                         map_p);
        });
        EXPECT_EQ(table_of(map.get()), child_table(sharers[at].table, twin.nodes()[node])) << sharers[at].name;
        leaders.push_back(twin.nodes()[node][0]);
      }
      const MapPtr roots = make_map([&](avrm_rankmap_t *map_p) {
        return avrm_hierarchy_leaders_map(hierarchy.get(), sharers[at].map.get(), map_p);
      });
      EXPECT_EQ(table_of(roots.get()), child_table(sharers[at].table, leaders)) << sharers[at].name;
    }
  }
}

} // namespace
} // namespace avrankmap::test
