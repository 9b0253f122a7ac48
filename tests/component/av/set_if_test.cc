// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements that are written only if nobody has changed them: avrm_av_set_if.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "tests/component/av/layouts.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

class AvSetIf : public testing::TestWithParam<avrm_av_kind_t> {
protected:
  AvPtr make(std::int32_t size) {
    return GetParam() == AVRM_AV_IMPLICIT ? make_implicit_av(instance, size) : make_av(instance, size);
  }
  static void set(const AvPtr &av, std::int32_t lpid, const avrm_ave_t &ave) {
    require(avrm_av_set(av.get(), lpid, &ave));
  }
  static std::uint64_t set_if(const AvPtr &av, std::int32_t lpid, std::uint64_t expected, const avrm_ave_t &ave) {
    std::uint64_t found = 4711;
    require(avrm_av_set_if(av.get(), lpid, expected, &ave, &found));
    return found;
  }

  Instance instance;
};

INSTANTIATE_TEST_SUITE_P(Kinds, AvSetIf, testing::Values(AVRM_AV_TABLE, AVRM_AV_IMPLICIT),
                         [](const auto &info) { return info.param == AVRM_AV_TABLE ? "Table" : "Implicit"; });

TEST_P(AvSetIf, BadArgumentsAreRefused) {
  const AvPtr av = make(5);
  const avrm_ave_t ave = ave_of({0, 3});
  std::uint64_t found = 4711;
  EXPECT_EQ(avrm_av_set_if(nullptr, 0, 0, &ave, &found), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_set_if(av.get(), 0, 0, nullptr, &found), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_set_if(av.get(), 0, 0, &ave, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_set_if(av.get(), -1, 0, &ave, &found), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_av_set_if(av.get(), 5, 0, &ave, &found), AVRM_ERR_LPID);
  EXPECT_EQ(found, 4711U);
  EXPECT_EQ(element_of(av, 0), avrm_ave_t{});
}

TEST_P(AvSetIf, ConnectsAPeerThatIsNotConnected) {
  const AvPtr av = make(5);
  EXPECT_EQ(set_if(av, 3, 0, ave_of({0, 3})), 0U);
  EXPECT_EQ(element_of(av, 3), ave_of({0, 3}));
}

TEST_P(AvSetIf, ConnectsNobodyTwice) {
  const AvPtr av = make(5);
  set(av, 3, ave_of({0, 3}));
  EXPECT_EQ(set_if(av, 3, 0, ave_of({0, 4})), word_of({0, 3}));
  EXPECT_EQ(element_of(av, 3), ave_of({0, 3}));
}

TEST_P(AvSetIf, ReplacesTheWordThatIsExpected) {
  const AvPtr av = make(5);
  set(av, 3, ave_of({0, 3}));
  EXPECT_EQ(set_if(av, 3, word_of({0, 3}), ave_of({0, 4})), word_of({0, 3}));
  EXPECT_EQ(element_of(av, 3), ave_of({0, 4}));
}

TEST_P(AvSetIf, MindsTheWordAlone) {
  const AvPtr av = make(5);
  const avrm_ave_t node_only = {{0, 0, 77}};
  set(av, 0, node_only);
  EXPECT_EQ(set_if(av, 0, 0, ave_of({0, 3})), 0U);
  EXPECT_EQ(element_of(av, 0), ave_of({0, 3}));
}

TEST_P(AvSetIf, AgreesWithAPlainTable) {
  std::mt19937_64 engine = seeded_engine();
  const AvPtr av = make(20);
  Elements twin(20);
  const auto some_element = [&engine] {
    return below(engine, 4) == 0 ? avrm_ave_t{} : ave_of({0, static_cast<std::int32_t>(below(engine, 5))});
  };
  for (int step = 0; step < 3000; ++step) {
    const auto lpid = static_cast<std::int32_t>(below(engine, 20));
    avrm_ave_t &mine = twin[static_cast<std::size_t>(lpid)];
    const avrm_ave_t ave = some_element();
    if (below(engine, 3) == 0) {
      set(av, lpid, ave);
      mine = ave;
      continue;
    }
    const avrm_ave_t other = some_element();
    const std::uint64_t before = avrm_ave_word(&mine);
    const std::uint64_t expected = below(engine, 2) == 0 ? before : avrm_ave_word(&other);
    ASSERT_EQ(set_if(av, lpid, expected, ave), before);
    mine = before == expected ? ave : mine;
    ASSERT_EQ(element_of(av, lpid), mine) << "step " << step;
  }
}

// Each thread brings an address of its own for every peer.
TEST_P(AvSetIf, LetsOneOfManyThreadsConnectAPeer) {
  constexpr std::int32_t kPeers = 500;
  constexpr std::int32_t kThreads = 4;
  const AvPtr av = make(kPeers);
  std::vector<std::atomic<int>> winners(kPeers);
  std::atomic<int> wrong{0};
  std::atomic<std::int32_t> ready{0};
  const auto connect = [&](std::int32_t thread) {
    for (++ready; ready < kThreads;) {
      std::this_thread::yield();
    }
    for (std::int32_t lpid = 0; lpid < kPeers; ++lpid) {
      const avrm_ave_t own = ave_of({0, kThreads * lpid + thread});
      const std::uint64_t found = set_if(av, lpid, 0, own);
      winners[static_cast<std::size_t>(lpid)] += found == 0 ? 1 : 0;
      const avrm_ave_t now = element_of(av, lpid);
      wrong += avrm_ave_word(&now) == (found == 0 ? avrm_ave_word(&own) : found) ? 0 : 1;
    }
  };
  std::vector<std::thread> threads;
  for (std::int32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back(connect, i);
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong.load(), 0);
  for (const std::atomic<int> &count : winners) {
    ASSERT_EQ(count.load(), 1);
  }
}

TEST(AvSetIfOfAnImplicitAv, WithoutMemoryForItsTableChangesNothing) {
  CountingAllocator memory;
  const Instance instance{&memory};
  const AvPtr av = make_implicit_av(instance, 100);
  const avrm_ave_t ave = ave_of({0, 3});
  avrm_ave_t element = ave;
  std::uint64_t found = 4711;
  memory.refuse_after(0);
  EXPECT_EQ(avrm_av_set_if(av.get(), 50, 0, &ave, &found), AVRM_ERR_NO_MEMORY);
  memory.refuse_none();
  EXPECT_EQ(found, 4711U);
  require(avrm_av_get(av.get(), 50, &element));
  EXPECT_EQ(element, avrm_ave_t{});
}

} // namespace

} // namespace avrankmap::test
