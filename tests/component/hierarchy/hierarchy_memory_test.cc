// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of hierarchies: shared by equal ones, and every allocation refused in turn.
#include <algorithm>

#include "tests/component/hierarchy/hierarchy_twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

class HierarchyMemory : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory};
  // 1000 ranks in no order.
  static Keys scattered() {
    std::mt19937_64 engine = seeded_engine();
    Keys keys(1000);
    std::generate(keys.begin(), keys.end(), [&engine] { return below(engine, 500); });
    return keys;
  }

  Keys starts{7, 7, 8, 9, 9, 9};
  Keys segments{1, 2, 1, 3, 3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1};
  Keys packed = scattered();
};

TEST_F(HierarchyMemory, EveryFormIsThere) {
  EXPECT_EQ(avrm_hierarchy_bytes(of_keys(instance, starts).get()), 24 + 3 * 4U);
  EXPECT_EQ(avrm_hierarchy_bytes(of_keys(instance, segments).get()), 24 + 4 * 24U);
  EXPECT_EQ(avrm_hierarchy_bytes(of_keys(instance, packed).get()), 24 + 9 * (1 + 4 * 9) * 4U);
}

TEST_F(HierarchyMemory, EqualHierarchiesShareOneBlock) {
  for (const Keys *keys : {&starts, &segments, &packed}) {
    HierarchyPtr first = of_keys(instance, *keys);
    Keys renamed = *keys;
    for (std::uint64_t &key : renamed) {
      key = 1000 - key;
    }
    const HierarchyPtr second = of_keys(instance, renamed);
    const HierarchyPtr third =
        make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) { return avrm_hierarchy_dup(first.get(), hierarchy_p); });
    EXPECT_EQ(memory.usage(AVRM_MEM_COMM).live_bytes, avrm_hierarchy_bytes(first.get()));
    EXPECT_EQ(memory.usage(AVRM_MEM_COMM).live_blocks, 1U);
    first.reset();
    EXPECT_TRUE(HierarchyTwin(*keys).agrees(second.get()));
    EXPECT_TRUE(HierarchyTwin(*keys).agrees(third.get()));
  }
  EXPECT_EQ(memory.usage(AVRM_MEM_COMM).live_bytes, 0U);
}

TEST_F(HierarchyMemory, DifferentHierarchiesShareNothing) {
  const HierarchyPtr first = of_keys(instance, packed);
  std::swap(packed[2], packed[3]);
  const HierarchyPtr second = of_keys(instance, packed);
  EXPECT_NE(first->shared, second->shared);
  EXPECT_TRUE(HierarchyTwin(packed).agrees(second.get()));
}

TEST_F(HierarchyMemory, DeclaredLayoutAllocatesNothing) {
  const MapPtr map = make_direct(instance, 1000000);
  const std::uint64_t calls = memory.calls();
  const HierarchyPtr hierarchy = of_layout(map, 7812, 128);
  EXPECT_EQ(memory.calls(), calls);
  EXPECT_LE(sizeof *hierarchy, 64U);
}

TEST_F(HierarchyMemory, OneThatIsNoLayoutKeepsTheInstanceBusy) {
  avrm_instance_t *own = nullptr;
  require(avrm_instance_create(nullptr, &own));
  avrm_hierarchy_t hierarchy{};
  require(avrm_hierarchy_create_keys(own, static_cast<std::int32_t>(packed.size()), packed.data(), &hierarchy));
  EXPECT_EQ(avrm_instance_destroy(own), AVRM_ERR_BUSY);
  avrm_hierarchy_destroy(&hierarchy);
  EXPECT_EQ(avrm_instance_destroy(own), AVRM_OK);
}

TEST_F(HierarchyMemory, LayoutMayBeDestroyedAfterTheInstance) {
  avrm_instance_t *own = nullptr;
  require(avrm_instance_create(nullptr, &own));
  const Keys layout{4, 4, 9, 9};
  avrm_hierarchy_t hierarchy{};
  require(avrm_hierarchy_create_keys(own, static_cast<std::int32_t>(layout.size()), layout.data(), &hierarchy));
  EXPECT_EQ(avrm_instance_destroy(own), AVRM_OK);
  avrm_hierarchy_destroy(&hierarchy);
  EXPECT_EQ(hierarchy.instance, nullptr);
}

TEST_F(HierarchyMemory, RefusedAllocationLeavesNothingBehind) {
  // More than what the instance's table has room for without memory.
  std::vector<HierarchyPtr> others;
  Keys other{0, 1, 1, 0, 0};
  for (int i = 0; i < 8; ++i) {
    other.push_back(0);
    others.push_back(of_keys(instance, other));
  }
  for (const Keys *keys : {&starts, &segments, &packed}) {
    const auto size = static_cast<std::int32_t>(keys->size());
    int points = 0;
    for (avrm_status_t status = AVRM_ERR_NO_MEMORY; status != AVRM_OK; ++points) {
      avrm_hierarchy_t hierarchy{};
      const std::uint64_t live_bytes = memory.live_bytes();
      const std::uint64_t calls = memory.calls();
      memory.refuse_after(static_cast<std::uint64_t>(points));
      status = avrm_hierarchy_create_keys(instance, size, keys->data(), &hierarchy);
      const bool refused = memory.refused();
      memory.refuse_none();
      ASSERT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
      if (refused) {
        EXPECT_EQ(hierarchy.instance, nullptr);
        EXPECT_EQ(memory.live_bytes(), live_bytes);
        EXPECT_LE(memory.calls() - calls, static_cast<std::uint64_t>(points) + kCallsUntilCheck);
      } else {
        EXPECT_TRUE(HierarchyTwin(*keys).agrees(&hierarchy));
      }
      avrm_hierarchy_destroy(&hierarchy);
    }
    EXPECT_GE(points, 6);
  }
}

TEST_F(HierarchyMemory, RefusedAllocationOfADeclaredLayoutLeavesNothingBehind) {
  Ranks lpids;
  for (std::int32_t i = 0; i < 60; ++i) { // 6 pieces and their keys
    lpids.push_back(i / 10 * 100 + i % 10 * (i / 20 + 1));
  }
  const MapPtr map = make_lpids(instance, lpids);
  int points = 0;
  for (avrm_status_t status = AVRM_ERR_NO_MEMORY; status != AVRM_OK; ++points) {
    avrm_hierarchy_t hierarchy{};
    const std::uint64_t live_bytes = memory.live_bytes();
    const std::uint64_t calls = memory.calls();
    memory.refuse_after(static_cast<std::uint64_t>(points));
    status = avrm_hierarchy_create_layout(map.get(), 64, 2, &hierarchy);
    const bool refused = memory.refused();
    memory.refuse_none();
    ASSERT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
    EXPECT_TRUE(!refused || (hierarchy.instance == nullptr && memory.live_bytes() == live_bytes &&
                             memory.calls() - calls <= static_cast<std::uint64_t>(points) + kCallsUntilCheck));
    avrm_hierarchy_destroy(&hierarchy);
  }
  EXPECT_GE(points, 3);
}

TEST_F(HierarchyMemory, RefusedAllocationEndsTheListOfKeys) {
  const MapPtr map = make_stride(instance, 100000, 0, 3); // blocks of two lpids are met unevenly
  avrm_hierarchy_t hierarchy{};
  const std::uint64_t calls = memory.calls();
  memory.refuse_all(true);
  EXPECT_EQ(avrm_hierarchy_create_layout(map.get(), 64, 2, &hierarchy), AVRM_ERR_NO_MEMORY);
  memory.refuse_all(false);
  EXPECT_EQ(memory.calls(), calls + 1);
}

} // namespace
} // namespace avrankmap::test
