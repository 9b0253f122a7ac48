// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What maps from arrays are found with: the loops of each instruction set, and carts.
#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "rankmap/create/lpids.h"
#include "rankmap/create/runs.h"
#include "rankmap/patterns/detect.h"
#include "rankmap/patterns/detect_kernels.h"
#include "tests/support/instance.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using Numbers = std::vector<std::int32_t>;

// Regular but for some elements, which are few or many.
Numbers some_numbers(std::mt19937_64 &engine, std::size_t size) {
  Numbers numbers(size);
  const std::size_t lag = 1 + below(engine, size);
  const auto step = static_cast<std::int32_t>(below(engine, 5));
  const std::uint64_t rarely = 1 + below(engine, 2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    numbers[i] =
        i < lag || below(engine, rarely) == 0 ? static_cast<std::int32_t>(engine()) / 2 : numbers[i - lag] + step;
  }
  return numbers;
}

TEST(DetectKernels, AgreeWithPlainLoops) {
  std::vector<const detail::DetectKernels *> all = {&detail::kDetectPortable};
#if AVRM_DETECT_X86
  if (detail::detect_supported(detail::DetectIsa::kAvx2)) {
    all.push_back(&detail::kDetectAvx2);
  }
#endif
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 3000; ++round) {
    const std::size_t size = 66 + below(engine, 200);
    const Numbers a = some_numbers(engine, size);
    const std::size_t lag = 1 + below(engine, size);
    const auto diff = static_cast<std::uint32_t>(below(engine, 5));
    std::size_t length = lag;
    while (length < size &&
           static_cast<std::uint32_t>(a[length]) - static_cast<std::uint32_t>(a[length - lag]) == diff) {
      ++length;
    }
    std::uint64_t changes = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::int64_t after = std::int64_t{a[i + 2]} - a[i + 1];
      changes |= std::uint64_t{after != std::int64_t{a[i + 1]} - a[i] ? 1U : 0U} << i;
    }
    std::uint32_t greatest = 0;
    for (const std::int32_t number : a) {
      greatest = std::max(greatest, static_cast<std::uint32_t>(number));
    }
    for (const detail::DetectKernels *const kernels : all) {
      EXPECT_EQ(kernels->repeat_length(a.data(), size, lag, diff), length);
      EXPECT_EQ(kernels->changes(a.data() + 2), changes);
      EXPECT_EQ(kernels->greatest(a.data(), size), greatest);
      std::vector<std::uint32_t> copy(size);
      EXPECT_EQ(kernels->copy(a.data(), size, copy.data()), greatest);
      EXPECT_TRUE(std::equal(a.begin(), a.end(), reinterpret_cast<const std::int32_t *>(copy.data())));
      Numbers small(size);
      std::transform(a.begin(), a.end(), small.begin(), [](std::int32_t number) { return number & 255; });
      std::vector<std::uint32_t> bits(8);
      EXPECT_EQ(kernels->different(small.data(), size, bits.data(), bits.size()),
                std::set<std::int32_t>(small.begin(), small.end()).size());
    }
  }
}

// Carts of up to 4 dimensions, whole or cut off, some with a fault: an array and its runs give the
// same answer.
TEST(CartOfAnArray, IsThatOfItsRuns) {
  const Instance instance;
  std::mt19937_64 engine = seeded_engine();
  int found = 0;
  for (int round = 0; round < 5000; ++round) {
    Numbers lpids = {static_cast<std::int32_t>(below(engine, 1000))};
    for (std::uint64_t dimensions = below(engine, 5); dimensions > 0; --dimensions) {
      const std::uint64_t extent = 2 + below(engine, 4);
      const auto stride = static_cast<std::int32_t>(below(engine, 60));
      const Numbers slice = lpids;
      for (std::uint64_t i = 1; i < extent; ++i) {
        std::transform(slice.begin(), slice.end(), std::back_inserter(lpids),
                       [&](std::int32_t lpid) { return lpid + static_cast<std::int32_t>(i) * stride; });
      }
    }
    lpids.resize(1 + below(engine, lpids.size()));
    if (below(engine, 3) == 0) {
      lpids[below(engine, lpids.size())] += 1;
    }
    const auto size = static_cast<std::int32_t>(lpids.size());
    if (regular_from(detail::detect(lpids.data(), lpids.size()), size)) {
      continue;
    }
    detail::RunList runs(instance.get()->memory, size);
    for (const std::int32_t lpid : lpids) {
      require(runs.push({0, 1, 0, lpid, 1}));
    }
    const std::optional<detail::Cart> one = detail::detect_cart(lpids.data(), size);
    const std::optional<detail::Cart> other = detail::detect_cart(detail::LpidRuns(runs));
    ASSERT_EQ(one.has_value(), other.has_value()) << "round " << round;
    if (one) {
      ++found;
      ASSERT_EQ(one->dimensions, other->dimensions);
      for (std::int32_t rank = 0; rank < size; ++rank) {
        ASSERT_EQ(one->at(rank), lpids[static_cast<std::size_t>(rank)]);
      }
    }
  }
  EXPECT_GT(found, 1000);
}

} // namespace
} // namespace avrankmap::test
