// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The creation algorithms in simulated jobs, at sizes that real jobs do not reach.
#include "bench/synthetic/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/create/inter.h"
#include "comm_algorithms/create/split.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using bench::SimProcess;
using bench::Simulator;
using detail::SplitMethod;

struct Wish {
  std::int32_t colour;
  std::int32_t key;
};

// Splits, and compares every process's map with the plain lists.
void check_split(Simulator &job, const std::vector<Wish> &wishes, SplitMethod method) {
  const detail::Parent parent{job.world(), nullptr, 0};
  const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
    const Wish wish = wishes[static_cast<std::size_t>(process.rank())];
    return make_split(process, process, parent, wish.colour, wish.key, method, &process.made);
  });
  std::map<std::int32_t, std::vector<std::int32_t>> groups;
  for (std::int32_t rank = 0; rank < job.size(); ++rank) {
    groups[wishes[static_cast<std::size_t>(rank)].colour].push_back(rank);
  }
  for (auto &[colour, ranks] : groups) {
    std::stable_sort(ranks.begin(), ranks.end(), [&](std::int32_t a, std::int32_t b) {
      return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
    });
    for (std::size_t place = 0; place < ranks.size(); ++place) {
      ASSERT_EQ(statuses[static_cast<std::size_t>(ranks[place])], AVRM_OK);
      const detail::CreationResult &made = job.process(ranks[place]).made;
      if (colour == AVRM_UNDEFINED) {
        ASSERT_EQ(made.map, nullptr);
        ASSERT_EQ(made.context, detail::Contexts::kNone);
        continue;
      }
      ASSERT_NE(made.map, nullptr);
      ASSERT_NE(made.context, detail::Contexts::kNone);
      ASSERT_EQ(made.rank, static_cast<std::int32_t>(place));
      ASSERT_EQ(made.map->size, static_cast<std::int32_t>(ranks.size()));
      const char *reason = nullptr;
      ASSERT_TRUE(avrm_rankmap_validate(made.map.get(), &reason)) << reason;
      // Checks all ranks in the first member, and some in the others.
      for (std::size_t other = place == 0 ? 0 : place - 1; other < (place == 0 ? ranks.size() : place + 1); ++other) {
        ASSERT_EQ(avrm_rankmap_gpid(made.map.get(), static_cast<std::int32_t>(other)).lpid, ranks[other]);
      }
    }
  }
  job.forget();
}

class SimulatedSplit : public testing::TestWithParam<SplitMethod> {};

TEST_P(SimulatedSplit, AgreesWithPlainListsForEverySmallNumberOfProcesses) {
  for (std::int32_t size = 1; size <= 40; ++size) {
    Simulator job(size);
    std::vector<Wish> wishes(static_cast<std::size_t>(size));
    const auto with = [&](auto colour_of, auto key_of) {
      for (std::int32_t rank = 0; rank < size; ++rank) {
        wishes[static_cast<std::size_t>(rank)] = {colour_of(rank), key_of(rank)};
      }
      check_split(job, wishes, GetParam());
    };
    const auto none = [](std::int32_t) { return 0; };
    with(none, none);
    with([](std::int32_t rank) { return rank % 3; }, none);
    with([](std::int32_t rank) { return rank / 3; }, [](std::int32_t rank) { return -rank; });
    with([](std::int32_t rank) { return rank % 4 == 1 ? AVRM_UNDEFINED : rank % 2; }, none);
    with([](std::int32_t rank) { return rank / 4 % 2; }, [](std::int32_t rank) { return rank % 2; });
    if (HasFatalFailure()) {
      FAIL() << size << " processes";
    }
  }
}

TEST_P(SimulatedSplit, AgreesWithPlainListsForRandomWishes) {
  std::mt19937_64 random = seeded_engine();
  for (int round = 0; round < 60; ++round) {
    const auto size = static_cast<std::int32_t>(1 + random() % 200);
    const auto colours = 1 + random() % 8;
    const auto keys = 1 + random() % 50;
    Simulator job(size);
    std::vector<Wish> wishes(static_cast<std::size_t>(size));
    for (Wish &wish : wishes) {
      wish = {static_cast<std::int32_t>(random() % colours), static_cast<std::int32_t>(random() % keys) - 20};
      if (random() % 9 == 0) {
        wish.colour = AVRM_UNDEFINED;
      }
    }
    check_split(job, wishes, GetParam());
    if (HasFatalFailure()) {
      FAIL() << size << " processes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(By, SimulatedSplit, testing::Values(SplitMethod::kGather, SplitMethod::kSort),
                         [](const auto &info) {
                           return std::string(info.param == SplitMethod::kGather ? "Gathering" : "Sorting");
                         });

// Rows, columns, planes and boxes of 16,384 processes, sorted: a formula each, and little
// memory on the way.
TEST(SimulatedSplitAtScale, RegularPartsTakeNoMemoryPerProcess) {
  constexpr std::int32_t kSize = 16384;
  Simulator job(kSize);
  const detail::Parent parent{job.world(), nullptr, 0};
  const auto split = [&](const char *what, auto colour_of) {
    const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
      return make_split(process, process, parent, colour_of(process.rank()), 0, SplitMethod::kSort, &process.made);
    });
    EXPECT_TRUE(std::all_of(statuses.begin(), statuses.end(), [](avrm_status_t s) { return s == AVRM_OK; })) << what;
    EXPECT_LE(job.cost().map_bytes_most, 56u + 4 * 16) << what;
    EXPECT_LT(job.cost().frame_bytes, 4096u) << what;
    EXPECT_EQ(job.cost().scratch_peak, 0u) << what;
    job.forget();
  };
  split("rows", [](std::int32_t rank) { return rank / 128; });
  split("columns", [](std::int32_t rank) { return rank % 128; });
  split("blocks of columns", [](std::int32_t rank) { return rank % 128 / 16; });
  split("boxes", [](std::int32_t rank) { return rank % 32 / 8 + rank / 32 % 32 / 4 * 4; });
}

// Members never use more than a fraction of the room for their coroutines.
TEST(SimulatedCreation, CoroutinesFitTheirStack) {
  Simulator job(300);
  const detail::Parent parent{job.world(), nullptr, 0};
  std::mt19937_64 random = seeded_engine();
  std::vector<std::int32_t> colours(300);
  std::generate(colours.begin(), colours.end(), [&] { return static_cast<std::int32_t>(random() % 3); });
  for (std::int32_t id = 1; id < 40000; ++id) { // so that ids are looked for in windows
    ASSERT_EQ(job.process(id % 2).contexts().take(static_cast<std::uint32_t>(id)), AVRM_OK);
  }
  (void)job.run([&](SimProcess &process) {
    return make_split(process, process, parent, colours[static_cast<std::size_t>(process.rank())], 0,
                      SplitMethod::kSort, &process.made);
  });
  EXPECT_NE(job.process(0).made.context, detail::Contexts::kNone);
  EXPECT_LE(job.cost().frame_bytes, detail::FrameStack::kBytes * 9 / 10);
}

// Passes one message on from the first process to the last.
detail::Task pass_on(detail::Channel &channel) {
  char byte = 0;
  if (channel.rank() > 0) {
    (void)co_await receive(channel, channel.rank() - 1, &byte, 1);
  }
  if (channel.rank() + 1 < channel.size()) {
    (void)co_await send(channel, channel.rank() + 1, &byte, 1);
  }
  co_return AVRM_OK;
}

TEST(SimulatedCreation, MessagesThatWaitForOneAnotherAddUp) {
  Simulator job(5);
  (void)job.run([](SimProcess &process) { return pass_on(process); });
  EXPECT_EQ(job.cost().depth, 4u);
  EXPECT_EQ(job.cost().steps, 1u);
}

// Two groups, each with its leader, as the sides of an intercommunicator, and merged again.
TEST(SimulatedCreation, IntercommunicatorsOfRegularGroupsAreRegular) {
  constexpr std::int32_t kSize = 1000;
  Simulator job(kSize);
  avrm_rankmap_t halves[2] = {};
  ASSERT_EQ(avrm_rankmap_create_stride(job.instance(), 0, kSize / 2, 0, 2, &halves[0]), AVRM_OK);
  ASSERT_EQ(avrm_rankmap_create_stride(job.instance(), 0, kSize / 2, 1, 2, &halves[1]), AVRM_OK);
  const auto odd_at = [](std::int32_t place) { return 2 * place + 1; };
  const auto even_at = [](std::int32_t place) { return 2 * place; };
  std::vector<std::unique_ptr<detail::Channel>> channels;
  std::vector<detail::Bridge> bridges;
  for (std::int32_t rank = 0; rank < kSize; ++rank) {
    SimProcess &process = job.process(rank);
    if (rank % 2 == 0) {
      channels.push_back(
          std::make_unique<detail::GroupChannel<decltype(even_at)>>(process, rank / 2, kSize / 2, even_at));
    } else {
      channels.push_back(
          std::make_unique<detail::GroupChannel<decltype(odd_at)>>(process, rank / 2, kSize / 2, odd_at));
    }
    bridges.push_back({0, rank < 2 ? &process : nullptr, rank == 0 ? 1 : 0});
  }
  std::vector<detail::Parent> parents(kSize);
  std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    parents[rank] = {&halves[rank % 2], nullptr, 0};
    return make_inter(*channels[rank], bridges[rank], process, parents[rank], 3, &process.made);
  });
  for (std::int32_t rank = 0; rank < kSize; ++rank) {
    const detail::CreationResult &made = job.process(rank).made;
    ASSERT_EQ(statuses[static_cast<std::size_t>(rank)], AVRM_OK);
    ASSERT_EQ(made.context, job.process(0).made.context);
    ASSERT_EQ(made.remote->size, kSize / 2);
    ASSERT_EQ(avrm_rankmap_gpid(made.remote.get(), 7).lpid, 14 + (rank + 1) % 2);
  }
  EXPECT_EQ(job.cost().map_bytes_most, 56u);
  const std::uint64_t messages_of_inter = job.cost().messages;
  for (std::int32_t rank = 0; rank < kSize; ++rank) {
    job.process(rank).made.map = nullptr;
    job.process(rank).made.remote = nullptr;
  }
  statuses = job.run([&](SimProcess &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    parents[rank] = {&halves[rank % 2], &halves[1 - rank % 2], 9};
    return make_merged(*channels[rank], bridges[rank], process, parents[rank], rank % 2 == 0, &process.made);
  });
  for (std::int32_t rank = 0; rank < kSize; ++rank) {
    const detail::CreationResult &made = job.process(rank).made;
    ASSERT_EQ(statuses[static_cast<std::size_t>(rank)], AVRM_OK);
    ASSERT_EQ(made.map->size, kSize);
    ASSERT_EQ(avrm_rankmap_gpid(made.map.get(), made.rank).lpid, rank);
    ASSERT_EQ(avrm_rankmap_gpid(made.map.get(), 3).lpid, 7);
  }
  EXPECT_LE(job.cost().map_bytes_most, 128u);
  const std::uint64_t messages_of_merge = job.cost().messages;
  job.forget();
  // The same at once.
  statuses = job.run([&](SimProcess &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    parents[rank] = {&halves[rank % 2], nullptr, 0};
    return make_united(*channels[rank], bridges[rank], process, parents[rank], rank % 2 == 0, 3, &process.made);
  });
  for (std::int32_t rank = 0; rank < kSize; ++rank) {
    const detail::CreationResult &made = job.process(rank).made;
    ASSERT_EQ(statuses[static_cast<std::size_t>(rank)], AVRM_OK);
    ASSERT_EQ(made.context, job.process(0).made.context);
    ASSERT_EQ(made.remote, nullptr);
    ASSERT_EQ(avrm_rankmap_gpid(made.map.get(), made.rank).lpid, rank);
    ASSERT_EQ(avrm_rankmap_gpid(made.map.get(), 3).lpid, 7);
  }
  EXPECT_LE(job.cost().map_bytes_most, 128u);
  EXPECT_LT(job.cost().messages, messages_of_inter + messages_of_merge);
  EXPECT_LE(job.cost().frame_bytes, detail::FrameStack::kBytes * 9 / 10);
  job.forget();
  avrm_rankmap_destroy(&halves[0]);
  avrm_rankmap_destroy(&halves[1]);
}

// One leader has several pieces to say, the other less than one.
TEST(SimulatedCreation, IntercommunicatorsOfGroupsOfManyRunsKeepTheirOrder) {
  constexpr std::int32_t kMany = 200000;
  Simulator job(2);
  std::vector<std::int32_t> lpids(kMany);
  std::generate(lpids.begin(), lpids.end(), [next = 0]() mutable { return 2 * next++; });
  std::shuffle(lpids.begin(), lpids.end(), seeded_engine());
  const std::int32_t few[] = {7, 3, 5};
  avrm_rankmap_t groups[2] = {};
  ASSERT_EQ(avrm_rankmap_create_lpids(job.instance(), 0, kMany, lpids.data(), AVRM_RANKMAP_DEFAULT, &groups[0]),
            AVRM_OK);
  ASSERT_EQ(avrm_rankmap_create_lpids(job.instance(), 0, 3, few, AVRM_RANKMAP_DEFAULT, &groups[1]), AVRM_OK);
  const detail::Parent parents[] = {{&groups[0], nullptr, 0}, {&groups[1], nullptr, 0}};
  std::vector<std::unique_ptr<detail::Channel>> channels;
  std::vector<detail::Bridge> bridges;
  for (const std::int32_t rank : {0, 1}) {
    channels.push_back(std::make_unique<detail::RangeChannel>(job.process(rank), rank, 1));
    bridges.push_back({0, &job.process(rank), 1 - rank});
  }
  const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    return make_inter(*channels[rank], bridges[rank], process, parents[rank], 3, &process.made);
  });
  EXPECT_EQ(statuses, std::vector<avrm_status_t>(2, AVRM_OK));
  const avrm_rankmap_t *const heard = job.process(1).made.remote.get();
  ASSERT_EQ(heard->size, kMany);
  for (std::int32_t rank = 0; rank < kMany; ++rank) {
    ASSERT_EQ(avrm_rankmap_gpid(heard, rank).lpid, lpids[static_cast<std::size_t>(rank)]);
  }
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(avrm_rankmap_gpid(job.process(0).made.remote.get(), rank).lpid, few[rank]);
  }
  job.forget();
  avrm_rankmap_destroy(&groups[0]);
  avrm_rankmap_destroy(&groups[1]);
}

} // namespace
} // namespace avrankmap::test
