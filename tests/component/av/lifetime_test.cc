// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How long process groups live: release when unbound, holds, the caller's pointer that is told of
// the end, and going through those that are there.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "avrankmap/avrankmap.h"
#include "tests/support/instance.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

MapPtr map_of(avrm_instance_t *instance, std::int32_t pgid) {
  return make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance, pgid, 5, map_p); });
}

avrm_status_t find(avrm_instance_t *instance, std::int32_t pgid) {
  avrm_av_t *av = nullptr;
  return avrm_av_find(instance, pgid, &av);
}

avrm_av_t *hold(avrm_instance_t *instance, std::int32_t pgid) {
  avrm_av_t *av = nullptr;
  require(avrm_av_hold(instance, pgid, &av));
  return av;
}

std::multiset<std::int32_t> pgids_in(avrm_instance_t *instance) {
  std::multiset<std::int32_t> met;
  std::int32_t pgid = -1;
  for (;;) {
    require(avrm_av_next(instance, pgid, &pgid));
    if (pgid < 0) {
      return met;
    }
    met.insert(pgid);
  }
}

class AvLife : public testing::Test {
protected:
  // An AV that nothing but this test releases.
  avrm_av_t *bare_av() { return make_av(instance, 5).release(); }
  [[nodiscard]] std::uint64_t avs() const { return memory.usage(AVRM_MEM_AV).live_blocks; }

  CountingAllocator memory;
  Instance instance{&memory};
};

TEST_F(AvLife, ReleaseWhenUnboundOfNullDoesNothing) { avrm_av_release_when_unbound(nullptr); }

TEST_F(AvLife, ReleaseWhenUnboundEndsAnUnboundOneAtOnce) {
  avrm_av_release_when_unbound(bare_av());
  EXPECT_EQ(avs(), 0U);
  EXPECT_EQ(find(instance, 0), AVRM_ERR_PGID_RELEASED);
}

TEST_F(AvLife, ReleaseWhenUnboundKeepsABoundOneFindable) {
  avrm_av_t *const av = bare_av();
  const MapPtr map = map_of(instance, 0);
  require(avrm_rankmap_bind(map.get()));
  avrm_av_release_when_unbound(av);
  avrm_av_t *found = nullptr;
  ASSERT_EQ(avrm_av_find(instance, 0, &found), AVRM_OK);
  EXPECT_EQ(found, av);
}

TEST_F(AvLife, ReleaseWhenUnboundLetsOtherMapsBind) {
  avrm_av_t *const av = bare_av();
  MapPtr first = map_of(instance, 0);
  const MapPtr second = map_of(instance, 0);
  require(avrm_rankmap_bind(first.get()));
  avrm_av_release_when_unbound(av);
  require(avrm_rankmap_bind(second.get()));
  first.reset();
  EXPECT_EQ(find(instance, 0), AVRM_OK);
  require(avrm_rankmap_unbind(second.get()));
  EXPECT_EQ(find(instance, 0), AVRM_ERR_PGID_RELEASED);
  EXPECT_EQ(avs(), 0U);
}

TEST_F(AvLife, ReleaseAfterReleaseWhenUnboundHidesIt) {
  avrm_av_t *const av = bare_av();
  const MapPtr map = map_of(instance, 0);
  require(avrm_rankmap_bind(map.get()));
  avrm_av_release_when_unbound(av);
  avrm_av_release(av);
  EXPECT_EQ(find(instance, 0), AVRM_ERR_PGID_RELEASED);
  EXPECT_EQ(avs(), 1U);
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(avs(), 0U);
}

TEST_F(AvLife, HoldRefusesNull) {
  const AvPtr av = make_av(instance, 5);
  avrm_av_t *held = nullptr;
  EXPECT_EQ(avrm_av_hold(nullptr, 0, &held), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_hold(instance, 0, nullptr), AVRM_ERR_NULL);
  avrm_av_drop(nullptr);
}

TEST_F(AvLife, HoldOfOneThatIsNotThereIsRefused) {
  const std::int32_t gone = make_av(instance, 5)->pgid;
  avrm_av_t *held = nullptr;
  EXPECT_EQ(avrm_av_hold(instance, gone, &held), AVRM_ERR_PGID_RELEASED);
  EXPECT_EQ(avrm_av_hold(instance, 3, &held), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_EQ(avrm_av_hold(instance, -1, &held), AVRM_ERR_PGID_UNKNOWN);
  EXPECT_EQ(held, nullptr);
}

TEST_F(AvLife, HoldGivesTheAddressVector) {
  const AvPtr av = make_av(instance, 5);
  EXPECT_EQ(hold(instance, 0), av.get());
  avrm_av_drop(av.get());
}

TEST_F(AvLife, HoldKeepsTheMemoryOfAReleasedOne) {
  AvPtr av = make_av(instance, 5);
  fill(av.get());
  avrm_av_t *const held = hold(instance, 0);
  av.reset();
  EXPECT_EQ(find(instance, 0), AVRM_ERR_PGID_RELEASED);
  EXPECT_EQ(avrm_ave_word(avrm_av_ave(held, 4)), word_of({0, 4}));
  avrm_av_drop(held);
  EXPECT_EQ(avs(), 0U);
}

TEST_F(AvLife, HoldPutsTheEndOff) {
  avrm_av_t *const av = bare_av();
  avrm_av_t *const held = hold(instance, 0);
  avrm_av_release_when_unbound(av);
  EXPECT_EQ(find(instance, 0), AVRM_OK);
  avrm_av_drop(held);
  EXPECT_EQ(find(instance, 0), AVRM_ERR_PGID_RELEASED);
  EXPECT_EQ(avs(), 0U);
}

TEST_F(AvLife, LastOfHoldsAndMapsEndsIt) {
  avrm_av_t *const av = bare_av();
  const MapPtr map = map_of(instance, 0);
  require(avrm_rankmap_bind(map.get()));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(hold(instance, 0), av);
  }
  avrm_av_release_when_unbound(av);
  require(avrm_rankmap_unbind(map.get()));
  avrm_av_drop(av);
  avrm_av_drop(av);
  EXPECT_EQ(avs(), 1U);
  avrm_av_drop(av);
  EXPECT_EQ(avs(), 0U);
}

TEST_F(AvLife, DropBeforeTheReleaseKeepsIt) {
  const AvPtr av = make_av(instance, 5);
  avrm_av_drop(hold(instance, 0));
  EXPECT_EQ(find(instance, 0), AVRM_OK);
}

TEST(AvHold, KeepsTheInstanceBusy) {
  avrm_instance_t *instance = nullptr;
  require(avrm_instance_create(nullptr, &instance));
  AvPtr av = make_av(instance, 5);
  avrm_av_t *const held = hold(instance, 0);
  av.reset();
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_ERR_BUSY);
  avrm_av_drop(held);
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
}

// Counts its calls in the `user` that it gets.
void count_end(void *user) { ++*static_cast<int *>(user); }

TEST_F(AvLife, UserOfNullIsRefused) {
  EXPECT_EQ(avrm_av_set_user(nullptr, this, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_user(nullptr), nullptr);
}

TEST_F(AvLife, UserIsFoundUntilItIsReplaced) {
  const AvPtr av = make_av(instance, 5);
  int first = 0;
  int second = 0;
  EXPECT_EQ(avrm_av_user(av.get()), nullptr);
  require(avrm_av_set_user(av.get(), &first, nullptr));
  EXPECT_EQ(avrm_av_user(av.get()), &first);
  require(avrm_av_set_user(av.get(), &second, nullptr));
  EXPECT_EQ(avrm_av_user(av.get()), &second);
  require(avrm_av_set_user(av.get(), nullptr, nullptr));
  EXPECT_EQ(avrm_av_user(av.get()), nullptr);
}

TEST_F(AvLife, UserIsToldOfTheEndOnce) {
  int ends = 0;
  avrm_av_t *const av = bare_av();
  require(avrm_av_set_user(av, &ends, count_end));
  const MapPtr map = map_of(instance, 0);
  require(avrm_rankmap_bind(map.get()));
  avrm_av_release_when_unbound(av);
  EXPECT_EQ(ends, 0);
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(avs(), 0U);
}

TEST_F(AvLife, UserThatWasReplacedIsNotToldOfTheEnd) {
  int first = 0;
  int second = 0;
  avrm_av_t *const av = bare_av();
  require(avrm_av_set_user(av, &first, count_end));
  require(avrm_av_set_user(av, &second, count_end));
  avrm_av_release(av);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST_F(AvLife, UserIsLeftOutWithoutMemory) {
  const AvPtr av = make_av(instance, 5);
  memory.refuse_after(0);
  EXPECT_EQ(avrm_av_set_user(av.get(), this, nullptr), AVRM_ERR_NO_MEMORY);
  memory.refuse_none();
  EXPECT_EQ(avrm_av_user(av.get()), nullptr);
}

TEST_F(AvLife, UserTakesOneBlockThatIsAccounted) {
  const AvPtr av = make_av(instance, 5);
  require(avrm_av_set_user(av.get(), this, nullptr));
  require(avrm_av_set_user(av.get(), &memory, nullptr));
  EXPECT_EQ(avs(), 2U);
  EXPECT_EQ(avrm_av_bytes(av.get()), memory.usage(AVRM_MEM_AV).live_bytes);
}

TEST_F(AvLife, UserIsReadWhileItIsReplaced) {
  const AvPtr av = make_av(instance, 5);
  std::atomic<bool> stop{false};
  int numbers[2] = {40, 41};
  require(avrm_av_set_user(av.get(), &numbers[0], nullptr));
  std::thread reader([&] {
    while (!stop.load()) {
      const int number = *static_cast<const int *>(avrm_av_user(av.get()));
      EXPECT_TRUE(number == 40 || number == 41);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    require(avrm_av_set_user(av.get(), &numbers[i % 2], nullptr));
  }
  stop = true;
  reader.join();
}

TEST(AvNext, RefusesNull) {
  const Instance instance;
  std::int32_t pgid = 7;
  EXPECT_EQ(avrm_av_next(nullptr, -1, &pgid), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_next(instance, -1, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(pgid, 7);
}

TEST(AvNext, OfAnEmptyInstanceIsTheEnd) {
  const Instance instance;
  EXPECT_TRUE(pgids_in(instance).empty());
}

TEST(AvNext, MeetsTheOwnWorldFirst) {
  const Instance instance;
  std::vector<AvPtr> avs;
  for (int i = 0; i < 9; ++i) {
    avs.push_back(make_av(instance, 1));
  }
  std::int32_t pgid = -1;
  require(avrm_av_next(instance, -1, &pgid));
  EXPECT_EQ(pgid, 0);
}

TEST(AvNext, LeavesOutWhatIsReleasedAndStillBound) {
  const Instance instance;
  AvPtr av = make_av(instance, 5);
  const AvPtr other = make_av(instance, 5);
  const MapPtr map = map_of(instance, 0);
  require(avrm_rankmap_bind(map.get()));
  av.reset();
  EXPECT_EQ(pgids_in(instance), (std::multiset<std::int32_t>{1}));
}

TEST(AvNext, ListsThoseOfARandomLife) {
  std::mt19937_64 engine = seeded_engine();
  const Instance instance;
  std::map<std::int32_t, AvPtr> avs;
  for (int step = 0; step < 3000; ++step) {
    if (below(engine, 100) < 53 || avs.empty()) {
      AvPtr av = make_av(instance, 1);
      avs.emplace(av->pgid, std::move(av));
    } else {
      avs.erase(std::next(avs.begin(), static_cast<std::ptrdiff_t>(below(engine, avs.size()))));
    }
    if (step % 16 == 0) {
      std::multiset<std::int32_t> expected;
      for (const auto &[pgid, av] : avs) {
        expected.insert(pgid);
      }
      ASSERT_EQ(pgids_in(instance), expected) << "step " << step;
    }
  }
}

// Everything comes and goes between two steps of the iteration, and the directory doubles.
TEST(AvNext, MeetsThoseThatStayOnceWhateverElseHappens) {
  std::mt19937_64 engine = seeded_engine();
  const Instance instance;
  std::vector<AvPtr> stay;
  for (int i = 0; i < 100; ++i) {
    stay.push_back(make_av(instance, 1));
  }
  std::map<std::int32_t, AvPtr> others;
  std::multiset<std::int32_t> met;
  for (std::int32_t pgid = -1;;) {
    require(avrm_av_next(instance, pgid, &pgid));
    if (pgid < 0) {
      break;
    }
    met.insert(pgid);
    others.erase(pgid);
    for (std::uint64_t i = below(engine, 12); i > 0 && met.size() < 500; --i) {
      AvPtr av = make_av(instance, 1);
      others.emplace(av->pgid, std::move(av));
    }
    if (!others.empty() && below(engine, 2) == 0) {
      others.erase(others.begin());
    }
  }
  for (const AvPtr &av : stay) {
    EXPECT_EQ(met.count(av->pgid), 1U) << "pgid " << av->pgid;
  }
}

} // namespace

} // namespace avrankmap::test
