// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks, nodes, cards and fences of jobs in which no process dies.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "avrankmap/device/boot.h"
#include "tests/device/launch/job.h"

namespace {

using avrankmap::test::fetch;
using avrankmap::test::Job;
using avrankmap::test::options_of;
using avrankmap::test::publish;
using avrankmap::test::run_job;
using avrankmap::test::Shared;

class BootForkOfSize : public testing::TestWithParam<std::int32_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, BootForkOfSize, testing::Values(1, 2, 16, 64));

TEST_P(BootForkOfSize, EachProcessHasItsRank) {
  const Shared<std::atomic<std::uint64_t>> ranks;
  const Job job = run_job(options_of(GetParam()), [&](avrm_boot_t *boot) {
    AVRM_EXPECT(avrm_boot_size(boot) == GetParam());
    AVRM_EXPECT(avrm_boot_kind(boot) == std::string_view("fork"));
    *ranks |= std::uint64_t{1} << avrm_boot_rank(boot);
    return 0;
  });
  EXPECT_TRUE(job.passed());
  EXPECT_EQ(*ranks, ~std::uint64_t{0} >> (64 - GetParam()));
}

TEST_P(BootForkOfSize, EveryCardReachesEveryProcess) {
  const auto text = [](std::int32_t rank) { return std::string(static_cast<std::size_t>(rank) * 7 % 100, 'x'); };
  const Job job = run_job(options_of(GetParam()), [&](avrm_boot_t *boot) {
    const std::int32_t rank = avrm_boot_rank(boot);
    AVRM_EXPECT(publish(boot, 0, std::to_string(rank) + text(rank)) == AVRM_OK);
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    for (std::int32_t peer = 0; peer < avrm_boot_size(boot); ++peer) {
      AVRM_EXPECT(fetch(boot, peer, 0) == std::to_string(peer) + text(peer));
    }
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST_P(BootForkOfSize, NobodyLeavesAFenceBeforeAllHaveReachedIt) {
  const Shared<std::atomic<std::int64_t>> reached;
  const Job job = run_job(options_of(GetParam()), [&](avrm_boot_t *boot) {
    for (std::int64_t round = 1; round <= 200; ++round) {
      ++*reached;
      AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
      AVRM_EXPECT(*reached >= round * avrm_boot_size(boot));
      AVRM_EXPECT(*reached < (round + 1) * avrm_boot_size(boot) + (avrm_boot_size(boot) == 1));
    }
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST_P(BootForkOfSize, NodesAreFilledInTheOrderOfRanks) {
  for (const std::int32_t per_node : {1, 3, 4, 64, 1000}) {
    avrm_fork_options_t options = options_of(GetParam());
    options.per_node = per_node;
    const Job job = run_job(options, [&](avrm_boot_t *boot) {
      const std::int32_t node = avrm_boot_rank(boot) / per_node;
      AVRM_EXPECT(avrm_boot_node(boot) == static_cast<std::uint32_t>(node));
      AVRM_EXPECT(avrm_boot_local_rank(boot) == avrm_boot_rank(boot) % per_node);
      AVRM_EXPECT(avrm_boot_local_size(boot) == std::min(per_node, avrm_boot_size(boot) - node * per_node));
      return 0;
    });
    EXPECT_TRUE(job.passed()) << per_node << " per node";
  }
}

TEST(BootFork, AllProcessesAreOnOneNodeUnlessToldOtherwise) {
  const Job job = run_job(options_of(5), [](avrm_boot_t *boot) {
    AVRM_EXPECT(avrm_boot_node(boot) == 0);
    AVRM_EXPECT(avrm_boot_local_rank(boot) == avrm_boot_rank(boot));
    AVRM_EXPECT(avrm_boot_local_size(boot) == 5);
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootFork, CardsHaveZeroTo1024Bytes) {
  const Job job = run_job(options_of(2), [](avrm_boot_t *boot) {
    const std::string sizes[] = {
        "", "1", "1234567", "12345678", "123456789", std::string(1023, 'y'), std::string(1024, 'z')};
    for (std::int32_t slot = 0; slot < 7; ++slot) {
      AVRM_EXPECT(publish(boot, slot, sizes[slot]) == AVRM_OK);
    }
    AVRM_EXPECT(avrm_boot_publish(boot, 7, nullptr, 0) == AVRM_OK);
    AVRM_EXPECT(publish(boot, 8, std::string(1025, 'z')) == AVRM_ERR_SIZE);
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    const std::int32_t peer = 1 - avrm_boot_rank(boot);
    for (std::int32_t slot = 0; slot < 7; ++slot) {
      AVRM_EXPECT(fetch(boot, peer, slot) == sizes[slot]);
    }
    std::size_t none = 0;
    AVRM_EXPECT(avrm_boot_fetch(boot, peer, 7, nullptr, &none) == AVRM_OK && none == 0);
    AVRM_EXPECT(fetch(boot, peer, 8) == "AVRM_ERR_PEER");
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootFork, AFenceThatIsTestedIsOverWhenTheLastHasStartedIt) {
  const Job job = run_job(options_of(3), [](avrm_boot_t *boot) {
    for (std::int32_t round = 0; round < 20; ++round) {
      // The last process publishes a card, which nobody can see before the fence.
      if (avrm_boot_rank(boot) == round % 3) {
        AVRM_EXPECT(publish(boot, round, "here") == AVRM_OK);
      }
      AVRM_EXPECT(avrm_boot_fence_start(boot) == AVRM_OK);
      for (bool done = false; !done;) {
        AVRM_EXPECT(avrm_boot_fence_test(boot, &done) == AVRM_OK);
      }
      AVRM_EXPECT(fetch(boot, round % 3, round) == "here");
    }
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootFork, AFenceThatIsTestedIsNotOverBeforeEverybodyHasCome) {
  const Job job = run_job(options_of(2), [](avrm_boot_t *boot) {
    if (avrm_boot_rank(boot) == 1) {
      while (fetch(boot, 0, 0) != "tested") {
      }
    }
    AVRM_EXPECT(avrm_boot_fence_start(boot) == AVRM_OK);
    bool done = true;
    if (avrm_boot_rank(boot) == 0) {
      AVRM_EXPECT(avrm_boot_fence_test(boot, &done) == AVRM_OK && !done);
      AVRM_EXPECT(publish(boot, 0, "tested") == AVRM_OK);
    }
    do {
      AVRM_EXPECT(avrm_boot_fence_test(boot, &done) == AVRM_OK);
    } while (!done);
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootFork, SlotsAreIndependent) {
  const Job job = run_job(options_of(3), [](avrm_boot_t *boot) {
    for (std::int32_t slot = avrm_boot_rank(boot) % 2; slot < AVRM_BOOT_SLOTS; slot += 2) {
      AVRM_EXPECT(publish(boot, slot, std::to_string(slot * 10 + avrm_boot_rank(boot))) == AVRM_OK);
    }
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    for (std::int32_t peer = 0; peer < 3; ++peer) {
      for (std::int32_t slot = 0; slot < AVRM_BOOT_SLOTS; ++slot) {
        const bool published = slot % 2 == peer % 2;
        AVRM_EXPECT(fetch(boot, peer, slot) == (published ? std::to_string(slot * 10 + peer) : "AVRM_ERR_PEER"));
      }
    }
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootFork, ASecondCardReplacesTheFirst) {
  const Job job = run_job(options_of(2), [](avrm_boot_t *boot) {
    const std::int32_t peer = 1 - avrm_boot_rank(boot);
    for (int round = 0; round < 100; ++round) {
      const std::string card(static_cast<std::size_t>(round) * 10, static_cast<char>('a' + round % 26));
      AVRM_EXPECT(publish(boot, 0, card) == AVRM_OK);
      AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
      AVRM_EXPECT(fetch(boot, peer, 0) == card);
      AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    }
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

TEST(BootFork, ThreadsMayFetchAtTheSameTime) {
  const Job job = run_job(options_of(4), [](avrm_boot_t *boot) {
    AVRM_EXPECT(publish(boot, 0, std::to_string(avrm_boot_rank(boot))) == AVRM_OK);
    AVRM_EXPECT(avrm_boot_fence(boot) == AVRM_OK);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (std::int32_t i = 0; i < 1000; ++i) {
          wrong += fetch(boot, i % 4, 0) != std::to_string(i % 4) || avrm_boot_has_failed(boot, i % 4);
        }
      });
    }
    // Others publish meanwhile. Every card that is read is complete.
    for (int i = 0; i < 1000; ++i) {
      AVRM_EXPECT(publish(boot, 0, std::to_string(avrm_boot_rank(boot))) == AVRM_OK);
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    AVRM_EXPECT(wrong == 0);
    return 0;
  });
  EXPECT_TRUE(job.passed());
}

class BootSingleton : public testing::Test {
protected:
  void SetUp() override {
    // The test may itself run below a launcher.
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_RANK");
    ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
  }
  void TearDown() override { avrm_boot_close(boot); }

  avrm_boot_t *boot = nullptr;
};

TEST_F(BootSingleton, IsAJobOfOneProcess) {
  EXPECT_STREQ(avrm_boot_kind(boot), "singleton");
  EXPECT_EQ(avrm_boot_rank(boot), 0);
  EXPECT_EQ(avrm_boot_size(boot), 1);
  EXPECT_EQ(avrm_boot_node(boot), 0U);
  EXPECT_EQ(avrm_boot_local_rank(boot), 0);
  EXPECT_EQ(avrm_boot_local_size(boot), 1);
  EXPECT_EQ(avrm_boot_failures(boot), 0U);
  EXPECT_FALSE(avrm_boot_has_failed(boot, 0));
}

TEST_F(BootSingleton, FindsItsOwnCards) {
  EXPECT_EQ(publish(boot, 0, "mine"), AVRM_OK);
  EXPECT_EQ(avrm_boot_fence(boot), AVRM_OK);
  EXPECT_EQ(avrm_boot_fence(boot), AVRM_OK);
  EXPECT_EQ(fetch(boot, 0, 0), "mine");
  EXPECT_EQ(fetch(boot, 0, 1), "AVRM_ERR_PEER");
}

TEST_F(BootSingleton, MayBeOpenedTwice) {
  avrm_boot_t *other = nullptr;
  ASSERT_EQ(avrm_boot_open(&other), AVRM_OK);
  EXPECT_EQ(publish(other, 0, "its own"), AVRM_OK);
  EXPECT_EQ(fetch(boot, 0, 0), "AVRM_ERR_PEER");
  avrm_boot_close(other);
}

TEST_F(BootSingleton, ClosingNullDoesNothing) { avrm_boot_close(nullptr); }

TEST_F(BootSingleton, BadArgumentsAreStatusesAndChangeNothing) {
  char card[8] = "before!";
  std::size_t bytes = sizeof card;
  EXPECT_EQ(avrm_boot_open(nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_fence(nullptr), AVRM_ERR_NULL);
  bool done = false;
  EXPECT_EQ(avrm_boot_fence_start(nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_fence_test(nullptr, &done), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_fence_test(boot, nullptr), AVRM_ERR_NULL);

  EXPECT_EQ(avrm_boot_publish(nullptr, 0, card, 1), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_publish(boot, 0, nullptr, 1), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_publish(boot, -1, card, 1), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_boot_publish(boot, 256, card, 1), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_boot_publish(boot, 0, card, 1025), AVRM_ERR_SIZE);
  EXPECT_EQ(fetch(boot, 0, 0), "AVRM_ERR_PEER");

  ASSERT_EQ(publish(boot, 0, "123456789"), AVRM_OK);
  EXPECT_EQ(avrm_boot_fetch(nullptr, 0, 0, card, &bytes), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_fetch(boot, 0, 0, nullptr, &bytes), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_fetch(boot, 0, 0, card, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_boot_fetch(boot, -1, 0, card, &bytes), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_boot_fetch(boot, 1, 0, card, &bytes), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_boot_fetch(boot, 0, -1, card, &bytes), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_boot_fetch(boot, 0, 256, card, &bytes), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_boot_fetch(boot, 0, 0, card, &bytes), AVRM_ERR_SIZE);
  EXPECT_EQ(bytes, sizeof card);
  EXPECT_STREQ(card, "before!");

  EXPECT_FALSE(avrm_boot_has_failed(boot, -1));
  EXPECT_FALSE(avrm_boot_has_failed(boot, 1));
}

TEST(BootPmix, ALauncherThatDoesNotAnswerIsAnError) {
  avrm_boot_t *boot = nullptr;
  setenv("PMIX_NAMESPACE", "nobody", 1);
  setenv("PMIX_RANK", "0", 1);
  EXPECT_EQ(avrm_boot_open(&boot), AVRM_ERR_BOOT);
  EXPECT_EQ(boot, nullptr);
  unsetenv("PMIX_NAMESPACE");
  unsetenv("PMIX_RANK");
}

} // namespace
