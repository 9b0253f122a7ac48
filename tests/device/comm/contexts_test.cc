// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Context ids: the list of used ids compared with a plain bitmap, and the agreement of simulated
// processes on a new id.
#include "comm_algorithms/contexts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "bench/synthetic/simulator.h"
#include "tests/support/instance.h"

namespace avrankmap::test {
namespace {

using detail::Contexts;

class ContextList : public testing::Test {
protected:
  CountingAllocator allocator_;
  detail::Memory memory_{allocator_.hooks()};
  Contexts contexts_{memory_};

  std::uint32_t take_first(std::uint32_t from) {
    std::uint32_t id = Contexts::kNone;
    EXPECT_EQ(contexts_.take_first(from, &id), AVRM_OK);
    return id;
  }
};

TEST_F(ContextList, HasRoomForAMillionAndMore) { EXPECT_GE(Contexts::kMost + 1, 1u << 20); }

TEST_F(ContextList, AnIdIsTakenOnce) {
  EXPECT_EQ(contexts_.take(5), AVRM_OK);
  EXPECT_EQ(contexts_.take(5), AVRM_ERR_BUSY);
  EXPECT_EQ(contexts_.count(), 1u);
  contexts_.give(5);
  EXPECT_EQ(contexts_.take(5), AVRM_OK);
}

TEST_F(ContextList, TheLastIdCanBeTakenAndNoneBehindIt) {
  EXPECT_EQ(take_first(Contexts::kMost), Contexts::kMost);
  std::uint32_t id = 0;
  EXPECT_EQ(contexts_.take_first(Contexts::kMost, &id), AVRM_ERR_LIMIT);
  EXPECT_EQ(id, Contexts::kNone);
  contexts_.give(Contexts::kMost);
  EXPECT_EQ(contexts_.count(), 0u);
}

TEST_F(ContextList, ConsecutiveIdsCostNoMoreThanOne) {
  EXPECT_EQ(contexts_.take(0), AVRM_OK);
  const std::size_t bytes = allocator_.live_bytes();
  for (std::uint32_t id = 1; id < 100000; ++id) {
    ASSERT_EQ(take_first(0), id);
  }
  EXPECT_EQ(allocator_.live_bytes(), bytes);
}

TEST_F(ContextList, AgreesWithABitmap) {
  constexpr std::uint32_t kIds = 500;
  std::vector<bool> twin(kIds);
  std::mt19937 random(7);
  for (int step = 0; step < 20000; ++step) {
    const std::uint32_t id = random() % kIds;
    if (random() % 2 == 0) {
      const bool was = twin[id];
      ASSERT_EQ(contexts_.take(id), was ? AVRM_ERR_BUSY : AVRM_OK);
      twin[id] = true;
    } else if (twin[id]) {
      contexts_.give(id);
      twin[id] = false;
    }
    std::uint32_t first = random() % kIds;
    const std::uint32_t found = take_first(first);
    while (first < kIds && twin[first]) {
      ++first;
    }
    ASSERT_EQ(found, first);
    contexts_.give(found);
    std::uint64_t bits[2];
    const std::uint32_t from = random() % kIds;
    contexts_.free_ids(from, 2, bits);
    for (std::uint32_t i = 0; i < 128; ++i) {
      ASSERT_EQ((bits[i / 64] >> i % 64 & 1) != 0, from + i >= kIds || !twin[from + i]) << from << " + " << i;
    }
  }
}

TEST_F(ContextList, IdsBeyondTheLastAreNotFree) {
  std::uint64_t bits[2];
  contexts_.free_ids(Contexts::kMost - 9, 2, bits);
  EXPECT_EQ(bits[0], 0x3ffu);
  EXPECT_EQ(bits[1], 0u);
}

TEST_F(ContextList, WithoutMemoryNothingIsTaken) {
  allocator_.refuse_after(0);
  EXPECT_EQ(contexts_.take(3), AVRM_ERR_NO_MEMORY);
  allocator_.refuse_after(0);
  std::uint32_t id = 0;
  EXPECT_EQ(contexts_.take_first(3, &id), AVRM_ERR_NO_MEMORY);
  EXPECT_EQ(id, Contexts::kNone);
  EXPECT_EQ(contexts_.count(), 0u);
}

// Agreements of simulated processes.

// Returns the id that all processes agree on when they duplicate the world; kNone if that
// fails as expected.
std::uint32_t agree(bench::Simulator &job, avrm_status_t expected = AVRM_OK) {
  const detail::Parent parent{job.world(), nullptr, 0};
  const std::vector<avrm_status_t> statuses = job.run(
      [&parent](bench::SimProcess &process) { return make_dup(process, nullptr, process, parent, &process.made); });
  const std::uint32_t context = job.process(0).made.context;
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    EXPECT_EQ(statuses[static_cast<std::size_t>(rank)], expected) << "process " << rank;
    EXPECT_EQ(job.process(rank).made.context, context) << "process " << rank;
    const avrm_rankmap_t *const map = job.process(rank).made.map.get();
    for (std::int32_t other = 0; expected == AVRM_OK && other < job.size(); ++other) {
      EXPECT_EQ(avrm_rankmap_gpid(map, other).lpid, other) << "process " << rank;
    }
  }
  return context;
}

TEST(ContextAgreement, TakesOneReductionWhereHistoriesAreAlike) {
  bench::Simulator job(64);
  EXPECT_NE(agree(job), Contexts::kNone);
  EXPECT_EQ(job.cost().steps, 6u);
}

TEST(ContextAgreement, AvoidsWhatAnyMemberHasInUse) {
  bench::Simulator job(5);
  std::vector<std::uint32_t> taken;
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    for (std::uint32_t i = 0; i < 100; ++i) {
      std::uint32_t id = Contexts::kNone;
      ASSERT_EQ(job.process(rank).contexts().take_first(static_cast<std::uint32_t>(rank) * 3 + i * 7, &id), AVRM_OK);
      taken.push_back(id);
    }
  }
  const std::uint32_t context = agree(job);
  EXPECT_EQ(std::count(taken.begin(), taken.end(), context), 0);
}

// One process uses all even ids, another all odd ones but a single id.
TEST(ContextAgreement, FindsTheOnlyIdThatIsFreeEverywhere) {
  constexpr std::uint32_t kOnly = 123456;
  bench::Simulator job(3);
  for (std::uint32_t id = 1; id <= Contexts::kMost; ++id) {
    if (id != kOnly) {
      ASSERT_EQ(job.process(static_cast<std::int32_t>(id % 2)).contexts().take(id), AVRM_OK);
    }
  }
  EXPECT_EQ(agree(job), kOnly);
  // Then no id is free, and all processes get that status.
  job.process(0).made = detail::CreationResult();
  job.process(1).made = detail::CreationResult();
  job.process(2).made = detail::CreationResult();
  EXPECT_EQ(agree(job, AVRM_ERR_LIMIT), Contexts::kNone);
}

} // namespace
} // namespace avrankmap::test
