// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines with exceptions, against the list of these lpids.
#include "av/line_exceptions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using detail::LineExceptions;

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kSteps[] = {1, -1, 3, -77, 4096, -65536};

struct Stretch {
  std::int64_t first;
  std::int64_t end;
};
using Stretches = std::vector<Stretch>;

avrm_line_t line_of(const Stretches &stretches, std::int64_t step, std::int32_t size) {
  LineExceptions exceptions;
  for (const Stretch &stretch : stretches) {
    exceptions.add(static_cast<std::uint32_t>(stretch.first), static_cast<std::uint32_t>(stretch.end));
  }
  const std::optional<avrm_line_t> line = exceptions.line(0x123456789abc, step, size);
  EXPECT_TRUE(line.has_value());
  return line.value_or(avrm_line_t{});
}

bool is_exception(const avrm_line_t &line, std::int64_t lpid) {
  std::uint64_t word = 0;
  const bool found = avrm_i_word_on(&line, lpid, &word);
  EXPECT_EQ(word, line.word + static_cast<std::uint64_t>(lpid * line.step));
  return !found;
}

// Lpids near the ends of the stretches, the first and the last ones, and random ones.
std::vector<std::int64_t> interesting(const Stretches &stretches, std::int32_t size) {
  std::vector<std::int64_t> lpids;
  const auto add_near = [&](std::int64_t lpid) {
    for (std::int64_t i = std::max<std::int64_t>(0, lpid - 2); i < std::min<std::int64_t>(size, lpid + 3); ++i) {
      lpids.push_back(i);
    }
  };
  add_near(0);
  add_near(size - 1);
  for (const Stretch &stretch : stretches) {
    add_near(stretch.first);
    add_near(stretch.end);
  }
  std::mt19937_64 engine = seeded_engine();
  for (int i = 0; i < 100; ++i) {
    lpids.push_back(static_cast<std::int64_t>(below(engine, static_cast<std::uint64_t>(size))));
  }
  return lpids;
}

void expect_exact(const Stretches &stretches, std::int32_t size) {
  for (const std::int64_t step : kSteps) {
    const avrm_line_t line = line_of(stretches, step, size);
    for (const std::int64_t lpid : interesting(stretches, size)) {
      const bool inside = std::any_of(stretches.begin(), stretches.end(),
                                      [&](const Stretch &s) { return s.first <= lpid && lpid < s.end; });
      ASSERT_EQ(is_exception(line, lpid), inside) << "lpid " << lpid << " of " << size << ", step " << step;
    }
  }
}

// The processes first, first + 1, ... of node `node` of `nodes`, `block` at a time.
Stretches dealt_out(std::int64_t node, std::int64_t nodes, std::int64_t block, std::int32_t size) {
  Stretches stretches;
  for (std::int64_t first = node * block; first < size; first += nodes * block) {
    stretches.push_back({first, std::min<std::int64_t>(size, first + block)});
  }
  return stretches;
}

TEST(LineExceptions, OfNothingIsNowhere) {
  expect_exact({}, 1);
  expect_exact({}, 1000);
  expect_exact({}, kMost);
}

TEST(LineExceptions, OfOneStretchIsExact) {
  expect_exact({{0, 1}}, 1);
  expect_exact({{0, 128}}, 1000);
  expect_exact({{384, 512}}, 1000);
  expect_exact({{872, 1000}}, 1000);
  expect_exact({{0, 1000}}, 1000);
  expect_exact({{500, 501}}, 1000);
  expect_exact({{0, kMost}}, kMost);
  expect_exact({{kMost - 128, kMost}}, kMost);
  expect_exact({{1 << 30, (1 << 30) + 128}}, kMost);
}

TEST(LineExceptions, OfAdjacentStretchesIsOfOne) { expect_exact({{100, 200}, {200, 201}, {201, 300}}, 1000); }

TEST(LineExceptions, OfACyclicLayoutIsExact) {
  for (const std::int64_t nodes : {2, 3, 5, 64, 499, 500}) {
    for (const std::int64_t node : {std::int64_t{0}, nodes / 2, nodes - 1}) {
      for (const std::int64_t block : {1, 2, 16}) {
        expect_exact(dealt_out(node, nodes, block, 1000), 1000);
        expect_exact(dealt_out(node, nodes, block, 1003), 1003);
      }
    }
  }
}

TEST(LineExceptions, OfACyclicLayoutOfTheLargestJobIsExact) {
  constexpr std::int32_t kProcesses = 786432;
  expect_exact(dealt_out(6143, 6144, 1, kProcesses), kProcesses);
  expect_exact(dealt_out(17, 6144, 8, kProcesses), kProcesses);
  // Where steps are large, a stretch of each period may be too fine: nothing is wrong then.
  const Stretches few = dealt_out(1000, 1 << 22, 1, kMost);
  const avrm_line_t line = line_of(few, 1, kMost);
  for (const std::int64_t lpid : interesting(few, kMost)) {
    ASSERT_EQ(is_exception(line, lpid), lpid % (1 << 22) == 1000) << lpid;
  }
}

TEST(LineExceptions, OfAnIrregularLayoutHasAllThatIsInIt) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 200; ++round) {
    Stretches stretches;
    std::int64_t at = 0;
    while (stretches.size() < 1 + below(engine, 6)) {
      at += 1 + static_cast<std::int64_t>(below(engine, 200));
      const auto count = static_cast<std::int64_t>(1 + below(engine, 30));
      stretches.push_back({at, at + count});
      at += count;
    }
    const auto size = static_cast<std::int32_t>(at + static_cast<std::int64_t>(below(engine, 100)));
    for (const std::int64_t step : kSteps) {
      const avrm_line_t line = line_of(stretches, step, size);
      for (const Stretch &stretch : stretches) {
        for (std::int64_t lpid = stretch.first; lpid < stretch.end; ++lpid) {
          ASSERT_TRUE(is_exception(line, lpid)) << lpid;
        }
      }
    }
  }
}

TEST(LineExceptions, OfEqualWordsIsOfNoLine) {
  LineExceptions exceptions;
  EXPECT_TRUE(exceptions.line(7, 0, 10).has_value());
  exceptions.add(3, 4);
  EXPECT_FALSE(exceptions.line(7, 0, 10).has_value());
}

TEST(LineExceptions, OfWordsAcrossMoreThanAnEighthOfAllNumbersIsOfNoLine) {
  constexpr std::int64_t kEighth = std::int64_t{1} << 45;
  for (const std::int64_t step : {kEighth, -kEighth}) {
    LineExceptions exceptions;
    EXPECT_TRUE(exceptions.line(1, 2 * step, 65536).has_value());
    exceptions.add(100, 200);
    EXPECT_TRUE(exceptions.line(1, step, 65536).has_value());
    EXPECT_FALSE(exceptions.line(1, step, 65537).has_value());
    EXPECT_FALSE(exceptions.line(1, 2 * step, 65536).has_value());
  }
}

TEST(LineExceptions, IsEverywhereWithTheGreatestLimit) {
  for (const Stretches &stretches : {Stretches{}, Stretches{{5, 9}}, dealt_out(3, 7, 2, 100)}) {
    for (const std::int64_t step : kSteps) {
      avrm_line_t line = line_of(stretches, step, 100);
      line.limit = ~std::uint64_t{0};
      for (std::int64_t lpid = 0; lpid < 100; ++lpid) {
        ASSERT_TRUE(is_exception(line, lpid));
      }
    }
  }
}

} // namespace
} // namespace avrankmap::test
