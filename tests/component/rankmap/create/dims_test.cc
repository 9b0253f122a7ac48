// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Extents of grids: results of MPICH 4.0.2, the definition by trying all products, and errors.

#include "avrankmap/dims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tests/support/print.h"

namespace avrankmap::test {
namespace {

using Dims = std::vector<std::int32_t>;

// The extents, or nothing if they are refused; then none of them may have changed.
std::optional<Dims> dims_of(std::int32_t processes, const Dims &given, avrm_status_t expected = AVRM_OK) {
  Dims dims = given;
  const avrm_status_t status = avrm_dims_create(processes, static_cast<std::int32_t>(dims.size()), dims.data());
  EXPECT_EQ(status, expected) << processes << " " << testing::PrintToString(given);
  if (status != AVRM_OK) {
    EXPECT_EQ(dims, given);
    return std::nullopt;
  }
  return dims;
}

TEST(Dims, AreThoseOfMpich) {
  const struct {
    std::int32_t processes;
    Dims given;
    Dims answer;
  } kKnown[] = {
      {1, {0}, {1}},
      {1, {0, 0, 0}, {1, 1, 1}},
      {7, {0, 0}, {7, 1}},
      {12, {0, 0}, {4, 3}},
      {16, {0, 0}, {4, 4}},
      {80, {0, 0, 0}, {5, 4, 4}},
      {360, {0, 0, 0}, {10, 6, 6}}, // as far apart as 9, 8, 5
      {720, {0, 0, 0}, {10, 9, 8}},
      {1008, {0, 0, 0}, {12, 12, 7}},
      {1024, {0, 0, 0}, {16, 8, 8}},
      {1800, {0, 0, 0, 0}, {9, 8, 5, 5}},
      {3072, {0, 0, 0}, {16, 16, 12}},
      {4096, {0, 0}, {64, 64}},
      {4096, {0, 0, 0}, {16, 16, 16}},
      {4096, {0, 0, 0, 0}, {8, 8, 8, 8}},
      {5040, {0, 0, 0}, {21, 16, 15}}, // as far apart as 20, 18, 14
      {5040, {0, 0, 0, 0}, {10, 9, 8, 7}},
      {6144, {0, 0}, {96, 64}},
      {14000, {0, 0, 0}, {28, 25, 20}},
      {15120, {0, 0, 0, 0, 0}, {10, 7, 6, 6, 6}},
      {49152, {0, 0, 0, 0, 0}, {12, 8, 8, 8, 8}},
      {65536, {0, 0, 0}, {64, 32, 32}},
      {262144, {0, 0}, {512, 512}},
      {262144, {0, 0, 0}, {64, 64, 64}},
      {262144, {0, 0, 0, 0}, {32, 32, 16, 16}},
      {362880, {0, 0, 0, 0}, {28, 27, 24, 20}},
      {720720, {0, 0, 0, 0, 0}, {20, 18, 14, 13, 11}},
      {786432, {0, 0}, {1024, 768}},
      {786432, {0, 0, 0}, {128, 96, 64}},
      {786432, {0, 0, 0, 0}, {32, 32, 32, 24}},
      {1000000, {0, 0, 0}, {100, 100, 100}},
      {1000003, {0, 0}, {1000003, 1}},
      {16777216, {0, 0, 0}, {256, 256, 256}},
      {16777216, {0, 0, 0, 0}, {64, 64, 64, 64}},
      {1073741824, {0, 0, 0, 0, 0, 0, 0}, {32, 32, 16, 16, 16, 16, 16}},
      {6, {0, 3, 0}, {2, 3, 1}},
      {24, {0, 3, 0}, {4, 3, 2}},
      {24, {4, 0, 0}, {4, 3, 2}},
      {60, {0, 5, 0, 2}, {3, 5, 2, 2}},
      {80, {5, 0, 0}, {5, 4, 4}},
      {12, {3, 4}, {3, 4}},
      {786432, {0, 3, 0}, {512, 3, 512}},
      {1024, {0, 1, 0}, {32, 1, 32}},
  };
  for (const auto &known : kKnown) {
    EXPECT_EQ(dims_of(known.processes, known.given), known.answer) << known.processes;
  }
}

// All non-increasing products, the best of them by the definition in dims.h.
class Best {
public:
  Best(std::int32_t number, std::size_t count) : count_(count) { extend(number, number); }
  Dims best;

private:
  void extend(std::int32_t left, std::int32_t largest) {
    if (current_.size() == count_) {
      if (left == 1 && (best.empty() || is_better())) {
        best = current_;
      }
      return;
    }
    for (std::int32_t extent = 1; extent <= largest; ++extent) {
      if (left % extent == 0) {
        current_.push_back(extent);
        extend(left / extent, extent);
        current_.pop_back();
      }
    }
  }
  [[nodiscard]] bool is_better() const {
    const std::int32_t difference = current_.front() - current_.back();
    const std::int32_t other = best.front() - best.back();
    return difference != other
               ? difference < other
               : std::lexicographical_compare(best.rbegin(), best.rend(), current_.rbegin(), current_.rend());
  }

  std::size_t count_;
  Dims current_;
};

TEST(Dims, AreTheBestOfAllProducts) {
  for (std::int32_t processes = 1; processes <= 400; ++processes) {
    for (std::size_t count = 1; count <= 5; ++count) {
      EXPECT_EQ(dims_of(processes, Dims(count, 0)), Best(processes, count).best) << processes << " in " << count;
    }
  }
}

TEST(Dims, MoreDimensionsThanFactorsAreOnes) {
  Dims expected(40, 1);
  std::fill_n(expected.begin(), 30, 2);
  EXPECT_EQ(dims_of(1 << 30, Dims(40, 0)), expected);
  expected.assign(40, 1);
  expected[0] = std::numeric_limits<std::int32_t>::max(); // a prime
  EXPECT_EQ(dims_of(expected[0], Dims(40, 0)), expected);
}

// The numbers below 2^31 of the most divisors, the last one of 1600.
TEST(Dims, ManyDivisorsAreSearchedInTime) {
  for (const std::int32_t processes : {735134400, 1102701600, 1396755360, 2095133040}) {
    for (std::size_t count = 1; count <= 20; ++count) {
      const std::optional<Dims> dims = dims_of(processes, Dims(count, 0));
      ASSERT_TRUE(dims.has_value());
      std::int64_t product = 1;
      for (const std::int32_t extent : *dims) {
        product *= extent;
      }
      EXPECT_EQ(product, processes);
      EXPECT_TRUE(std::is_sorted(dims->rbegin(), dims->rend()));
    }
  }
}

TEST(Dims, NoDimensionsAreNothingToDo) { EXPECT_EQ(avrm_dims_create(12, 0, nullptr), AVRM_OK); }

TEST(Dims, WhatDoesNotDivideIsRefused) {
  dims_of(12, {5, 0}, AVRM_ERR_DIMENSIONS);
  dims_of(12, {0, 24}, AVRM_ERR_DIMENSIONS);
  dims_of(12, {4, 6, 0}, AVRM_ERR_DIMENSIONS); // each divides, the product does not
  dims_of(12, {2, 3}, AVRM_ERR_DIMENSIONS);
  dims_of(12, {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::max(), 0},
          AVRM_ERR_DIMENSIONS);
}

TEST(Dims, WrongArgumentsAreRefused) {
  dims_of(0, {0, 0}, AVRM_ERR_SIZE);
  dims_of(-12, {0, 0}, AVRM_ERR_SIZE);
  dims_of(12, {0, -3}, AVRM_ERR_SIZE);
  Dims dims = {0};
  EXPECT_EQ(avrm_dims_create(12, -1, dims.data()), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_dims_create(12, 2, nullptr), AVRM_ERR_NULL);
}

} // namespace
} // namespace avrankmap::test
