// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/failed_processes.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

class Dead {
public:
  explicit Dead(std::int32_t size)
      : words_(detail::FailedProcesses::bytes(size) / sizeof(std::uint64_t)),
        failures(reinterpret_cast<std::byte *>(words_.data()), size) {}

private:
  std::vector<std::uint64_t> words_;

public:
  detail::FailedProcesses failures;
};

// At sizes where levels of bits begin.
TEST(FailedProcesses, TheNextOneIsTheFirstThatIsMarkedFromThereOn) {
  std::mt19937_64 random = seeded_engine();
  for (const std::int32_t size : {1, 2, 63, 64, 65, 4095, 4096, 4097, 262144, 262145, 20000000}) {
    const Dead dead(size);
    std::set<std::int32_t> twin;
    EXPECT_EQ(dead.failures.next(0), size);
    for (int round = 0; round < 60; ++round) {
      const auto rank = round == 0   ? size - 1
                        : round == 1 ? 0
                                     : static_cast<std::int32_t>(below(random, static_cast<std::uint64_t>(size)));
      dead.failures.mark(rank);
      twin.insert(rank);
      ASSERT_EQ(dead.failures.count(), twin.size());
      std::vector<std::int32_t> found;
      for (std::int32_t at = dead.failures.next(0); at < size; at = dead.failures.next(at + 1)) {
        found.push_back(at);
      }
      ASSERT_EQ(found, std::vector<std::int32_t>(twin.begin(), twin.end())) << size << " processes";
      const auto from = static_cast<std::int32_t>(below(random, static_cast<std::uint64_t>(size)));
      ASSERT_EQ(dead.failures.next(from), *twin.lower_bound(from));
    }
  }
}

TEST(FailedProcesses, IfOnlyOneLivesAllOthersFollowOneAnother) {
  const Dead dead(5);
  dead.failures.mark_all_but(3);
  std::vector<std::int32_t> found;
  for (std::int32_t at = dead.failures.next(0); at < 5; at = dead.failures.next(at + 1)) {
    found.push_back(at);
  }
  EXPECT_EQ(found, (std::vector<std::int32_t>{0, 1, 2, 4}));
}

TEST(FailedProcesses, ASixtyThirdMoreThanABitPerProcess) {
  EXPECT_EQ(detail::FailedProcesses::bytes(0), 8U);
  EXPECT_EQ(detail::FailedProcesses::bytes(64), 16U);
  EXPECT_EQ(detail::FailedProcesses::bytes(65), 32U);
  EXPECT_LE(detail::FailedProcesses::bytes(2147483647), (std::size_t{1} << 28) * 64 / 63 + 64);
}

} // namespace
} // namespace avrankmap::test
