// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Refuses every allocation of every creating function in turn: refuse_each_allocation checks that
// the function returns AVRM_ERR_NO_MEMORY, leaves the output unchanged and leaks nothing. Each test
// also pins the number of allocations, so that none goes untested.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "avrankmap/avrankmap.h"
#include "tests/support/instance.h"

namespace avrankmap::test {

namespace {

using Ranks = std::vector<std::int32_t>;

// Ranks or lpids without a pattern.
const Ranks kIrregular = {3, 1, 4, 0, 5, 9, 2, 6};

std::int32_t count(const Ranks &ranks) { return static_cast<std::int32_t>(ranks.size()); }

class OutOfMemory : public testing::Test {
protected:
  static constexpr unsigned kAny = AVRM_RANKMAP_DEFAULT;
  static constexpr unsigned kUnique = AVRM_RANKMAP_UNIQUE;

  CountingAllocator &memory() { return memory_; }
  avrm_instance_t *instance() { return instance_; }
  // The same with a strict instance, which makes tables where others compute.
  avrm_instance_t *strict() { return strict_; }

  // Number of allocation points of a creation. The map is destroyed at once.
  template <typename Create> int points(Create create) {
    avrm_rankmap_t map{};
    const int number = refuse_each_allocation(&memory_, &map, create);
    EXPECT_TRUE(avrm_rankmap_validate(&map, nullptr));
    avrm_rankmap_destroy(&map);
    return number;
  }

  MapPtr stride_map(avrm_instance_t *where, std::int32_t pgid = 0) {
    return make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_stride(where, pgid, 10, 20, 3, map_p); });
  }
  MapPtr lut_map() {
    return make_map([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_lpids(instance(), 0, count(kIrregular), kIrregular.data(), kAny, map_p);
    });
  }
  // Lpids 3, 1, 4, 0, 5, 9, 2, 6, of which 4, 0 belong to process group 7, and the
  // others to group 2.
  MapPtr mlut_map() {
    const std::vector<avrm_gpid_t> gpids = mixed_gpids();
    return make_map([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_gpids(instance(), static_cast<std::int32_t>(gpids.size()), gpids.data(), kAny, map_p);
    });
  }
  static std::vector<avrm_gpid_t> mixed_gpids() {
    std::vector<avrm_gpid_t> gpids;
    for (const std::int32_t lpid : kIrregular) {
      gpids.push_back({lpid == 4 || lpid == 0 ? 7 : 2, lpid});
    }
    return gpids;
  }

  int lpids_points(const Ranks &lpids, unsigned flags) {
    return points([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_lpids(instance(), 0, count(lpids), lpids.data(), flags, map_p);
    });
  }
  int gpids_points(const std::vector<avrm_gpid_t> &gpids, unsigned flags) {
    return points([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_gpids(instance(), static_cast<std::int32_t>(gpids.size()), gpids.data(), flags, map_p);
    });
  }
  int dup_points(const MapPtr &map) {
    return points([&](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(map.get(), map_p); });
  }
  int child_points(const MapPtr &parent, const Ranks &ranks, unsigned flags) {
    return points([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_child(parent.get(), count(ranks), ranks.data(), flags, map_p);
    });
  }
  int regular_child_points(const MapPtr &parent, std::int32_t size, std::int32_t offset, std::int32_t stride) {
    return points([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_child_regular(parent.get(), size, offset, stride, 1, kAny, map_p);
    });
  }
  int merged_points(const std::vector<const avrm_rankmap_t *> &parents, const Ranks &which, const Ranks &ranks,
                    unsigned flags) {
    return points([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_merged(static_cast<std::int32_t>(parents.size()), parents.data(), count(ranks),
                                        which.data(), ranks.data(), flags, map_p);
    });
  }
  int concat_points(const std::vector<const avrm_rankmap_t *> &parents, unsigned flags) {
    return points([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_concat(static_cast<std::int32_t>(parents.size()), parents.data(), flags, map_p);
    });
  }

private:
  CountingAllocator memory_;
  Instance instance_{&memory_};
  Instance strict_{&memory_, true};
};

TEST(OutOfMemoryInstance, HasOneAllocationPoint) {
  CountingAllocator memory;
  const avrm_allocator_t hooks = memory.hooks();
  const avrm_instance_options_t options = {&hooks, false, AVRM_COST_BYTES, false};
  avrm_instance_t *instance = nullptr;
  EXPECT_EQ(refuse_each_allocation(
                &memory, &instance,
                [&options](avrm_instance_t **instance_p) { return avrm_instance_create(&options, instance_p); }),
            1);
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
}

TEST_F(OutOfMemory, AddressVectorHasOneAllocationPoint) {
  avrm_av_t *av = nullptr;
  EXPECT_EQ(refuse_each_allocation(
                &memory(), &av, [this](avrm_av_t **av_p) { return avrm_av_create(instance(), 1000, nullptr, av_p); }),
            1);
  avrm_av_release(av);
}

TEST_F(OutOfMemory, AddressVectorThatGrowsTheDirectoryHasTwo) {
  std::vector<AvPtr> avs;
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t calls = memory().calls();
    avrm_av_t *av = nullptr;
    const int points = refuse_each_allocation(
        &memory(), &av, [this](avrm_av_t **av_p) { return avrm_av_create(instance(), 10, nullptr, av_p); });
    const bool grows = i == 4 || i == 8 || i == 16 || i == 32;
    EXPECT_EQ(points, grows ? 2 : 1) << "pgid " << i << " after " << calls << " calls";
    ASSERT_EQ(av->pgid, i);
    avs.emplace_back(av);
  }
}

TEST_F(OutOfMemory, ImpossibleTableIsNoMemory) {
  // Hooks that give nothing so large; the built-in allocator may well have it.
  CountingAllocator refusing;
  const Instance small(&refusing);
  refusing.refuse_after(0);
  avrm_av_t *av = nullptr;
  EXPECT_EQ(avrm_av_create(small, 1 << 30, nullptr, &av), AVRM_ERR_NO_MEMORY);
}

TEST_F(OutOfMemory, SetAndGetAllocateNothing) {
  const AvPtr av = make_av(instance(), 100);
  const std::uint64_t calls = memory().calls();
  fill(av.get());
  avrm_ave_t ave{};
  require(avrm_av_get(av.get(), 5, &ave));
  EXPECT_EQ(memory().calls(), calls);
}

TEST_F(OutOfMemory, BindAndUnbindAllocateNothing) {
  const std::vector<avrm_gpid_t> gpids = {{1, 5}, {0, 3}, {1, 1}};
  const AvPtr first = make_av(instance(), 10);
  const AvPtr second = make_av(instance(), 10);
  const MapPtr map = make_map(
      [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_gpids(instance(), 3, gpids.data(), kAny, map_p); });
  const std::uint64_t calls = memory().calls();
  require(avrm_rankmap_bind(map.get()));
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(memory().calls(), calls);
}

TEST_F(OutOfMemory, DirectHasNoAllocationPoints) {
  EXPECT_EQ(points([this](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance(), 0, 10, map_p); }), 0);
}

TEST_F(OutOfMemory, OffsetHasNoAllocationPoints) {
  EXPECT_EQ(points([this](avrm_rankmap_t *map_p) { return avrm_rankmap_create_offset(instance(), 0, 10, 5, map_p); }),
            0);
}

TEST_F(OutOfMemory, StrideHasNoAllocationPoints) {
  EXPECT_EQ(
      points([this](avrm_rankmap_t *map_p) { return avrm_rankmap_create_stride(instance(), 0, 10, 5, 3, map_p); }), 0);
}

TEST_F(OutOfMemory, BlockedHasNoAllocationPoints) {
  EXPECT_EQ(
      points([this](avrm_rankmap_t *map_p) { return avrm_rankmap_create_blocked(instance(), 0, 10, 5, 9, 3, map_p); }),
      0);
}

TEST_F(OutOfMemory, RegularLpidsHaveNoAllocationPoints) { EXPECT_EQ(lpids_points({5, 7, 9, 11}, kAny), 0); }

TEST_F(OutOfMemory, LutHasOneAllocationPoint) { EXPECT_EQ(lpids_points(kIrregular, kAny), 1); }

TEST_F(OutOfMemory, UniqueLutOfAFewLpidsHasOneAllocationPoint) {
  // They are judged by bits on the stack.
  EXPECT_EQ(lpids_points(kIrregular, kUnique), 1);
}

TEST_F(OutOfMemory, UniqueLutOfDistantLpidsHasTwoAllocationPoints) {
  // Sorted, for a bit per lpid would be too much.
  EXPECT_EQ(lpids_points({3, 2000000000, 4, 0}, kUnique), 2);
}

TEST_F(OutOfMemory, MlutHasTwoAllocationPoints) {
  // The numbering of process groups, the map, the table.
  EXPECT_EQ(gpids_points(mixed_gpids(), kAny), 2);
}

TEST_F(OutOfMemory, UniqueMlutHasFourAllocationPoints) { EXPECT_EQ(gpids_points(mixed_gpids(), kUnique), 4); }

TEST_F(OutOfMemory, MlutOfManyGroupsHasOneMoreForEachDoublingOfTheNumbering) {
  std::vector<avrm_gpid_t> gpids;
  for (std::int32_t pgid = 0; pgid < 100; ++pgid) {
    gpids.push_back({pgid, pgid % 7});
  }
  // 16, then 32, 64, 128, 256 places, at most half of them full.
  EXPECT_EQ(gpids_points(gpids, kAny), 2 + 4);
}

TEST_F(OutOfMemory, GpidsThatReduceToALutHaveOneAllocationPoint) {
  std::vector<avrm_gpid_t> gpids;
  for (const std::int32_t lpid : kIrregular) {
    gpids.push_back({3, lpid});
  }
  EXPECT_EQ(gpids_points(gpids, kAny), 1);
}

TEST_F(OutOfMemory, GpidsThatReduceToAStrideHaveOneAllocationPoint) {
  EXPECT_EQ(gpids_points({{3, 5}, {3, 7}, {3, 9}, {3, 11}}, kAny), 1);
}

TEST_F(OutOfMemory, DupHasNoAllocationPointsInEveryMode) {
  EXPECT_EQ(dup_points(stride_map(instance())), 0);
  EXPECT_EQ(dup_points(lut_map()), 0);
  EXPECT_EQ(dup_points(mlut_map()), 0);
}

TEST_F(OutOfMemory, RegularChildOfARegularParentHasNoAllocationPoints) {
  EXPECT_EQ(child_points(stride_map(instance()), {1, 3, 5, 7}, kAny), 0);
}

TEST_F(OutOfMemory, RegularChildOfAStrictParentIsTabulatedFirst) {
  // Map, table, and the map that it reduces to.
  EXPECT_EQ(child_points(stride_map(strict()), {1, 3, 5, 7}, kAny), 1);
}

TEST_F(OutOfMemory, IrregularChildOfARegularParentHasOneAllocationPoint) {
  EXPECT_EQ(child_points(stride_map(instance()), kIrregular, kAny), 1);
}

TEST_F(OutOfMemory, UniqueIrregularChildOfAFewRanksHasOneAllocationPoint) {
  EXPECT_EQ(child_points(stride_map(instance()), kIrregular, kUnique), 1);
}

TEST_F(OutOfMemory, ChildThatSharesTheLutHasNoAllocationPoints) {
  EXPECT_EQ(child_points(lut_map(), {0, 1, 2, 3, 4, 5, 6, 7}, kAny), 0);
}

TEST_F(OutOfMemory, ChildThatSharesAPartOfTheLutAndReducesHasNoAllocationPoints) {
  EXPECT_EQ(child_points(lut_map(), {0, 1}, kAny), 0); // lpids 3, 1
}

TEST_F(OutOfMemory, IrregularChildOfALutHasOneAllocationPoint) {
  EXPECT_EQ(child_points(lut_map(), {7, 0, 6, 2, 1}, kAny), 1);
}

TEST_F(OutOfMemory, ChildThatSharesTheMlutHasNoAllocationPoints) {
  EXPECT_EQ(child_points(mlut_map(), {0, 1, 2, 3, 4}, kAny), 0);
}

TEST_F(OutOfMemory, PartOfAnMlutInOneGroupBecomesALutInOneAllocation) {
  // Lpids 5, 9, 2, 6 of one process group.
  EXPECT_EQ(child_points(mlut_map(), {4, 5, 6, 7}, kAny), 1);
}

TEST_F(OutOfMemory, PartOfAnMlutInOneGroupBecomesAStrideInOneAllocation) {
  EXPECT_EQ(child_points(mlut_map(), {2, 3}, kAny), 1); // lpids 4, 0 of one process group
}

TEST_F(OutOfMemory, IrregularChildOfAnMlutHasTwoAllocationPoints) {
  EXPECT_EQ(child_points(mlut_map(), {7, 0, 3, 2, 1}, kAny), 2);
}

TEST_F(OutOfMemory, RegularChildWithoutAnArrayHasNoAllocationPoints) {
  EXPECT_EQ(regular_child_points(stride_map(instance()), 5, 9, -2), 0);
}

TEST_F(OutOfMemory, ReversedLutHasOneAllocationPoint) {
  EXPECT_EQ(regular_child_points(lut_map(), count(kIrregular), count(kIrregular) - 1, -1), 1);
}

TEST_F(OutOfMemory, MergedMapOfTwoGroupsHasTwoAllocationPoints) {
  const MapPtr one = stride_map(instance(), 0);
  const MapPtr other = stride_map(instance(), 1);
  EXPECT_EQ(merged_points({one.get(), other.get()}, {0, 1, 1, 0, 1}, {3, 2, 9, 9, 0}, kAny), 2);
}

TEST_F(OutOfMemory, UniqueMergedMapOfTwoGroupsHasFourAllocationPoints) {
  const MapPtr one = stride_map(instance(), 0);
  const MapPtr other = stride_map(instance(), 1);
  EXPECT_EQ(merged_points({one.get(), other.get()}, {0, 1, 1, 0, 1}, {3, 2, 9, 9, 0}, kUnique), 4);
}

TEST_F(OutOfMemory, ConcatenationOfTwoGroupsHasFourAllocationPoints) {
  const MapPtr one = stride_map(instance(), 0);
  const MapPtr other = stride_map(instance(), 1);
  EXPECT_EQ(concat_points({one.get(), other.get()}, kAny), 4);
}

TEST_F(OutOfMemory, ConcatenationThatContinuesHasNoAllocationPoints) {
  const MapPtr whole = stride_map(instance());
  const MapPtr front = make_map(
      [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_child_regular(whole.get(), 4, 0, 1, 1, kAny, map_p); });
  const MapPtr back = make_map(
      [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_child_regular(whole.get(), 6, 4, 1, 1, kAny, map_p); });
  EXPECT_EQ(concat_points({front.get(), back.get()}, kAny), 0);
}

TEST_F(OutOfMemory, ParentsSurviveARefusedChild) {
  const MapPtr parent = lut_map();
  memory().refuse_after(0);
  avrm_rankmap_t child{};
  const Ranks ranks = {7, 0, 6, 2, 1};
  ASSERT_EQ(avrm_rankmap_create_child(parent.get(), count(ranks), ranks.data(), kAny, &child), AVRM_ERR_NO_MEMORY);
  EXPECT_TRUE(avrm_rankmap_validate(parent.get(), nullptr));
  for (std::int32_t rank = 0; rank < count(kIrregular); ++rank) {
    EXPECT_EQ(avrm_rankmap_gpid(parent.get(), rank).lpid, kIrregular[static_cast<std::size_t>(rank)]);
  }
}

} // namespace

} // namespace avrankmap::test
