// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who watches whom, and who hears of whose death, among simulated processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "liveness/failure_notices.h"
#include "liveness/ring/successors.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

using detail::FailedRange;
using detail::FailureNotices;
using detail::kNobody;
using detail::Successors;

// A ring in which each process knows the dead that it has found or been told of.
class SimulatedRing {
public:
  SimulatedRing(int size, std::uint64_t seed) : size_(size), random_(seed) {
    for (int rank = 0; rank < size; ++rank) {
      processes_.emplace_back(rank, size);
    }
  }

  void die(int rank) { processes_[static_cast<std::size_t>(rank)].is_dead = true; }
  [[nodiscard]] bool is_dead(int rank) const { return processes_[static_cast<std::size_t>(rank)].is_dead; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] std::int64_t messages() const { return messages_; }

  // Some process does something. False if there is nothing to do.
  bool step() {
    const int start = static_cast<int>(random_() % static_cast<unsigned>(size_));
    for (int i = 0; i < size_; ++i) {
      const int rank = (start + i) % size_;
      if (!is_dead(rank) && act(rank)) {
        return true;
      }
    }
    return false;
  }
  void settle() {
    while (step()) {
    }
  }
  // The processes that this one watches, in order of distance.
  [[nodiscard]] std::vector<int> peers(int rank) const {
    std::vector<int> found;
    for (const std::int32_t peer : processes_[static_cast<std::size_t>(rank)].watched) {
      if (peer != kNobody) {
        found.push_back(peer);
      }
    }
    const auto distance = [&](int peer) { return (peer - rank + size_) % size_; };
    std::sort(found.begin(), found.end(), [&](int one, int other) { return distance(one) < distance(other); });
    return found;
  }
  [[nodiscard]] const std::set<int> &known(int rank) const { return processes_[static_cast<std::size_t>(rank)].dead; }

private:
  struct Member {
    Member(int rank, int size) : peers(rank, size) {}
    Successors peers;
    FailureNotices notices;
    std::set<int> dead; // as far as it knows
    std::int32_t watched[Successors::kCount] = {kNobody, kNobody};
    std::deque<FailedRange> inbox;
    bool is_dead = false;
  };

  // A message, or a look at the peers.
  bool act(int rank) {
    Member &self = processes_[static_cast<std::size_t>(rank)];
    bool acted = false;
    if (!self.inbox.empty()) {
      const FailedRange deaths = self.inbox.front();
      self.inbox.pop_front();
      for (int i = 0; i < deaths.count; ++i) {
        learn(self, deaths.first + i);
      }
      acted = true;
    }
    for (std::int32_t &peer : self.watched) {
      if (peer == kNobody || self.dead.count(peer) != 0) {
        const std::int32_t before = peer;
        peer = self.peers.next([&self](std::int32_t lpid) { return self.dead.count(lpid) != 0; });
        acted = acted || peer != before;
      }
      if (peer != kNobody && is_dead(peer)) {
        learn(self, peer);
        acted = true;
      }
    }
    const bool has_memory = random_() % 4 != 0;
    const auto has_died = [&self](std::int32_t lpid) { return self.dead.count(lpid) != 0; };
    const auto for_all = [&self](auto visit) {
      for (const int lpid : self.dead) {
        visit(FailedRange{lpid, 1});
      }
    };
    const auto tell = [&](std::int32_t lpid, const FailedRange &deaths) {
      if (!has_memory) {
        return false;
      }
      ++messages_;
      processes_[static_cast<std::size_t>(lpid)].inbox.push_back(deaths);
      return true;
    };
    self.notices.spread(rank, size_, has_died, for_all, tell);
    self.notices.repeat(has_died, for_all, tell);
    return acted || self.notices.has_untold() || self.notices.has_missed();
  }
  static void learn(Member &self, int lpid) {
    if (self.dead.insert(lpid).second) {
      self.notices.add(lpid);
    }
  }

  int size_;
  std::minstd_rand random_;
  std::vector<Member> processes_;
  std::int64_t messages_ = 0;
};

void expect_all_know(const SimulatedRing &ring, const std::set<int> &dead) {
  for (int rank = 0; rank < ring.size(); ++rank) {
    if (dead.count(rank) == 0) {
      ASSERT_EQ(ring.known(rank), dead) << "process " << rank;
    }
  }
}

// Brute force: the next living ones.
void expect_next_are_watched(const SimulatedRing &ring) {
  for (int rank = 0; rank < ring.size(); ++rank) {
    std::vector<int> next;
    for (int distance = 1; distance < ring.size() && next.size() < Successors::kCount; ++distance) {
      const int other = (rank + distance) % ring.size();
      if (!ring.is_dead(other)) {
        next.push_back(other);
      }
    }
    if (!ring.is_dead(rank)) {
      ASSERT_EQ(ring.peers(rank), next) << "process " << rank;
    }
  }
}

TEST(Successors, AreTheNextTwo) {
  SimulatedRing ring(5, 1);
  ring.settle();
  EXPECT_EQ(ring.peers(0), (std::vector<int>{1, 2}));
  EXPECT_EQ(ring.peers(4), (std::vector<int>{0, 1}));
}

TEST(Successors, OfAJobOfTwoIsTheOther) {
  SimulatedRing ring(2, 1);
  ring.settle();
  EXPECT_EQ(ring.peers(0), std::vector<int>{1});
}

// Nobody connects to one that is known to be dead, only to find it out once more.
TEST(Successors, AreNoneOfThoseKnownToBeDead) {
  Successors peers(3, 6);
  const auto has_died = [](std::int32_t lpid) { return lpid == 4 || lpid == 0 || lpid == 1; };
  EXPECT_EQ(peers.next(has_died), 5);
  EXPECT_EQ(peers.next(has_died), 2);
  EXPECT_EQ(peers.next(has_died), kNobody);
}

TEST(Successors, OneThatWasPassedOverComesAgain) {
  Successors peers(3, 6);
  const auto nobody = [](std::int32_t) { return false; };
  EXPECT_EQ(peers.next(nobody), 4);
  EXPECT_EQ(peers.next(nobody), 5);
  EXPECT_EQ(peers.next(nobody), 0);
  peers.go_back_to(5);
  EXPECT_EQ(peers.next(nobody), 5);
}

// All subsets of the dead, of jobs of up to 8.
TEST(Successors, AfterAnyDeathsTheNextTwoLivingAreWatched) {
  for (int size = 1; size <= 8; ++size) {
    for (unsigned set = 0; set < 1U << size; ++set) {
      SimulatedRing ring(size, set + 1);
      ring.settle();
      std::set<int> dead;
      for (int rank = 0; rank < size; ++rank) {
        if ((set >> rank & 1) != 0) {
          ring.die(rank);
          dead.insert(rank);
        }
      }
      ring.settle();
      expect_next_are_watched(ring);
      expect_all_know(ring, dead);
    }
  }
}

// Deaths at any moment, of those that have the notice.
TEST(FailureNotices, ReachEverySurvivorWhoeverDiesMeanwhile) {
  const std::uint64_t first = seed();
  for (std::uint64_t round = 0; round < (is_long() ? 20000 : 500); ++round) {
    SCOPED_TRACE("AVRM_TEST_SEED=" + std::to_string(first + round));
    std::minstd_rand random(static_cast<unsigned>(first + round + 1));
    const int size = 2 + static_cast<int>(random() % 60);
    SimulatedRing ring(size, first + round + 1);
    std::set<int> dead;
    for (int deaths = static_cast<int>(random() % static_cast<unsigned>(size)); deaths != 0; --deaths) {
      for (unsigned steps = random() % 40; steps != 0; --steps) {
        (void)ring.step();
      }
      const int rank = static_cast<int>(random() % static_cast<unsigned>(size));
      const int run = 1 + static_cast<int>(random() % 4);
      for (int i = rank; i < std::min(rank + run, size) && static_cast<int>(dead.size()) + 1 < size; ++i) {
        ring.die(i);
        dead.insert(i);
      }
    }
    ring.settle();
    expect_all_know(ring, dead);
    expect_next_are_watched(ring);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(FailureNotices, OfADeathCostLogarithmicallyManyMessagesEach) {
  SimulatedRing ring(256, 1);
  ring.settle();
  ring.die(77);
  ring.settle();
  expect_all_know(ring, {77});
  EXPECT_LE(ring.messages(), 255 * 8 * 2); // all that is known is told again where memory was short
}

TEST(FailureNotices, ManyAtOnceAreToldInRuns) {
  FailureNotices notices;
  for (int lpid = 10; lpid < 1000; ++lpid) {
    notices.add(lpid);
  }
  int messages = 0;
  notices.spread(
      0, 2048, [](std::int32_t lpid) { return lpid >= 10 && lpid < 1000; }, [](auto) {},
      [&](std::int32_t, const FailedRange &) {
        ++messages;
        return true;
      });
  EXPECT_EQ(messages, 10); // all but the nearest, which is told all that is known
}

TEST(FailureNotices, StateIsConstant) {
  EXPECT_LE(sizeof(FailureNotices), 120U);
  EXPECT_LE(sizeof(Successors), 16U);
}

} // namespace
} // namespace avrankmap::test
