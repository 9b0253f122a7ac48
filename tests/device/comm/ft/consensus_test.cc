// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Agreements whose processes die at every point of them.
#include "comm_algorithms/consensus.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "tests/device/comm/ft/failing_job.h"
#include "tests/device/comm/ft/timed_agreement.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

Plan agree_times(std::size_t agreements) { return {std::vector<Call>(agreements, Call::kAgree)}; }

// All survivors return the same from each agreement: a value that everybody outside the list of the
// dead has contributed to, and a list of processes that are dead.
void check(const FailingJob &job, std::int32_t size, std::size_t agreements) {
  const Verdict *first[4] = {};
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (job.is_dead(rank)) {
      continue;
    }
    ASSERT_EQ(job.verdicts(rank).size(), agreements) << "process " << rank << " hangs";
    for (std::size_t i = 0; i < agreements; ++i) {
      const Verdict &verdict = job.verdicts(rank)[i];
      if (first[i] == nullptr) {
        first[i] = &verdict;
      }
      ASSERT_EQ(verdict, *first[i]) << "process " << rank << ", agreement " << i;
      for (std::int32_t other = 0; other < size; ++other) {
        const bool listed = std::binary_search(verdict.dead.begin(), verdict.dead.end(), other);
        const bool voted = (verdict.value >> other & 1) == 0;
        ASSERT_TRUE(job.is_dead(other) || !listed) << other << " lives";
        ASSERT_TRUE(voted || listed) << other << " neither voted nor is listed";
      }
      ASSERT_EQ(verdict.acknowledged, verdict.dead.empty());
    }
  }
}

// Returns the most actions of a process.
int run_and_check(std::int32_t size, const std::vector<Death> &deaths, std::uint64_t seed, std::size_t agreements) {
  FailingJob job(size, deaths, seed, agree_times(agreements));
  EXPECT_TRUE(job.run()) << "does not end";
  check(job, size, agreements);
  return most_actions(job, size);
}

TEST(Consensus, WithoutFailuresEveryVoteCounts) {
  for (std::int32_t size = 1; size <= 40; ++size) {
    FailingJob job(size, {}, seed(), agree_times(2));
    ASSERT_TRUE(job.run());
    check(job, size, 2);
    EXPECT_EQ(job.verdicts(size - 1)[1].value, ~((std::uint64_t{2} << (size - 1)) - 1));
  }
}

// Two deaths, each before and after each message that the process sends or receives.
TEST(Consensus, SurvivorsAgreeWhereverTwoProcessesDie) {
  constexpr int kPoints = 24; // nobody has more actions
  std::uint64_t runs = 0;
  EXPECT_EQ(fails_with_two_deaths(8, kPoints, is_brief() ? 11 : 1,
                                  [&](std::int32_t size, const std::vector<Death> &deaths) {
                                    return run_and_check(size, deaths, seed() + ++runs, 1) <= kPoints && !HasFailure();
                                  }),
            "")
      << "seed " << seed() + runs;
}

TEST(Consensus, SurvivorsAgreeWhicheverProcessesDieAnywhere) {
  std::mt19937_64 random = seeded_engine();
  const int rounds = is_long() ? 1000000 : is_brief() ? 500 : 5000;
  for (int round = 0; round < rounds; ++round) {
    const auto size = static_cast<std::int32_t>(1 + below(random, 30));
    std::vector<Death> deaths;
    for (std::uint64_t count = below(random, static_cast<std::uint64_t>(size)); count != 0; --count) {
      const auto rank = static_cast<std::int32_t>(below(random, static_cast<std::uint64_t>(size)));
      deaths.push_back(
          {below(random, 2) == 0 ? rank : static_cast<std::int32_t>(count) - 1, static_cast<int>(below(random, 20))});
    }
    const std::uint64_t run = random();
    run_and_check(size, deaths, run, 3);
    if (HasFatalFailure()) {
      FAIL() << text_of(size, deaths) << ", seed " << run;
    }
  }
}

// An error is reported to all unless every voter has acknowledged every death.
TEST(Consensus, ADeathCountsAsAcknowledgedIfAllVotersAcknowledgedIt) {
  for (const bool by_all : {false, true}) {
    FailingJob job(9, {{0, 0}, {5, 0}}, seed(), agree_times(1));
    for (std::size_t rank = 1; rank < 9; ++rank) {
      job.acknowledged[rank] = rank == 8 && !by_all ? std::vector<std::int32_t>{5} : std::vector<std::int32_t>{0, 5};
    }
    ASSERT_TRUE(job.run());
    for (const std::int32_t rank : {1, 2, 3, 4, 6, 7, 8}) {
      ASSERT_EQ(job.verdicts(rank).size(), 1u);
      EXPECT_EQ(job.verdicts(rank)[0].dead, (std::vector<std::int32_t>{0, 5}));
      EXPECT_EQ(job.verdicts(rank)[0].acknowledged, by_all);
    }
  }
}

// A process that hears nothing by itself.
struct Deaf final : detail::FaultTolerantChannel {
  Deaf(detail::Memory &memory, std::int32_t rank, std::int32_t size)
      : FaultTolerantChannel(memory, stack, rank, size) {}
  bool start(detail::Transfer * /*transfer*/) noexcept override { return false; }
  bool has_died(std::int32_t /*rank*/) const noexcept override { return false; }
  detail::FrameStack stack;
};

// Process 5 of 13 in its first agreement.
class ConsensusOfOne : public testing::Test {
protected:
  using Header = detail::ConsensusHeader;

  ConsensusOfOne() { consensus.begin({7, AVRM_OK, nullptr, 0}); }
  // The receiver and the kind of the next message; {} if none is due.
  std::pair<std::int32_t, int> next() {
    std::int32_t dest = 0;
    Header header{};
    const detail::Mark *marks = nullptr;
    return consensus.next_message(channel, &dest, &header, &marks) ? std::pair(dest, int{header.kind})
                                                                   : std::pair(0, 0);
  }
  void hear(std::int32_t sender, Header::Kind kind, std::int32_t floor, bool complete = true) {
    detail::Array<detail::Mark> marks(memory);
    consensus.take({1, kind, 0, sender, floor, 3, 0, 0}, marks, complete);
  }

  CountingAllocator books;
  detail::Memory memory{books.hooks()};
  Deaf channel{memory, 5, 13};
  detail::Consensus consensus{memory, 5, 13};
};

// The root is asking because all ancestors are dead, which this process need not know.
TEST_F(ConsensusOfOne, TakesNoVerdictOfAnAncestorOnceARootHasAsked) {
  EXPECT_EQ(next(), std::pair(4, int{Header::kVote}));
  hear(1, Header::kAsk, 1);
  EXPECT_EQ(next(), std::pair(1, int{Header::kVote}));
  hear(4, Header::kVerdict, 0);
  EXPECT_EQ(next(), std::pair(0, 0));
  EXPECT_FALSE(consensus.is_over());
  hear(1, Header::kVerdict, 1);
  EXPECT_EQ(next(), std::pair(0, 0));
  EXPECT_TRUE(consensus.is_over());
  EXPECT_EQ(consensus.value(), 3u);
}

TEST_F(ConsensusOfOne, AnswersAVoteThatComesAfterTheVerdict) {
  EXPECT_EQ(next().second, Header::kVote);
  hear(4, Header::kVerdict, 0);
  EXPECT_EQ(next(), std::pair(0, 0));
  hear(6, Header::kVote, 0);
  EXPECT_EQ(next(), std::pair(6, int{Header::kVerdict}));
}

TEST_F(ConsensusOfOne, AsksOnceMoreForAVoteThatItHasNoMemoryFor) {
  EXPECT_EQ(next().second, Header::kVote);
  books.refuse_after(0);
  hear(6, Header::kVote, 0);
  books.refuse_none();
  EXPECT_EQ(next(), std::pair(6, int{Header::kAsk}));
}

TEST_F(ConsensusOfOne, VotesOnceMoreForAVerdictThatItHasNoMemoryFor) {
  EXPECT_EQ(next().second, Header::kVote);
  hear(4, Header::kVerdict, 0, false);
  EXPECT_EQ(next(), std::pair(4, int{Header::kVote}));
  EXPECT_FALSE(consensus.is_over());
}

// The memory of one process, in bytes, that an agreement may take (with `dead` deaths).
std::size_t bytes_allowed(std::size_t dead) { return (std::size_t{16} << 10) + 64 * dead; }

TEST(ConsensusOfMany, TakesAtMostThreeStepsPerDoublingWithoutFailures) {
  for (const std::int32_t size : {1000, 8192, is_long() ? 1 << 20 : 1 << 14}) {
    TimedAgreement job(size, {}, 0);
    job.run();
    for (std::int32_t rank = 0; rank < size; ++rank) {
      ASSERT_TRUE(job.consensus(rank).is_over()) << rank;
      ASSERT_TRUE(job.consensus(rank).dead().empty());
    }
    EXPECT_LE(job.steps(), 3u * static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(size - 1))));
    EXPECT_EQ(job.messages(), 2u * static_cast<std::uint64_t>(size - 1));
    EXPECT_LT(job.most_bytes(), bytes_allowed(0));
    RecordProperty("steps_of_" + std::to_string(size), static_cast<int>(job.steps()));
  }
}

} // namespace
} // namespace avrankmap::test
