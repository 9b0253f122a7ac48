// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Refuses every allocation of every group operation in turn, and pins the scratch memory of
// the operations.
#include "tests/component/group/group_twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

Ranks shuffled(std::int32_t size, std::int32_t stride = 1) {
  Ranks lpids = regular_values(size, 0, stride);
  std::mt19937_64 engine = seeded_engine();
  std::shuffle(lpids.begin(), lpids.end(), engine);
  return lpids;
}

class GroupOutOfMemory : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory};

  // Returns the number of allocation points.
  template <typename Create> int points(Create create) {
    avrm_group_t *group = nullptr;
    const int number = refuse_each_allocation(&memory, &group, create);
    avrm_group_destroy(group);
    return number;
  }
  // Of each operation on two groups.
  void try_all(const GroupPtr &a, const GroupPtr &b) {
    for (const auto operation : {avrm_group_union, avrm_group_intersection, avrm_group_difference}) {
      EXPECT_GE(points([&](avrm_group_t **group_p) { return operation(a.get(), b.get(), group_p); }), 4);
    }
    for (int point = 0; point < 100; ++point) {
      avrm_comparison_t comparison = AVRM_IDENT;
      const std::uint64_t live_bytes = memory.live_bytes();
      const std::uint64_t calls = memory.calls();
      memory.refuse_after(static_cast<std::uint64_t>(point));
      const avrm_status_t status = avrm_group_compare(a.get(), b.get(), &comparison);
      const bool refused = memory.refused();
      memory.refuse_none();
      EXPECT_EQ(memory.live_bytes(), live_bytes);
      EXPECT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
      if (!refused) {
        break;
      }
      EXPECT_LE(memory.calls() - calls, static_cast<std::uint64_t>(point) + kCallsUntilCheck);
    }
  }
};

TEST_F(GroupOutOfMemory, EmptyGroupHasOnePoint) {
  EXPECT_EQ(points([&](avrm_group_t **group_p) { return avrm_group_create_empty(instance, group_p); }), 1);
}

TEST_F(GroupOutOfMemory, GroupOfARegularMapHasOnePoint) {
  const MapPtr map = make_direct(instance, 5);
  EXPECT_EQ(points([&](avrm_group_t **group_p) { return avrm_group_create(map.get(), group_p); }), 1);
}

TEST_F(GroupOutOfMemory, DupHasOnePoint) {
  const GroupPtr group = group_of(instance, shuffled(20));
  EXPECT_EQ(points([&](avrm_group_t **group_p) { return avrm_group_dup(group.get(), group_p); }), 1);
}

TEST_F(GroupOutOfMemory, SetOperationsByRuns) {
  try_all(group_of(make_direct(instance, 1000)), group_of(make_stride(instance, 100, 20, 9)));
}

TEST_F(GroupOutOfMemory, SetOperationsOnInterleavedSequences) {
  Ranks lpids = regular_values(1500, 0, 6);
  const Ranks others = regular_values(900, 3, 10);
  lpids.insert(lpids.end(), others.begin(), others.end());
  try_all(group_of(make_blocked(instance, 1000, 0, 250, 25)), group_of(instance, lpids));
}

TEST_F(GroupOutOfMemory, SetOperationsByBits) {
  try_all(group_of(instance, shuffled(1000)), group_of(instance, shuffled(500, 2)));
}

TEST_F(GroupOutOfMemory, SetOperationsByKeys) {
  try_all(group_of(instance, shuffled(1000, 10000)), group_of(instance, shuffled(1000, 15000)));
}

TEST_F(GroupOutOfMemory, SetOperationsAcrossProcessGroups) {
  Table a = in_group(0, shuffled(100));
  Table b = in_group(0, shuffled(100, 2));
  for (std::int32_t pgid = 1; pgid < 40; ++pgid) {
    a.push_back({pgid, pgid * pgid});
    b.push_back({pgid + 5, pgid * pgid});
  }
  try_all(group_of(instance, a), group_of(instance, b));
}

TEST_F(GroupOutOfMemory, Parts) {
  const GroupPtr group = group_of(instance, shuffled(1000));
  const Ranks ranks = shuffled(300, 3);
  const Ranges ranges = {{0, 900, 3}, {901, 1, -3}};
  const auto points_of = [&](auto operation) {
    return points([&](avrm_group_t **group_p) { return operation(group.get(), 300, ranks.data(), group_p); });
  };
  EXPECT_EQ(points_of(avrm_group_incl), 2); // the table and the group
  EXPECT_GE(points_of(avrm_group_excl), 5);
  for (const auto operation : {avrm_group_range_incl, avrm_group_range_excl}) {
    EXPECT_GE(points([&](avrm_group_t **group_p) { return operation(group.get(), 2, ranges.data(), group_p); }), 5);
  }
}

class GroupScratch : public testing::Test {
protected:
  static constexpr std::int32_t kSize = 100000;
  Instance instance;
  std::uint64_t peak() const { return instance.usage(AVRM_MEM_SCRATCH).peak_bytes; }
};

// Runs of both groups and of the result grow by doubling; 16 bytes for every one or two processes.
constexpr std::uint64_t kBytesPerProcess = 3 * 3 * 16;

TEST_F(GroupScratch, OfRandomGroupsIsBounded) {
  const GroupPtr a = group_of(instance, shuffled(kSize));
  const GroupPtr b = group_of(instance, shuffled(kSize / 2, 2));
  const GroupPtr result = difference_of(a, b);
  EXPECT_EQ(avrm_group_size(result.get()), kSize / 2);
  EXPECT_LT(peak(), kBytesPerProcess * kSize);
}

TEST_F(GroupScratch, OfThinRandomGroupsIsBounded) {
  const GroupPtr a = group_of(instance, shuffled(kSize, 20000));
  const GroupPtr b = group_of(instance, shuffled(kSize / 2, 40000));
  const GroupPtr result = difference_of(a, b);
  EXPECT_EQ(avrm_group_size(result.get()), kSize / 2);
  EXPECT_LT(peak(), kBytesPerProcess * kSize);
}

TEST_F(GroupScratch, IsGoneAfterwards) {
  const GroupPtr result = union_of(group_of(instance, shuffled(kSize)), group_of(instance, shuffled(kSize, 3)));
  EXPECT_EQ(instance.usage(AVRM_MEM_SCRATCH).live_bytes, 0U);
}

} // namespace
} // namespace avrankmap::test
