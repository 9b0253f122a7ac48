// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Brute-force twin of a hierarchy: the ranks of each node, listed. Written from hierarchy.h alone.
#ifndef AVRANKMAP_TESTS_HIERARCHY_HIERARCHY_TWIN_H
#define AVRANKMAP_TESTS_HIERARCHY_HIERARCHY_TWIN_H

#include <memory>
#include <unordered_map>
#include <vector>

#include "avrankmap/hierarchy.h"
#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {

using Keys = std::vector<std::uint64_t>;

struct HierarchyDestroyer {
  void operator()(avrm_hierarchy_t *hierarchy) const noexcept {
    avrm_hierarchy_destroy(hierarchy);
    delete hierarchy;
  }
};
using HierarchyPtr = std::unique_ptr<avrm_hierarchy_t, HierarchyDestroyer>;

// Returns the hierarchy that create(hierarchy) fills in; throws if it fails.
template <typename Create> HierarchyPtr make_hierarchy(Create create) {
  HierarchyPtr hierarchy(new avrm_hierarchy_t{});
  require(create(hierarchy.get()));
  return hierarchy;
}
inline HierarchyPtr of_keys(avrm_instance_t *instance, const Keys &keys) {
  return make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) {
    return avrm_hierarchy_create_keys(instance, static_cast<std::int32_t>(keys.size()), keys.data(), hierarchy_p);
  });
}
inline HierarchyPtr of_layout(const MapPtr &map, std::int32_t nodes, std::int32_t block) {
  return make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) {
    return avrm_hierarchy_create_layout(map.get(), nodes, block, hierarchy_p);
  });
}

class HierarchyTwin {
public:
  explicit HierarchyTwin(const Keys &keys) {
    std::unordered_map<std::uint64_t, std::size_t> numbers;
    for (const std::uint64_t key : keys) {
      const std::size_t node = numbers.emplace(key, numbers.size()).first->second;
      ranks_.resize(numbers.size());
      node_of_.push_back(static_cast<std::int32_t>(node));
      local_of_.push_back(static_cast<std::int32_t>(ranks_[node].size()));
      ranks_[node].push_back(static_cast<std::int32_t>(node_of_.size()) - 1);
    }
  }

  // Every question about every rank and node; 4 checks per rank.
  [[nodiscard]] testing::AssertionResult agrees(const avrm_hierarchy_t *hierarchy) const {
    if (avrm_hierarchy_size(hierarchy) != static_cast<std::int32_t>(node_of_.size()) ||
        avrm_hierarchy_nodes(hierarchy) != static_cast<std::int32_t>(ranks_.size())) {
      return testing::AssertionFailure() << avrm_hierarchy_size(hierarchy) << " ranks on "
                                         << avrm_hierarchy_nodes(hierarchy) << " nodes, expected " << node_of_.size()
                                         << " on " << ranks_.size();
    }
    for (std::size_t i = 0; i < node_of_.size(); ++i) {
      const auto rank = static_cast<std::int32_t>(i);
      const std::int32_t node = node_of_[i];
      const std::int32_t other = node == 0 ? 1 : 0;
      if (avrm_hierarchy_node(hierarchy, rank) != node || avrm_hierarchy_local(hierarchy, rank) != local_of_[i] ||
          avrm_hierarchy_rank(hierarchy, node, local_of_[i]) != rank ||
          avrm_hierarchy_local_on(hierarchy, node, rank) != local_of_[i] ||
          avrm_hierarchy_local_on(hierarchy, other, rank) != AVRM_UNDEFINED) {
        return testing::AssertionFailure()
               << "rank " << rank << " is " << avrm_hierarchy_local(hierarchy, rank) << " on node "
               << avrm_hierarchy_node(hierarchy, rank) << ", expected " << local_of_[i] << " on " << node;
      }
    }
    for (std::size_t node = 0; node < ranks_.size(); ++node) {
      const auto index = static_cast<std::int32_t>(node);
      if (avrm_hierarchy_node_size(hierarchy, index) != static_cast<std::int32_t>(ranks_[node].size()) ||
          avrm_hierarchy_leader(hierarchy, index) != ranks_[node][0]) {
        return testing::AssertionFailure() << "node " << node << " has " << avrm_hierarchy_node_size(hierarchy, index)
                                           << " ranks from " << avrm_hierarchy_leader(hierarchy, index);
      }
    }
    return testing::AssertionSuccess();
  }

  // The ranks of each node.
  [[nodiscard]] const std::vector<Ranks> &nodes() const { return ranks_; }

private:
  std::vector<Ranks> ranks_;
  Ranks node_of_;
  Ranks local_of_;
};

} // namespace avrankmap::test

#endif
