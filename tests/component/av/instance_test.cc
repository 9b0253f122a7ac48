// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/instance.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "tests/support/instance.h"

namespace avrankmap::test {

namespace {

// A creation that must fail: returns its status, after a check that the output is unchanged.
avrm_status_t failed_create(const avrm_instance_options_t *options) {
  avrm_instance_t *instance = untouched<avrm_instance_t>();
  const avrm_status_t status = avrm_instance_create(options, &instance);
  EXPECT_EQ(instance, untouched<avrm_instance_t>());
  return status;
}

TEST(InstanceCreate, NullOutputIsRefused) { EXPECT_EQ(avrm_instance_create(nullptr, nullptr), AVRM_ERR_NULL); }

TEST(InstanceCreate, NullOptionsAreTheDefaults) {
  avrm_instance_t *instance = nullptr;
  ASSERT_EQ(avrm_instance_create(nullptr, &instance), AVRM_OK);
  EXPECT_FALSE(avrm_instance_is_strict(instance));
  EXPECT_EQ(avrm_instance_cost(instance), AVRM_COST_BALANCED);
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
}

TEST(InstanceCreate, ZeroOptionsAreTheDefaults) {
  const Instance instance(false, static_cast<avrm_cost_t>(0));
  EXPECT_FALSE(avrm_instance_is_strict(instance));
  EXPECT_EQ(avrm_instance_cost(instance), AVRM_COST_BALANCED);
}

TEST(InstanceCreate, StrictIsRemembered) {
  const Instance instance(true);
  EXPECT_TRUE(avrm_instance_is_strict(instance));
}

TEST(InstanceCreate, CostClassIsRemembered) {
  EXPECT_EQ(avrm_instance_cost(Instance(false, AVRM_COST_BYTES)), AVRM_COST_BYTES);
  EXPECT_EQ(avrm_instance_cost(Instance(false, AVRM_COST_SPEED)), AVRM_COST_SPEED);
}

TEST(InstanceCreate, UnknownCostClassIsRefused) {
  const avrm_instance_options_t options = {nullptr, false, static_cast<avrm_cost_t>(AVRM_COST_SPEED + 1), false};
  EXPECT_EQ(failed_create(&options), AVRM_ERR_OPTION);
}

TEST(InstanceCreate, AllocatorWithoutAllocateIsRefused) {
  CountingAllocator memory;
  avrm_allocator_t hooks = memory.hooks();
  hooks.allocate = nullptr;
  const avrm_instance_options_t options = {&hooks, false, AVRM_COST_BYTES, false};
  EXPECT_EQ(failed_create(&options), AVRM_ERR_NULL);
}

TEST(InstanceCreate, AllocatorWithoutReleaseIsRefused) {
  CountingAllocator memory;
  avrm_allocator_t hooks = memory.hooks();
  hooks.release = nullptr;
  const avrm_instance_options_t options = {&hooks, false, AVRM_COST_BYTES, false};
  EXPECT_EQ(failed_create(&options), AVRM_ERR_NULL);
}

TEST(InstanceCreate, TakesOneBlock) {
  CountingAllocator memory;
  const Instance instance(&memory);
  EXPECT_EQ(memory.calls(), 1U);
  EXPECT_EQ(memory.usage(AVRM_MEM_INSTANCE).live_blocks, 1U);
}

TEST(InstanceCreate, CopiesTheAllocator) {
  CountingAllocator memory;
  avrm_allocator_t hooks = memory.hooks();
  const avrm_instance_options_t options = {&hooks, false, AVRM_COST_BYTES, false};
  avrm_instance_t *instance = nullptr;
  ASSERT_EQ(avrm_instance_create(&options, &instance), AVRM_OK);
  hooks = {};
  AvPtr av = make_av(instance, 10);
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_blocks, 1U);
  av.reset();
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
}

TEST(InstanceCreate, SucceedsFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) {
        const Instance instance;
        EXPECT_EQ(make_av(instance, 3)->pgid, 0);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

TEST(InstanceDestroy, NullDoesNothing) { EXPECT_EQ(avrm_instance_destroy(nullptr), AVRM_OK); }

TEST(InstanceDestroy, ReturnsEveryByte) {
  CountingAllocator memory;
  { const Instance instance(&memory); }
  EXPECT_EQ(memory.live_bytes(), 0U);
}

TEST(InstanceDestroy, ReturnsTheDirectoryToo) {
  CountingAllocator memory;
  {
    const Instance instance(&memory);
    std::vector<AvPtr> avs;
    for (int i = 0; i < 1000; ++i) {
      avs.push_back(make_av(instance, 1));
    }
  }
  EXPECT_EQ(memory.live_bytes(), 0U);
}

TEST(InstanceDestroy, UnreleasedAddressVectorIsBusy) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10);
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_ERR_BUSY);
}

TEST(InstanceDestroy, RankmapWithATableIsBusy) {
  const Instance instance;
  const std::int32_t lpids[] = {3, 1, 4, 0};
  const MapPtr map = make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_lpids(instance, 0, 4, lpids, AVRM_RANKMAP_DEFAULT, map_p);
  });
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_ERR_BUSY);
}

TEST(InstanceDestroy, RegularRankmapMayBeDestroyedLater) {
  avrm_instance_t *instance = nullptr;
  require(avrm_instance_create(nullptr, &instance));
  avrm_rankmap_t map{};
  require(avrm_rankmap_create_direct(instance, 0, 10, &map));
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
  avrm_rankmap_destroy(&map);
}

TEST(InstanceDestroy, AddressVectorOnPagesOfItsOwnIsBusy) {
  const Instance instance;
  avrm_av_options_t options{};
  options.pages = AVRM_AV_PAGES_TRANSPARENT;
  avrm_av_t *av = nullptr;
  require(avrm_av_create(instance, 10, &options, &av));
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_ERR_BUSY);
  avrm_av_release(av);
}

TEST(InstanceDestroy, ReleasedAddressVectorThatIsBoundIsBusy) {
  const Instance instance;
  AvPtr av = make_av(instance, 10);
  const MapPtr map =
      make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance, 0, 10, map_p); });
  require(avrm_rankmap_bind(map.get()));
  av.reset();
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_ERR_BUSY);
}

TEST(InstanceDestroy, BusyChangesNothing) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10);
  fill(av.get());
  ASSERT_EQ(avrm_instance_destroy(instance), AVRM_ERR_BUSY);
  avrm_av_t *found = nullptr;
  EXPECT_EQ(avrm_av_find(instance, 0, &found), AVRM_OK);
  EXPECT_EQ(found, av.get());
  EXPECT_EQ(avrm_ave_word(avrm_av_ave(found, 7)), word_of({0, 7}));
}

TEST(InstanceDestroy, SucceedsOnceNothingIsLeft) {
  avrm_instance_t *instance = nullptr;
  require(avrm_instance_create(nullptr, &instance));
  {
    const AvPtr av = make_av(instance, 10);
    ASSERT_EQ(avrm_instance_destroy(instance), AVRM_ERR_BUSY);
  }
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
}

TEST(InstanceUsage, NullIsRefused) {
  const Instance instance;
  avrm_mem_usage_t usage{};
  EXPECT_EQ(avrm_instance_mem_usage(nullptr, AVRM_MEM_AV, &usage), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_instance_mem_usage(instance, AVRM_MEM_AV, nullptr), AVRM_ERR_NULL);
}

TEST(InstanceUsage, UnknownKindIsRefused) {
  const Instance instance;
  for (int kind = AVRM_MEM_TOTAL + 1; kind < 16; ++kind) {
    avrm_mem_usage_t usage = {1, 2, 3};
    EXPECT_EQ(avrm_instance_mem_usage(instance, static_cast<avrm_mem_kind_t>(kind), &usage), AVRM_ERR_OPTION);
    EXPECT_TRUE(usage.live_bytes == 1 && usage.peak_bytes == 2 && usage.live_blocks == 3);
  }
}

TEST(InstanceUsage, FreshInstanceHoldsItselfOnly) {
  const Instance instance;
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).live_bytes, instance.usage(AVRM_MEM_INSTANCE).live_bytes);
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).live_blocks, 1U);
}

TEST(InstanceUsage, BuiltInAllocatorIsCountedLikeHooks) {
  CountingAllocator memory;
  const Instance with_hooks(&memory);
  const Instance built_in;
  const AvPtr one = make_av(with_hooks, 100000);
  const AvPtr other = make_av(built_in, 100000);
  for (int i = 0; i <= AVRM_MEM_TOTAL; ++i) {
    const auto kind = static_cast<avrm_mem_kind_t>(i);
    EXPECT_EQ(built_in.usage(kind).live_bytes, memory.usage(kind).live_bytes) << avrm_mem_kind_label(kind);
  }
}

TEST(Instances, NumberTheirProcessGroupsApart) {
  const Instance one;
  const Instance other;
  const AvPtr first = make_av(one, 10);
  const AvPtr second = make_av(other, 10);
  EXPECT_EQ(first->pgid, 0);
  EXPECT_EQ(second->pgid, 0);
}

TEST(Instances, DoNotFindEachOthersProcessGroups) {
  const Instance one;
  const Instance other;
  const AvPtr av = make_av(one, 10);
  avrm_av_t *found = nullptr;
  EXPECT_EQ(avrm_av_find(other, av->pgid, &found), AVRM_ERR_PGID_UNKNOWN);
}

TEST(Instances, CountTheirMemoryApart) {
  const Instance one;
  const Instance other;
  const AvPtr av = make_av(one, 10);
  EXPECT_EQ(other.usage(AVRM_MEM_AV).live_bytes, 0U);
}

} // namespace

} // namespace avrankmap::test
