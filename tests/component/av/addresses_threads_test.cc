// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Further addresses are read while they are set and while peers move. Meant for ThreadSanitizer,
// too: the reader shares nothing but the library with the writer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "tests/component/av/further.h"

namespace avrankmap::test {

namespace {

constexpr std::int32_t kSize = 500;
constexpr std::int32_t kCount = 12;

std::uint64_t first_address(std::int32_t lpid) { return 10 + 3 * number(lpid); }

// Calls change() while another thread calls look(), which returns the number of words that are
// wrong.
template <typename Change, typename Look> void expect_right_while(Change change, Look look) {
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      wrong.fetch_add(look(), std::memory_order_relaxed);
      rounds.fetch_add(1, std::memory_order_relaxed);
    }
  });
  while (rounds.load(std::memory_order_relaxed) == 0) {
    std::this_thread::yield();
  }
  change();
  stop.store(true, std::memory_order_relaxed);
  reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

// Whether inline and checked functions both return `right`, or that there is no such word if it may
// be missing.
bool reads(const AvPtr &av, std::int32_t lpid, std::int32_t k, std::uint64_t right, bool may_be_missing) {
  std::uint64_t address = 0;
  const avrm_status_t status = avrm_addresses_get(av.get(), lpid, k, &address);
  if (status == AVRM_OK ? address != right : !may_be_missing) {
    return false;
  }
  const std::uint64_t word0 = avrm_ave_word(avrm_av_ave(av.get(), lpid));
  if (!avrm_ofi_is_network(word0)) {
    return true;
  }
  const std::uint64_t word = avrm_addresses_word(av.get(), lpid, word0, static_cast<std::size_t>(k));
  return word == 0 ? may_be_missing : avrm_ofi_address(word) == right;
}

std::uint64_t irregular(std::int32_t lpid, std::int32_t k) {
  return (number(lpid * kCount + k) * 0x9e3779b97f4a7c15) >> 9;
}
std::uint64_t after_first(std::int32_t lpid, std::int32_t k) { return first_address(lpid) + 5000 * number(k); }
std::uint64_t by_lpid(std::int32_t lpid, std::int32_t k) { return 7 + 40 * number(lpid) + number(k); }

struct Pattern {
  const char *name;
  std::uint64_t (*address)(std::int32_t lpid, std::int32_t k);
};

class AddressesThreads : public testing::TestWithParam<Pattern> {
protected:
  AddressesThreads() : av(make_av(instance, kSize)) { connect(av, first_address); }

  void set_everything(std::int32_t at_a_time) {
    for (std::int32_t k = 1; k < kCount; ++k) {
      for (std::int32_t lpid = 0; lpid < kSize; lpid += at_a_time) {
        std::vector<std::uint64_t> addresses;
        for (std::int32_t i = lpid; i < std::min(kSize, lpid + at_a_time); ++i) {
          addresses.push_back(GetParam().address(i, k));
        }
        require(avrm_addresses_set(av.get(), k, lpid, static_cast<std::int32_t>(addresses.size()), addresses.data()));
      }
    }
  }

  int wrong(bool may_be_missing) const {
    int count = 0;
    for (std::int32_t lpid = 0; lpid < kSize; lpid += 7) {
      for (std::int32_t k = 1; k < kCount; ++k) {
        count += reads(av, lpid, k, GetParam().address(lpid, k), may_be_missing) ? 0 : 1;
      }
    }
    return count;
  }

  Instance instance;
  AvPtr av;
};

constexpr Pattern kPatterns[] = {{"AfterFirst", after_first}, {"ByLpid", by_lpid}, {"Irregular", irregular}};

INSTANTIATE_TEST_SUITE_P(All, AddressesThreads, testing::ValuesIn(kPatterns),
                         [](const auto &param) { return param.param.name; });

TEST_P(AddressesThreads, WordsAreReadWhileTheyAreSetOneByOne) {
  expect_right_while([this] { set_everything(1); }, [this] { return wrong(true); });
  EXPECT_EQ(wrong(false), 0);
}

TEST_P(AddressesThreads, WordsAreReadWhileTheyAreSetInParts) {
  expect_right_while([this] { set_everything(100); }, [this] { return wrong(true); });
  EXPECT_EQ(wrong(false), 0);
}

// Word 0 comes, moves and goes; the others stay.
TEST_P(AddressesThreads, WordsStayRightWhilePeersMove) {
  set_everything(kSize);
  const auto move = [this] {
    for (std::int32_t round = 0; round < 4; ++round) {
      for (std::int32_t lpid = 0; lpid < kSize; lpid += 14) {
        const avrm_ave_t ave = round % 2 == 0 ? at_address(first_address(lpid) + 1 + number(round), 0) : avrm_ave_t{};
        require(avrm_av_set(av.get(), lpid, &ave));
      }
    }
  };
  expect_right_while(move, [this] { return wrong(false); });
}

TEST(AddressesThreadsDeclared, WordsFollowWordZeroWhilePeersAreConnected) {
  const Instance instance;
  const AvPtr av = make_av(instance, kSize);
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 5000, 0, 0};
  require(avrm_addresses_declare(av.get(), kCount, &rule));
  const auto connect_one_by_one = [&] {
    for (std::int32_t lpid = 0; lpid < kSize; ++lpid) {
      const avrm_ave_t ave = at_address(first_address(lpid), 0);
      require(avrm_av_set(av.get(), lpid, &ave));
    }
  };
  expect_right_while(connect_one_by_one, [&] {
    int wrong = 0;
    for (std::int32_t lpid = 0; lpid < kSize; ++lpid) {
      wrong += reads(av, lpid, 1 + lpid % (kCount - 1), after_first(lpid, 1 + lpid % (kCount - 1)), true) ? 0 : 1;
    }
    return wrong;
  });
}

} // namespace

} // namespace avrankmap::test
