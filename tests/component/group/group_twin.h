// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Owner of groups, and a brute-force twin of the group operations: plain tables and hash maps,
// written from the definitions of the MPI standard.
#ifndef AVRANKMAP_TESTS_GROUP_GROUP_TWIN_H
#define AVRANKMAP_TESTS_GROUP_GROUP_TWIN_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "avrankmap/group.h"
#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {

struct GroupDestroyer {
  void operator()(avrm_group_t *group) const noexcept { avrm_group_destroy(group); }
};
using GroupPtr = std::unique_ptr<avrm_group_t, GroupDestroyer>;

// Returns the group that create(&group) makes; throws if it fails.
template <typename Create> GroupPtr make_group(Create create) {
  avrm_group_t *group = nullptr;
  require(create(&group));
  return GroupPtr(group);
}

// Returns the status of a creation that must fail. Checks that the output is unchanged and
// nothing leaks.
template <typename Create> avrm_status_t group_refusal(const Instance &instance, Create create) {
  static unsigned char untouched[1];
  auto *const before = reinterpret_cast<avrm_group_t *>(untouched);
  avrm_group_t *group = before;
  const std::uint64_t live_bytes = instance.usage(AVRM_MEM_TOTAL).live_bytes;
  const avrm_status_t status = create(&group);
  EXPECT_EQ(group, before) << "an output was written";
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).live_bytes, live_bytes);
  return status;
}

using Ranges = std::vector<avrm_range_t>;
template <typename Item> std::int32_t count_of(const std::vector<Item> &items) {
  return static_cast<std::int32_t>(items.size());
}

inline GroupPtr empty_group(avrm_instance_t *instance) {
  return make_group([=](avrm_group_t **group_p) { return avrm_group_create_empty(instance, group_p); });
}
inline GroupPtr group_of(const MapPtr &map) {
  return make_group([&](avrm_group_t **group_p) { return avrm_group_create(map.get(), group_p); });
}
inline GroupPtr group_of(avrm_instance_t *instance, const Table &table) {
  return table.empty() ? empty_group(instance) : group_of(make_gpids(instance, table));
}
// Of process group 0.
inline GroupPtr group_of(avrm_instance_t *instance, const Ranks &lpids) {
  return group_of(instance, in_group(0, lpids));
}
inline GroupPtr union_of(const GroupPtr &a, const GroupPtr &b) {
  return make_group([&](avrm_group_t **group_p) { return avrm_group_union(a.get(), b.get(), group_p); });
}
inline GroupPtr intersection_of(const GroupPtr &a, const GroupPtr &b) {
  return make_group([&](avrm_group_t **group_p) { return avrm_group_intersection(a.get(), b.get(), group_p); });
}
inline GroupPtr difference_of(const GroupPtr &a, const GroupPtr &b) {
  return make_group([&](avrm_group_t **group_p) { return avrm_group_difference(a.get(), b.get(), group_p); });
}
inline GroupPtr incl_of(const GroupPtr &group, const Ranks &ranks) {
  return make_group(
      [&](avrm_group_t **group_p) { return avrm_group_incl(group.get(), count_of(ranks), ranks.data(), group_p); });
}
inline GroupPtr excl_of(const GroupPtr &group, const Ranks &ranks) {
  return make_group(
      [&](avrm_group_t **group_p) { return avrm_group_excl(group.get(), count_of(ranks), ranks.data(), group_p); });
}
inline GroupPtr range_incl_of(const GroupPtr &group, const Ranges &ranges) {
  return make_group([&](avrm_group_t **group_p) {
    return avrm_group_range_incl(group.get(), count_of(ranges), ranges.data(), group_p);
  });
}
inline GroupPtr range_excl_of(const GroupPtr &group, const Ranges &ranges) {
  return make_group([&](avrm_group_t **group_p) {
    return avrm_group_range_excl(group.get(), count_of(ranges), ranges.data(), group_p);
  });
}
inline avrm_comparison_t comparison_of(const GroupPtr &a, const GroupPtr &b) {
  avrm_comparison_t comparison{};
  require(avrm_group_compare(a.get(), b.get(), &comparison));
  return comparison;
}

// The twin: a process's rank in a table.
class RankByProcess {
public:
  explicit RankByProcess(const Table &table) {
    ranks_.reserve(table.size());
    for (const avrm_gpid_t &gpid : table) {
      ranks_.emplace(key(gpid), static_cast<std::int32_t>(ranks_.size()));
    }
  }
  [[nodiscard]] bool has(avrm_gpid_t gpid) const { return ranks_.count(key(gpid)) != 0; }
  [[nodiscard]] std::int32_t rank(avrm_gpid_t gpid) const {
    const auto found = ranks_.find(key(gpid));
    return found == ranks_.end() ? AVRM_UNDEFINED : found->second;
  }

private:
  static std::uint64_t key(avrm_gpid_t gpid) {
    return static_cast<std::uint64_t>(gpid.pgid) << 32 | static_cast<std::uint32_t>(gpid.lpid);
  }
  std::unordered_map<std::uint64_t, std::int32_t> ranks_;
};

inline Table twin_selection(const Table &a, const Table &b, bool members) {
  const RankByProcess in_b(b);
  Table result;
  std::copy_if(a.begin(), a.end(), std::back_inserter(result),
               [&](const avrm_gpid_t &gpid) { return in_b.has(gpid) == members; });
  return result;
}
inline Table twin_intersection(const Table &a, const Table &b) { return twin_selection(a, b, true); }
inline Table twin_difference(const Table &a, const Table &b) { return twin_selection(a, b, false); }
inline Table twin_union(Table a, const Table &b) {
  const Table rest = twin_difference(b, a);
  a.insert(a.end(), rest.begin(), rest.end());
  return a;
}
inline Table twin_excl(const Table &group, const Ranks &ranks) {
  std::vector<bool> out(group.size());
  for (const std::int32_t rank : ranks) {
    out.at(static_cast<std::size_t>(rank)) = true;
  }
  Table result;
  for (std::size_t rank = 0; rank < group.size(); ++rank) {
    if (!out[rank]) {
      result.push_back(group[rank]);
    }
  }
  return result;
}
inline Ranks ranks_of(const Ranges &ranges) {
  Ranks ranks;
  for (const avrm_range_t &range : ranges) {
    for (std::int64_t rank = range.first; range.stride > 0 ? rank <= range.last : rank >= range.last;
         rank += range.stride) {
      ranks.push_back(static_cast<std::int32_t>(rank));
    }
  }
  return ranks;
}
inline avrm_comparison_t twin_comparison(const Table &a, const Table &b) {
  if (a == b) {
    return AVRM_IDENT;
  }
  return a.size() == b.size() && twin_difference(a, b).empty() ? AVRM_SIMILAR : AVRM_UNEQUAL;
}

// Checks that the group is valid and equals the table.
inline testing::AssertionResult holds(const GroupPtr &group, const Table &table) {
  if (static_cast<std::size_t>(avrm_group_size(group.get())) != table.size()) {
    return testing::AssertionFailure() << "size " << avrm_group_size(group.get()) << ", expected " << table.size();
  }
  const avrm_rankmap_t *const map = avrm_group_map(group.get());
  const char *reason = nullptr;
  if (!avrm_rankmap_validate(map, &reason)) {
    return testing::AssertionFailure() << "the map is invalid: " << reason;
  }
  for (std::size_t rank = 0; rank < table.size(); ++rank) {
    const avrm_gpid_t gpid = avrm_rankmap_gpid(map, static_cast<std::int32_t>(rank));
    if (!(gpid == table[rank])) {
      return testing::AssertionFailure() << "rank " << rank << " is " << gpid.pgid << ':' << gpid.lpid << ", expected "
                                         << table[rank].pgid << ':' << table[rank].lpid;
    }
  }
  return testing::AssertionSuccess();
}
inline testing::AssertionResult holds(const GroupPtr &group, const Ranks &lpids) {
  return holds(group, in_group(0, lpids));
}

} // namespace avrankmap::test

#endif
