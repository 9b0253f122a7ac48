// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// News whose bearers die at every point of its spreading.
#include "comm/survival/spreading.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "tests/comm/survival/mortal_job.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

// Messages from one process to another one come in order. What a process sent before it died may be
// lost from some message on; of its death the others hear at any later time.
class NewsJob {
public:
  NewsJob(std::int32_t size, const std::vector<Death> &deaths, std::uint64_t seed) : random_(seed) {
    for (std::int32_t rank = 0; rank < size; ++rank) {
      processes_.push_back({detail::Spreading(rank, size), std::vector<bool>(static_cast<std::size_t>(size))});
    }
    for (const Death &death : deaths) {
      at(death.rank).lives_for = death.point;
    }
  }

  void run(std::int32_t caller) {
    learn(caller);
    while (!events_.empty()) {
      std::swap(events_[random_() % events_.size()], events_.back());
      const Event event = events_.back();
      events_.pop_back();
      Process &process = at(event.rank);
      if (process.dead) {
        continue;
      }
      if (event.is_death) {
        process.known[static_cast<std::size_t>(event.other)] = true;
        if (process.informed) {
          spread(event.rank);
        }
      } else if (!(at(event.other).dead && random_() % 2 == 0) && act(event.rank)) {
        learn(event.rank);
      }
    }
  }
  [[nodiscard]] bool is_dead(std::int32_t rank) const { return processes_[static_cast<std::size_t>(rank)].dead; }
  [[nodiscard]] bool has_it(std::int32_t rank) const { return processes_[static_cast<std::size_t>(rank)].informed; }
  [[nodiscard]] int actions_of(std::int32_t rank) const { return processes_[static_cast<std::size_t>(rank)].actions; }
  [[nodiscard]] int messages_of(std::int32_t rank) const { return processes_[static_cast<std::size_t>(rank)].messages; }

private:
  struct Process {
    detail::Spreading spreading;
    std::vector<bool> known; // deaths
    bool informed = false;
    bool dead = false;
    int lives_for = -1;
    int actions = 0;
    int messages = 0;
  };
  struct Event {
    bool is_death;
    std::int32_t rank;
    std::int32_t other;
  };

  Process &at(std::int32_t rank) { return processes_[static_cast<std::size_t>(rank)]; }

  bool act(std::int32_t rank) {
    Process &process = at(rank);
    if (process.dead) {
      return false;
    }
    if (process.lives_for == process.actions++) {
      process.dead = true;
      for (std::int32_t other = 0; other < static_cast<std::int32_t>(processes_.size()); ++other) {
        events_.push_back({true, other, rank});
      }
    }
    return !process.dead;
  }
  void learn(std::int32_t rank) {
    Process &process = at(rank);
    if (!process.informed) {
      process.informed = true;
      process.spreading.begin();
      spread(rank);
    }
  }
  void spread(std::int32_t rank) {
    Process &process = at(rank);
    process.spreading.spread(
        [&](std::int32_t other) { return static_cast<bool>(process.known[static_cast<std::size_t>(other)]); },
        [&](std::int32_t other) {
          if (!act(rank)) {
            return false;
          }
          ++process.messages;
          events_.push_back({false, other, rank});
          return true;
        });
  }

  std::mt19937_64 random_;
  std::vector<Process> processes_;
  std::vector<Event> events_;
};

// If one that lives has it, all do. Returns the most actions of a process.
int check(std::int32_t size, std::int32_t caller, const std::vector<Death> &deaths, std::uint64_t seed) {
  NewsJob job(size, deaths, seed);
  job.run(caller);
  int have = 0;
  int living = 0;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    living += job.is_dead(rank) ? 0 : 1;
    have += !job.is_dead(rank) && job.has_it(rank) ? 1 : 0;
    EXPECT_LE(job.messages_of(rank),
              std::bit_width(static_cast<std::uint32_t>(size - 1)) + static_cast<int>(deaths.size()));
  }
  EXPECT_TRUE(have == 0 || have == living)
      << size << " processes, seed " << seed << ": " << have << " of " << living << " have it";
  EXPECT_TRUE(have != 0 || job.is_dead(caller));
  return most_actions(job, size);
}

// Two deaths, each before each message that the process would send or receive.
TEST(Spreading, ReachesAllThatLiveWhereverTwoProcessesDie) {
  constexpr int kPoints = 16; // nobody has more actions
  std::uint64_t runs = 0;
  EXPECT_EQ(fails_with_two_deaths(8, kPoints,
                                  [&](std::int32_t size, const std::vector<Death> &deaths) {
                                    return check(size, 0, deaths, seed() + ++runs) <= kPoints && !HasFailure();
                                  }),
            "")
      << "seed " << seed() + runs;
}

TEST(Spreading, ReachesAllThatLiveWhicheverProcessesDieAnywhere) {
  std::mt19937_64 random = seeded_engine();
  const int rounds = is_long() ? 1000000 : 20000;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    const auto size = static_cast<std::int32_t>(1 + below(random, 40));
    const auto caller = static_cast<std::int32_t>(below(random, static_cast<std::uint64_t>(size)));
    std::vector<Death> deaths;
    for (std::uint64_t count = below(random, static_cast<std::uint64_t>(size)); count != 0; --count) {
      deaths.push_back({static_cast<std::int32_t>(below(random, static_cast<std::uint64_t>(size))),
                        static_cast<int>(below(random, 16))});
    }
    (void)check(size, caller, deaths, random());
  }
}

} // namespace
} // namespace avrankmap::test
