// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// News whose bearers die at every point of its spreading.
#include "liveness/spreading.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "tests/device/comm/ft/failing_job_net.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

class NoticeJob final : public FailingJobNet {
public:
  NoticeJob(std::int32_t size, std::int32_t caller, const std::vector<Death> &deaths, std::uint64_t seed)
      : FailingJobNet(size, deaths, seed), caller_(caller) {
    for (std::int32_t rank = 0; rank < size; ++rank) {
      processes_.push_back({detail::Spreading(rank, size)});
    }
  }
  [[nodiscard]] bool has_it(std::int32_t rank) const { return processes_[static_cast<std::size_t>(rank)].informed; }
  [[nodiscard]] int messages_of(std::int32_t rank) const { return processes_[static_cast<std::size_t>(rank)].messages; }

private:
  struct Process {
    detail::Spreading spreading;
    bool informed = false;
    int messages = 0;
  };

  Process &at(std::int32_t rank) { return processes_[static_cast<std::size_t>(rank)]; }

  void on_start(std::int32_t rank) override {
    if (rank == caller_) {
      learn(rank);
    }
  }
  void on_note(std::int32_t rank) override { learn(rank); }
  void on_death(std::int32_t rank, std::int32_t /*dead*/) override {
    if (at(rank).informed) {
      spread(rank);
    }
  }
  void go_on(std::int32_t /*rank*/) override {}

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
    process.spreading.spread([&](std::int32_t other) { return knows_death(rank, other); },
                             [&](std::int32_t other) {
                               if (is_dead(rank)) {
                                 return false;
                               }
                               ++process.messages;
                               return send_note(rank, other);
                             });
  }

  std::int32_t caller_;
  std::vector<Process> processes_;
};

// If one that lives has it, all do. Returns the most actions of a process.
int check(std::int32_t size, std::int32_t caller, const std::vector<Death> &deaths, std::uint64_t seed) {
  NoticeJob job(size, caller, deaths, seed);
  EXPECT_TRUE(job.run());
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

// Two deaths, each before and after each message that the process sends or receives.
TEST(Spreading, ReachesAllThatLiveWhereverTwoProcessesDie) {
  constexpr int kPoints = 16; // nobody has more actions
  std::uint64_t runs = 0;
  EXPECT_EQ(fails_with_two_deaths(8, kPoints, is_brief() ? 11 : 1,
                                  [&](std::int32_t size, const std::vector<Death> &deaths) {
                                    return check(size, 0, deaths, seed() + ++runs) <= kPoints && !HasFailure();
                                  }),
            "")
      << "seed " << seed() + runs;
}

TEST(Spreading, ReachesAllThatLiveWhicheverProcessesDieAnywhere) {
  std::mt19937_64 random = seeded_engine();
  const int rounds = is_long() ? 1000000 : is_brief() ? 2000 : 20000;
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
