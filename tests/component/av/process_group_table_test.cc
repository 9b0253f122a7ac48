// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Process groups: numbers, finding, release. lifetime_test.cc has what holds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "avrankmap/av.h"
#include "tests/support/instance.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

// Returns the AV that is found, or null after a check that the output is unchanged.
avrm_av_t *find(avrm_instance_t *instance, std::int32_t pgid, avrm_status_t expected) {
  avrm_av_t *av = untouched<avrm_av_t>();
  EXPECT_EQ(avrm_av_find(instance, pgid, &av), expected) << "pgid " << pgid;
  if (expected == AVRM_OK) {
    return av;
  }
  EXPECT_EQ(av, untouched<avrm_av_t>());
  return nullptr;
}

std::vector<AvPtr> make_avs(avrm_instance_t *instance, int count) {
  std::vector<AvPtr> avs;
  avs.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    avs.push_back(make_av(instance, 1));
  }
  return avs;
}

// Bound to the whole of a process group.
MapPtr bound_map(avrm_instance_t *instance, const AvPtr &av) {
  MapPtr map =
      make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance, av->pgid, av->size, map_p); });
  require(avrm_rankmap_bind(map.get()));
  return map;
}

// Bound to several process groups.
MapPtr bound_mlut(avrm_instance_t *instance, const std::vector<avrm_gpid_t> &gpids) {
  MapPtr map = make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_gpids(instance, static_cast<std::int32_t>(gpids.size()), gpids.data(),
                                     AVRM_RANKMAP_DEFAULT, map_p);
  });
  require(avrm_rankmap_bind(map.get()));
  return map;
}

TEST(Pgids, FirstIsZero) {
  const Instance instance;
  EXPECT_EQ(make_av(instance, 10)->pgid, 0);
}

TEST(Pgids, CountUpwards) {
  const Instance instance;
  const std::vector<AvPtr> avs = make_avs(instance, 1000);
  for (std::size_t i = 0; i < avs.size(); ++i) {
    ASSERT_EQ(avs[i]->pgid, static_cast<std::int32_t>(i));
  }
}

TEST(Pgids, NoneIsUsedTwice) {
  const Instance instance;
  std::set<std::int32_t> used;
  for (int round = 0; round < 40; ++round) {
    for (const AvPtr &av : make_avs(instance, 1 + round * 7 % 30)) {
      ASSERT_TRUE(used.insert(av->pgid).second) << av->pgid;
    }
  }
}

TEST(Pgids, ThatAreGoneStayReleased) {
  const Instance instance;
  for (std::int32_t i = 0; i < 100; ++i) {
    const std::int32_t gone = make_av(instance, 1)->pgid;
    const std::vector<AvPtr> others = make_avs(instance, 10);
    find(instance, gone, AVRM_ERR_PGID_RELEASED);
  }
}

TEST(Pgids, FailedCreationUsesNone) {
  CountingAllocator memory;
  const Instance instance(&memory);
  avrm_av_t *av = nullptr;
  memory.refuse_after(0);
  ASSERT_EQ(avrm_av_create(instance, 10, nullptr, &av), AVRM_ERR_NO_MEMORY);
  EXPECT_EQ(make_av(instance, 10)->pgid, 0);
}

TEST(AvFind, NullIsRefused) {
  const Instance instance;
  avrm_av_t *av = untouched<avrm_av_t>();
  EXPECT_EQ(avrm_av_find(nullptr, 0, &av), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_find(instance, 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(av, untouched<avrm_av_t>());
}

TEST(AvFind, GivesTheAddressVector) {
  const Instance instance;
  const std::vector<AvPtr> avs = make_avs(instance, 100);
  for (const AvPtr &av : avs) {
    ASSERT_EQ(find(instance, av->pgid, AVRM_OK), av.get());
  }
}

TEST(AvFind, EmptyInstanceKnowsNone) {
  const Instance instance;
  find(instance, 0, AVRM_ERR_PGID_UNKNOWN);
}

TEST(AvFind, NegativePgidIsUnknown) {
  const Instance instance;
  const std::vector<AvPtr> avs = make_avs(instance, 3);
  find(instance, -1, AVRM_ERR_PGID_UNKNOWN);
  find(instance, std::numeric_limits<std::int32_t>::min(), AVRM_ERR_PGID_UNKNOWN);
}

TEST(AvFind, PgidThatWasNeverUsedIsUnknown) {
  const Instance instance;
  const std::vector<AvPtr> avs = make_avs(instance, 9);
  for (const std::int32_t pgid : {9, 15, 16, 1000, 1 << 30, kMax}) {
    find(instance, pgid, AVRM_ERR_PGID_UNKNOWN);
  }
}

TEST(AvFind, ReleasedPgidIsReleased) {
  const Instance instance;
  std::vector<AvPtr> avs = make_avs(instance, 9);
  avs[4].reset();
  find(instance, 4, AVRM_ERR_PGID_RELEASED);
}

TEST(AvFind, OtherPgidsSurviveARelease) {
  const Instance instance;
  std::vector<AvPtr> avs = make_avs(instance, 9);
  avs[4].reset();
  for (const std::int32_t pgid : {0, 3, 5, 8}) {
    EXPECT_EQ(find(instance, pgid, AVRM_OK), avs[static_cast<std::size_t>(pgid)].get());
  }
}

TEST(AvFind, ReleasedPgidIsNotTheNextAddressVectorInItsPlace) {
  const Instance instance;
  std::vector<AvPtr> avs = make_avs(instance, 9);
  avs[4].reset();
  const AvPtr next = make_av(instance, 77);
  find(instance, 4, AVRM_ERR_PGID_RELEASED);
  EXPECT_EQ(find(instance, next->pgid, AVRM_OK), next.get());
}

TEST(AvRelease, UnboundAddressVectorGoesAtOnce) {
  CountingAllocator memory;
  const Instance instance(&memory);
  make_av(instance, 1000).reset();
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_bytes, 0U);
}

TEST(AvRelease, OneAddressVectorDoesNotTouchAnother) {
  const Instance instance;
  const AvPtr stays = make_av(instance, 100);
  fill(stays.get());
  make_av(instance, 100).reset();
  EXPECT_EQ(avrm_ave_word(avrm_av_ave(stays.get(), 50)), word_of({0, 50}));
}

TEST(AvRelease, ReleasedPgidCannotBeBound) {
  const Instance instance;
  AvPtr av = make_av(instance, 10);
  const MapPtr map =
      make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance, 0, 10, map_p); });
  av.reset();
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_PGID_RELEASED);
}

TEST(AvReleaseWhileBound, KeepsTheMemory) {
  CountingAllocator memory;
  const Instance instance(&memory);
  AvPtr av = make_av(instance, 10);
  const MapPtr map = bound_map(instance, av);
  av.reset();
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_bytes, 64U + 12 * 10);
}

TEST(AvReleaseWhileBound, KeepsTheAddresses) {
  const Instance instance;
  AvPtr av = make_av(instance, 10);
  fill(av.get());
  const MapPtr map = bound_map(instance, av);
  av.reset();
  for (std::int32_t rank = 0; rank < 10; ++rank) {
    EXPECT_EQ(avrm_rankmap_word(map.get(), rank), word_of({0, rank}));
  }
}

TEST(AvReleaseWhileBound, CannotBeFound) {
  const Instance instance;
  AvPtr av = make_av(instance, 10);
  const MapPtr map = bound_map(instance, av);
  av.reset();
  find(instance, 0, AVRM_ERR_PGID_RELEASED);
}

TEST(AvReleaseWhileBound, CannotBeBoundByAnotherMap) {
  const Instance instance;
  AvPtr av = make_av(instance, 10);
  const MapPtr map = bound_map(instance, av);
  const MapPtr other = make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(map.get(), map_p); });
  av.reset();
  EXPECT_EQ(avrm_rankmap_bind(other.get()), AVRM_ERR_PGID_RELEASED);
}

TEST(AvReleaseWhileBound, KeepsThePlaceInTheDirectory) {
  const Instance instance;
  AvPtr av = make_av(instance, 10);
  const MapPtr map = bound_map(instance, av);
  av.reset();
  EXPECT_EQ(make_av(instance, 10)->pgid, 1);
}

TEST(AvReleaseWhileBound, UnbindEndsIt) {
  CountingAllocator memory;
  const Instance instance(&memory);
  AvPtr av = make_av(instance, 10);
  const MapPtr map = bound_map(instance, av);
  av.reset();
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_bytes, 0U);
}

TEST(AvReleaseWhileBound, DestroyOfTheMapEndsIt) {
  CountingAllocator memory;
  const Instance instance(&memory);
  AvPtr av = make_av(instance, 10);
  MapPtr map = bound_map(instance, av);
  av.reset();
  map.reset();
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_bytes, 0U);
}

TEST(AvReleaseWhileBound, LastOfSeveralMapsEndsIt) {
  CountingAllocator memory;
  const Instance instance(&memory);
  AvPtr av = make_av(instance, 10);
  std::vector<MapPtr> maps;
  for (int i = 0; i < 3; ++i) {
    maps.push_back(bound_map(instance, av));
  }
  av.reset();
  maps.pop_back();
  maps.erase(maps.begin());
  EXPECT_NE(memory.usage(AVRM_MEM_AV).live_bytes, 0U);
  maps.pop_back();
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_bytes, 0U);
}

TEST(AvReleaseWhileBound, UnbindBeforeReleaseKeepsTheAddressVector) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10);
  fill(av.get());
  bound_map(instance, av).reset();
  EXPECT_EQ(find(instance, 0, AVRM_OK), av.get());
  EXPECT_EQ(avrm_ave_word(avrm_av_ave(av.get(), 5)), word_of({0, 5}));
}

TEST(AvReleaseWhileBound, MapOverSeveralGroupsHoldsThemAll) {
  CountingAllocator memory;
  const Instance instance(&memory);
  std::vector<AvPtr> avs;
  for (int i = 0; i < 3; ++i) {
    avs.push_back(make_av(instance, 10));
    fill(avs.back().get());
  }
  const std::vector<avrm_gpid_t> gpids = {{2, 9}, {0, 3}, {1, 0}, {0, 4}};
  const MapPtr map = bound_mlut(instance, gpids);
  avs.clear();
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_blocks, 3U);
  for (std::size_t rank = 0; rank < gpids.size(); ++rank) {
    EXPECT_EQ(avrm_rankmap_word(map.get(), static_cast<std::int32_t>(rank)), word_of(gpids[rank]));
  }
}

TEST(AvReleaseWhileBound, UnbindOfAMapOverSeveralGroupsEndsThemAll) {
  CountingAllocator memory;
  const Instance instance(&memory);
  std::vector<AvPtr> avs;
  for (int i = 0; i < 3; ++i) {
    avs.push_back(make_av(instance, 10));
  }
  const MapPtr map = bound_mlut(instance, {{2, 9}, {0, 3}, {1, 0}, {0, 4}});
  avs.clear();
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_blocks, 0U);
}

TEST(AvReleaseWhileBound, MapsThatShareATableHoldApart) {
  CountingAllocator memory;
  const Instance instance(&memory);
  std::vector<AvPtr> avs;
  avs.push_back(make_av(instance, 10));
  avs.push_back(make_av(instance, 10));
  fill(avs[0].get());
  fill(avs[1].get());
  MapPtr first = bound_mlut(instance, {{1, 9}, {0, 3}, {1, 0}});
  const MapPtr second = make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(first.get(), map_p); });
  require(avrm_rankmap_bind(second.get()));
  avs.clear();
  first.reset();
  EXPECT_EQ(avrm_rankmap_word(second.get(), 0), word_of({1, 9}));
  require(avrm_rankmap_unbind(second.get()));
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_blocks, 0U);
}

TEST(AvReleaseWhileBound, FailedBindHoldsNothing) {
  CountingAllocator memory;
  const Instance instance(&memory);
  std::vector<AvPtr> avs;
  avs.push_back(make_av(instance, 10));
  avs.push_back(make_av(instance, 5));
  const std::vector<avrm_gpid_t> gpids = {{0, 9}, {1, 5}, {0, 2}}; // the second is outside
  const MapPtr map = make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_gpids(instance, 3, gpids.data(), AVRM_RANKMAP_DEFAULT, map_p);
  });
  ASSERT_EQ(avrm_rankmap_bind(map.get()), AVRM_ERR_LPID);
  avs.clear();
  EXPECT_EQ(memory.usage(AVRM_MEM_AV).live_blocks, 0U);
}

constexpr int kMany = 100000;

TEST(ManyProcessGroups, AreAllFound) {
  const Instance instance;
  const std::vector<AvPtr> avs = make_avs(instance, kMany);
  for (const AvPtr &av : avs) {
    ASSERT_EQ(find(instance, av->pgid, AVRM_OK), av.get());
  }
}

TEST(ManyProcessGroups, CostLessThanThirtyThreeBytesOfDirectoryEach) {
  const Instance instance;
  const std::uint64_t before = instance.usage(AVRM_MEM_INSTANCE).live_bytes;
  const std::vector<AvPtr> avs = make_avs(instance, 1 << 16);
  EXPECT_LT(instance.usage(AVRM_MEM_INSTANCE).live_bytes - before, 33U << 16);
}

TEST(ManyProcessGroups, AreAllReleased) {
  const Instance instance;
  make_avs(instance, kMany).clear();
  for (std::int32_t pgid = 0; pgid < kMany; ++pgid) {
    find(instance, pgid, AVRM_ERR_PGID_RELEASED);
  }
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_blocks, 0U);
}

TEST(ManyProcessGroups, LaterGenerationsTakeNoNewMemory) {
  const Instance instance;
  make_avs(instance, 1000).clear();
  const avrm_mem_usage_t first = instance.usage(AVRM_MEM_TOTAL);
  for (int generation = 0; generation < 10; ++generation) {
    make_avs(instance, 1000).clear();
  }
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).live_bytes, first.live_bytes);
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).peak_bytes, first.peak_bytes);
}

TEST(ManyProcessGroups, OneAfterTheOtherTakeNoNewMemory) {
  CountingAllocator memory;
  const Instance instance(&memory);
  make_av(instance, 1).reset();
  const avrm_mem_usage_t first = memory.usage(AVRM_MEM_TOTAL);
  for (int i = 0; i < kMany; ++i) {
    make_av(instance, 1).reset();
  }
  EXPECT_EQ(memory.usage(AVRM_MEM_TOTAL).live_bytes, first.live_bytes);
  EXPECT_EQ(memory.usage(AVRM_MEM_TOTAL).peak_bytes, first.peak_bytes);
}

// Compares the directory with a plain map of pgids and their AVs.
TEST(ManyProcessGroups, RandomLivesAgreeWithAPlainMap) {
  std::mt19937_64 engine = seeded_engine();
  const Instance instance;
  std::map<std::int32_t, AvPtr> by_pgid; // null: gone
  for (int step = 0; step < 20000; ++step) {
    if (below(engine, 100) < 52 || by_pgid.empty()) {
      AvPtr av = make_av(instance, 1);
      find(instance, av->pgid, AVRM_OK);
      ASSERT_EQ(by_pgid.count(av->pgid), 0U) << "step " << step;
      by_pgid.emplace(av->pgid, std::move(av));
      continue;
    }
    const auto around =
        static_cast<std::int32_t>(below(engine, 1 + static_cast<std::uint64_t>(by_pgid.rbegin()->first)));
    AvPtr &av = by_pgid.lower_bound(around)->second;
    const std::int32_t pgid = by_pgid.lower_bound(around)->first;
    if (av == nullptr) {
      find(instance, pgid, AVRM_ERR_PGID_RELEASED);
    } else {
      ASSERT_EQ(find(instance, pgid, AVRM_OK), av.get());
      av.reset();
    }
    if (by_pgid.count(around) == 0) {
      find(instance, around, AVRM_ERR_PGID_UNKNOWN);
    }
  }
}

} // namespace

} // namespace avrankmap::test
