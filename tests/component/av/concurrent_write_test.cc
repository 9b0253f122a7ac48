// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Real threads on one element, at addresses where a word is hardest to read atomically.
// publish_test.cc covers orders of loads and stores that this machine may never show.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <ostream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/support/codec.h"
#include "tests/support/instance.h"

namespace avrankmap::test {

namespace {

// Large enough for pages of its own, hence the header at the start of a page.
constexpr std::int32_t kSize = 100000;

struct Place {
  const char *name;
  std::int32_t lpid;
};

// An element is 12 bytes, the first one at byte 64.
constexpr Place kPlaces[] = {
    {"Aligned", 0},        // byte 64
    {"Misaligned", 1},     // byte 76: not a multiple of 8
    {"StraddlesLine", 5},  // byte 124: halves in two cache lines
    {"StraddlesPage", 677} // byte 8188: halves in two pages
};

void PrintTo(const Place &place, std::ostream *out) { *out << place.name; }

// Addresses of which both halves differ, only the low ones, and only the high ones; connecting and
// disconnecting.
std::vector<avrm_ave_t> cycle_of(const Codec &codec) {
  const std::uint64_t a = 0x111122223334;
  const std::uint64_t b = 0x555566667778;
  return {network(codec, a), network(codec, b), network(codec, b ^ 0x10),
          network(codec, b ^ 0x10 ^ (std::uint64_t{1} << 32)), avrm_ave_t{}};
}

class ConcurrentWrite : public testing::TestWithParam<std::tuple<const Codec *, Place>> {
protected:
  static const Codec &codec() { return *std::get<0>(GetParam()); }
  static std::int32_t lpid() { return std::get<1>(GetParam()).lpid; }
};

INSTANTIATE_TEST_SUITE_P(Places, ConcurrentWrite,
                         testing::Combine(testing::Values(&ofi_codec(), &ucx_codec()), testing::ValuesIn(kPlaces)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)->name) + std::get<1>(info.param).name;
                         });

TEST_P(ConcurrentWrite, ReadersSeeWholeValuesOnly) {
  constexpr int kRounds = 4000;
  const Instance instance;
  const AvPtr av = make_av(instance, kSize, codec().id);
  const MapPtr map =
      make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance, av->pgid, kSize, map_p); });
  require(avrm_rankmap_bind(map.get()));
  const std::vector<avrm_ave_t> cycle = cycle_of(codec());

  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> mix{0};
  const auto check = [&](std::uint64_t word) {
    bool known = is_unconnected(codec(), word);
    for (const avrm_ave_t &value : cycle) {
      known = known || word == avrm_ave_word(&value);
    }
    if (!known) {
      mix.store(word, std::memory_order_relaxed);
    }
  };
  std::thread by_map([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      check(avrm_rankmap_word(map.get(), lpid()));
    }
  });
  std::thread by_get([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      avrm_ave_t ave{};
      require(avrm_av_get(av.get(), lpid(), &ave));
      check(avrm_ave_word(&ave));
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    for (const avrm_ave_t &value : cycle) {
      require(avrm_av_set(av.get(), lpid(), &value));
    }
  }
  stop.store(true, std::memory_order_relaxed);
  by_map.join();
  by_get.join();
  EXPECT_EQ(mix.load(), 0U) << "a word that nobody wrote";
}

TEST(ConcurrentWriters, OfDifferentElementsAllSucceed) {
  constexpr int kThreads = 4;
  constexpr std::int32_t kElements = 4000;
  const Instance instance;
  const AvPtr av = make_av(instance, kElements);
  std::vector<std::thread> writers;
  writers.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&av, t] {
      for (std::int32_t lpid = t; lpid < kElements; lpid += kThreads) {
        const avrm_ave_t ave = ave_of({0, lpid});
        require(avrm_av_set(av.get(), lpid, &ave));
      }
    });
  }
  for (std::thread &writer : writers) {
    writer.join();
  }
  for (std::int32_t lpid = 0; lpid < kElements; ++lpid) {
    ASSERT_EQ(*avrm_av_ave(av.get(), lpid), ave_of({0, lpid})) << lpid;
  }
}

TEST(ConcurrentWriters, OfOneElementLeaveTheValueOfOneOfThem) {
  constexpr int kRounds = 500;
  const Instance instance;
  const AvPtr av = make_av(instance, 10);
  const std::vector<avrm_ave_t> cycle = cycle_of(ofi_codec());
  std::vector<std::thread> writers;
  for (std::size_t t = 0; t < 3; ++t) {
    avrm_ave_t value = cycle[t];
    value.w[2] = static_cast<std::uint32_t>(t);
    writers.emplace_back([&av, value] {
      for (int round = 0; round < kRounds; ++round) {
        require(avrm_av_set(av.get(), 5, &value));
      }
    });
  }
  for (std::thread &writer : writers) {
    writer.join();
  }
  avrm_ave_t last{};
  require(avrm_av_get(av.get(), 5, &last));
  ASSERT_LT(last.w[2], 3U);
  EXPECT_EQ(avrm_ave_word(&last), avrm_ave_word(&cycle[last.w[2]]));
}

} // namespace

} // namespace avrankmap::test
