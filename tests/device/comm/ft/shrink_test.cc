// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whole recoveries in simulated jobs: a communicator is revoked, its members agree, and shrink it
// to a communicator without the dead, while processes die at every point of it.
#include "comm_algorithms/create/shrink.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "rankmap/forms/cart.h"
#include "tests/device/comm/ft/failing_job.h"
#include "tests/support/instance.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

// All who live have returned from all calls, and are revoked if one is.
void check_ends(const FailingJob &job, const Plan &plan) {
  std::int32_t first = detail::kNobody;
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    if (job.is_dead(rank)) {
      continue;
    }
    ASSERT_EQ(job.ended(rank), plan.calls.size()) << "process " << rank << " hangs";
    first = first == detail::kNobody ? rank : first;
    ASSERT_EQ(job.is_revoked(rank), job.is_revoked(first)) << "process " << rank;
  }
}

// All verdicts of a process are those of another one, who lives, too. They name no living process,
// and everybody else has voted.
void check_verdicts(const FailingJob &job, std::int32_t rank, std::int32_t other) {
  ASSERT_EQ(job.verdicts(rank), job.verdicts(other)) << "processes " << rank << " and " << other;
  for (const Verdict &verdict : job.verdicts(rank)) {
    ASSERT_EQ(verdict.acknowledged, verdict.dead.empty());
    for (std::int32_t member = 0; member < job.size(); ++member) {
      const bool listed = std::binary_search(verdict.dead.begin(), verdict.dead.end(), member);
      ASSERT_TRUE(!listed || job.is_dead(member)) << member << " lives";
      ASSERT_TRUE(listed || (verdict.value >> member % 64 & 1) == 0) << member << " neither voted nor is listed";
    }
  }
}

// A map has the members of the parent that live, and dead ones that took part in the call, in the
// parent's order. Returns them as ranks of the parent.
void check_map(const FailingJob &job, const Plan &plan, std::size_t call, const avrm_rankmap_t *map) {
  std::int32_t next = 0;
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(plan.map, rank);
    const bool is_in = next < map->size && avrm_rankmap_gpid(map, next).lpid == process.lpid;
    ASSERT_TRUE(is_in || job.is_dead(rank)) << rank << " lives";
    ASSERT_TRUE(!is_in || job.begun(rank) > call) << rank << " took no part";
    next += is_in ? 1 : 0;
  }
  ASSERT_EQ(next, map->size);
}

void check_same(const avrm_rankmap_t *map, const avrm_rankmap_t *other) {
  ASSERT_EQ(map->size, other->size);
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    ASSERT_EQ(avrm_rankmap_gpid(map, rank).lpid, avrm_rankmap_gpid(other, rank).lpid) << "rank " << rank;
  }
}

// Compares the result of a process's shrink with that of the first process that lives.
void check_shrunk(const FailingJob &job, const Plan &plan, std::int32_t rank, const Shrunk &mine, const Shrunk &first) {
  ASSERT_EQ(mine.status, first.status);
  if (mine.status != AVRM_OK) {
    return;
  }
  check_same(mine.made.map.get(), first.made.map.get());
  ASSERT_EQ(mine.made.context, first.made.context);
  ASSERT_NE(mine.made.context, detail::Contexts::kNone);
  ASSERT_EQ(avrm_rankmap_gpid(mine.made.map.get(), mine.made.rank).lpid, avrm_rankmap_gpid(plan.map, rank).lpid)
      << job.size();
}

// The ids of all processes that are in use before a job.
using Ids = std::vector<std::set<std::uint32_t>>;

// A process has the ids that it had, and those of its new communicators.
void check_ids(FailingJob &job, std::int32_t rank, std::set<std::uint32_t> ids) {
  for (const Shrunk &one : job.shrunk(rank)) {
    ASSERT_TRUE(one.status != AVRM_OK || ids.insert(one.made.context).second) << "id is in use";
  }
  ASSERT_EQ(job.contexts(rank).count(), ids.size());
  for (const std::uint32_t id : ids) {
    ASSERT_TRUE(job.contexts(rank).has(id)) << id;
  }
}

// Whether a shrink may find no id.
bool may_lack_ids(const Ids &ids, std::uint32_t most) {
  std::set<std::uint32_t> used;
  for (const std::set<std::uint32_t> &some : ids) {
    used.insert(some.begin(), some.end());
  }
  return used.size() + 4 > most; // one, and those of earlier shrinks
}

void check(FailingJob &job, const Plan &plan, const Ids &ids) {
  ASSERT_NO_FATAL_FAILURE(check_ends(job, plan));
  const std::vector<Shrunk> *first = nullptr;
  std::int32_t first_rank = detail::kNobody;
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    if (job.is_dead(rank)) {
      continue;
    }
    const std::vector<Shrunk> &shrunk = job.shrunk(rank);
    if (first == nullptr) {
      first = &shrunk;
      first_rank = rank;
      std::size_t at = 0;
      for (std::size_t call = 0; call < plan.calls.size(); ++call) {
        if (plan.calls[call] != Call::kShrink) {
          continue;
        }
        const Shrunk &one = shrunk[at++];
        ASSERT_TRUE(one.status == AVRM_OK ||
                    (one.status == AVRM_ERR_LIMIT && may_lack_ids(ids, job.contexts(rank).most())))
            << avrm_status_name(one.status);
        if (one.status == AVRM_OK) {
          ASSERT_NO_FATAL_FAILURE(check_map(job, plan, call, one.made.map.get()));
        }
      }
    }
    ASSERT_NO_FATAL_FAILURE(check_verdicts(job, rank, first_rank));
    for (std::size_t i = 0; i < shrunk.size(); ++i) {
      ASSERT_NO_FATAL_FAILURE(check_shrunk(job, plan, rank, shrunk[i], (*first)[i]));
    }
    ASSERT_NO_FATAL_FAILURE(check_ids(job, rank, ids[static_cast<std::size_t>(rank)]));
  }
}

// Instances of all cost classes, in which maps take different forms.
class SimulatedRecovery : public testing::Test {
protected:
  avrm_instance_t *instance(std::uint64_t number) { return *instances_[number % std::size(instances_)]; }

private:
  Instance balanced_{false, AVRM_COST_BALANCED};
  Instance small_{false, AVRM_COST_BYTES};
  Instance fast_{false, AVRM_COST_SPEED};
  Instance *instances_[3] = {&balanced_, &small_, &fast_};
};

// Any two deaths, each before and after each message that the process sends or receives.
class WithTwoDeaths : public SimulatedRecovery {
protected:
  void sweep(const std::vector<Call> &calls, std::int32_t revoker) {
    constexpr int kPoints = 100; // nobody has more actions
    const int step = is_long() ? 1 : is_brief() ? 997 : 97;
    std::uint64_t runs = 0;
    int actions = 0;
    const std::string failed = fails_with_two_deaths(8, kPoints, step, [&](auto size, const auto &deaths) {
      actions = std::max(actions, run(size, deaths, calls, revoker, seed() + ++runs));
      return !HasFailure();
    });
    EXPECT_EQ(failed, "") << "seed " << seed() + runs;
    EXPECT_LE(actions, kPoints);
  }

private:
  // Returns the most actions of a process.
  int run(std::int32_t size, const std::vector<Death> &deaths, const std::vector<Call> &calls, std::int32_t revoker,
          std::uint64_t run_seed) {
    constexpr std::uint32_t kContext = 1;
    const MapPtr map =
        make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance(run_seed), 0, size, map_p); });
    const Plan plan{calls, revoker, map.get(), kContext};
    FailingJob job(size, deaths, run_seed, plan);
    for (std::int32_t rank = 0; rank < size; ++rank) {
      require(job.contexts(rank).take(kContext));
    }
    EXPECT_TRUE(job.run());
    check(job, plan, Ids(static_cast<std::size_t>(size), {kContext}));
    return most_actions(job, size);
  }
};

TEST_F(WithTwoDeaths, AllSurvivorsShrinkAlike) { sweep({Call::kShrink}, detail::kNobody); }

TEST_F(WithTwoDeaths, AllSurvivorsOfARevocationAgreeAndShrinkAlike) { sweep({Call::kAgree, Call::kShrink}, 0); }

// Affine, blocked, Cartesian, or without a pattern.
MapPtr draw_parent(avrm_instance_t *instance, std::int32_t size, std::mt19937_64 &random) {
  const auto draw = [&random](std::int32_t bound) {
    return static_cast<std::int32_t>(below(random, static_cast<std::uint64_t>(bound)));
  };
  return make_map([&](avrm_rankmap_t *map_p) {
    const std::int32_t block = 2 + draw(size);
    switch (draw(4)) {
    case 0: return avrm_rankmap_create_stride(instance, 0, size, draw(9), 1 + draw(3), map_p);
    case 1: return avrm_rankmap_create_blocked(instance, 0, size, draw(9), block + draw(9), block, map_p);
    case 2: {
      const detail::Cart cart{2, size, 0, {block}, {size / block + 1, 1}};
      *map_p = detail::new_cart_map(instance, 0, cart, detail::greatest_of(cart)).release();
      return AVRM_OK;
    }
    default: {
      std::vector<std::int32_t> lpids(static_cast<std::size_t>(size));
      std::iota(lpids.begin(), lpids.end(), 0);
      std::shuffle(lpids.begin(), lpids.end(), random);
      return avrm_rankmap_create_lpids(instance, 0, size, lpids.data(), AVRM_RANKMAP_DEFAULT, map_p);
    }
    }
  });
}

// Mostly up to 64, and sometimes several hundred.
std::int32_t draw_size(std::mt19937_64 &random) {
  const std::uint64_t kind = below(random, 500);
  return static_cast<std::int32_t>(2 + below(random, kind == 0 ? 600 : kind % 2 == 0 ? 63 : 15));
}

// Of any processes, or of consecutive ones, many of them at the start or at one time.
std::vector<Death> draw_deaths(std::int32_t size, std::mt19937_64 &random) {
  const std::uint64_t most = std::min<std::uint64_t>(static_cast<std::uint64_t>(size), below(random, 4) == 0 ? 64 : 5);
  const bool is_run = below(random, 2) == 0;
  const auto start = static_cast<std::int32_t>(below(random, 2) * below(random, static_cast<std::uint64_t>(size)));
  constexpr std::uint64_t kTimes[] = {1, 20, 40, 80, 160};
  const std::uint64_t times = kTimes[below(random, std::size(kTimes))];
  std::vector<Death> deaths;
  for (std::uint64_t left = below(random, most); left != 0; --left) {
    const auto offset = static_cast<std::int32_t>(is_run ? left : below(random, static_cast<std::uint64_t>(size)));
    deaths.push_back({(start + offset) % size, static_cast<int>(below(random, times))});
  }
  return deaths;
}

// Communicators in use, in a space of ids that may be small.
Ids draw_ids(FailingJob &job, std::uint32_t context, std::mt19937_64 &random) {
  const bool is_small = below(random, 8) == 0;
  const std::uint32_t most = is_small ? (64U << below(random, 5)) - 1 : job.contexts(0).most();
  const std::uint64_t density = is_small ? below(random, 100) : 0; // percent
  Ids ids(static_cast<std::size_t>(job.size()));
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    job.contexts(rank).limit(most);
    for (std::uint32_t id = 0; id <= std::min(most, 1023U); ++id) {
      if (id == context || (density != 0 && below(random, 100) < density)) {
        ids[static_cast<std::size_t>(rank)].insert(id);
        require(job.contexts(rank).take(id));
      }
    }
  }
  return ids;
}

TEST_F(SimulatedRecovery, GivesAllSurvivorsTheSameWhicheverProcessesDie) {
  const std::uint64_t first = seed();
  const std::uint64_t runs = is_long() ? 1000000 : is_brief() ? 100 : 400;
  for (std::uint64_t run = first; run < first + runs; ++run) {
    std::mt19937_64 random(run);
    const std::int32_t size = draw_size(random);
    const std::vector<Death> deaths = draw_deaths(size, random);
    const MapPtr map = draw_parent(instance(random()), size, random);
    Plan plan{{}, detail::kNobody, map.get(), static_cast<std::uint32_t>(below(random, 64))};
    if (below(random, 2) == 0) {
      plan.revoker = static_cast<std::int32_t>(below(random, static_cast<std::uint64_t>(size)));
    }
    for (std::uint64_t left = 1 + below(random, 3); left != 0; --left) {
      plan.calls.push_back(below(random, 3) == 0 ? Call::kAgree : Call::kShrink);
    }
    FailingJob job(size, deaths, random(), plan);
    const Ids ids = draw_ids(job, plan.context, random);
    EXPECT_TRUE(job.run());
    check(job, plan, ids);
    ASSERT_FALSE(HasFailure()) << "AVRM_TEST_SEED=" << run << ": " << text_of(size, deaths);
  }
}

} // namespace
} // namespace avrankmap::test
