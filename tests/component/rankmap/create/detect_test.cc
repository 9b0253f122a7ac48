// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Every implementation of pattern detection against a brute-force twin, which is written from the
// definitions in detect.h: it tries every block size, in 64-bit arithmetic, and shares nothing
// with the code under test.

#include "rankmap/patterns/detect.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/seed.h"

namespace avrankmap::detail {

// Found by argument-dependent lookup when an assertion fails.
static void PrintTo(const Pattern &p, std::ostream *out) {
  static constexpr const char *kNames[] = {"direct", "offset", "stride", "blocked", "irregular"};
  *out << kNames[static_cast<std::size_t>(p.kind)] << " offset " << p.offset << " stride " << p.stride << " block "
       << p.block;
}

namespace {

using Array = std::vector<std::int32_t>;

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr Pattern kIrregularPattern = {PatternKind::kIrregular, 0, 0, 0};

// ---- the twin ----

std::optional<std::int32_t> as_int32(std::int64_t v) {
  if (v < kMin || v > kMax) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(v);
}

template <typename Formula> bool follows(const Array &a, Formula formula) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != formula(static_cast<std::int64_t>(i))) {
      return false;
    }
  }
  return true;
}

Pattern twin(const Array &a) {
  if (a.empty()) {
    return {PatternKind::kDirect, 0, 0, 0};
  }
  const std::int64_t offset = a[0];
  if (follows(a, [](std::int64_t i) { return i; })) {
    return {PatternKind::kDirect, 0, 1, 1};
  }
  if (follows(a, [=](std::int64_t i) { return offset + i; })) {
    return {PatternKind::kOffset, a[0], 1, 1};
  }
  if (const auto stride = as_int32(a[1] - offset); stride && *stride != 0) {
    if (follows(a, [=](std::int64_t i) { return offset + i * *stride; })) {
      return {PatternKind::kStride, a[0], *stride, 1};
    }
  }
  for (std::size_t b = 2; b < a.size(); ++b) {
    const auto block = static_cast<std::int32_t>(b);
    const auto stride = as_int32(a[b] - offset);
    if (!stride || *stride == 0 || *stride == block) {
      continue;
    }
    if (follows(a, [=](std::int64_t i) { return offset + (i / block) * *stride + i % block; })) {
      return {PatternKind::kBlocked, a[0], *stride, block};
    }
  }
  return kIrregularPattern;
}

// ---- arrays ----

// offset + (i / block) * stride + i % block, modulo 2^32 (block 1: a plain stride).
Array make_blocked(std::size_t n, std::int32_t offset, std::int32_t stride, std::size_t block) {
  Array a(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(offset) +
                                     static_cast<std::uint32_t>(i / block) * static_cast<std::uint32_t>(stride) +
                                     static_cast<std::uint32_t>(i % block));
  }
  return a;
}

Array make_stride(std::size_t n, std::int32_t offset, std::int32_t stride) {
  return make_blocked(n, offset, stride, 1);
}

std::int32_t plus(std::int32_t v, std::int32_t delta) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(v) + static_cast<std::uint32_t>(delta));
}

// Calls `visit` with every array of `length` values out of 0..letters-1.
void for_each_array(std::size_t length, std::int32_t letters, void (*visit)(const Array &)) {
  Array a(length, 0);
  for (;;) {
    visit(a);
    std::size_t i = 0;
    while (i < length && ++a[i] == letters) {
      a[i++] = 0;
    }
    if (i == length) {
      return;
    }
  }
}

// ---- all implementations ----

class Detect : public ::testing::TestWithParam<DetectIsa> {
protected:
  void SetUp() override {
    if (!detect_supported(GetParam())) {
      GTEST_SKIP() << "this machine cannot run it";
    }
  }

  static Pattern run(const Array &a) { return detect_with(GetParam(), a.data(), a.size()); }

  static void expect_twin(const Array &a) {
    const Pattern got = run(a);
    const Pattern want = twin(a);
    if (got != want) {
      EXPECT_EQ(got, want) << "n " << a.size() << ", array " << ::testing::PrintToString(a);
    }
  }
};

std::string isa_name(const ::testing::TestParamInfo<DetectIsa> &info) {
  switch (info.param) {
  case DetectIsa::kPortable: return "Portable";
  case DetectIsa::kAvx2: return "Avx2";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(Isa, Detect, ::testing::ValuesIn(kDetectIsas), isa_name);

// Widths of the vectors and of the turns of the inner loops, and one more on either side.
constexpr std::size_t kEdges[] = {1,  2,  3,  4,  5,  7,  8,  9,  15,  16,  17, 31,
                                  32, 33, 47, 48, 49, 63, 64, 65, 127, 128, 129};

TEST_P(Detect, EmptyIsDirectWithZeros) {
  EXPECT_EQ(detect_with(GetParam(), nullptr, 0), (Pattern{PatternKind::kDirect, 0, 0, 0}));
}

TEST_P(Detect, SingleZeroIsDirect) { EXPECT_EQ(run({0}), (Pattern{PatternKind::kDirect, 0, 1, 1})); }

TEST_P(Detect, SingleValueIsOffset) {
  for (const std::int32_t v : {1, -1, 77, kMin, kMax}) {
    EXPECT_EQ(run({v}), (Pattern{PatternKind::kOffset, v, 1, 1}));
  }
}

TEST_P(Detect, PairOfUnequalValuesIsNeverIrregular) {
  EXPECT_EQ(run({0, 1}), (Pattern{PatternKind::kDirect, 0, 1, 1}));
  EXPECT_EQ(run({7, 8}), (Pattern{PatternKind::kOffset, 7, 1, 1}));
  EXPECT_EQ(run({7, 4}), (Pattern{PatternKind::kStride, 7, -3, 1}));
}

TEST_P(Detect, EqualValuesAreIrregular) {
  for (const std::size_t n : {2, 3, 16, 64, 65, 1000}) {
    EXPECT_EQ(run(Array(n, 5)), kIrregularPattern);
  }
}

TEST_P(Detect, RepeatedBlockIsIrregular) { EXPECT_EQ(run({0, 1, 2, 0, 1, 2, 0, 1, 2}), kIrregularPattern); }

TEST_P(Detect, NodeRootsOfFirstWalkerIsIrregular) { EXPECT_EQ(run({1, 4, 8, 12}), kIrregularPattern); }

TEST_P(Detect, ReversalIsStrideMinusOne) {
  EXPECT_EQ(run(make_stride(1000, 999, -1)), (Pattern{PatternKind::kStride, 999, -1, 1}));
}

TEST_P(Detect, NegativeStrideIsStride) {
  EXPECT_EQ(run(make_stride(100, 5000, -7)), (Pattern{PatternKind::kStride, 5000, -7, 1}));
}

TEST_P(Detect, NegativeBlockStrideIsBlocked) {
  EXPECT_EQ(run(make_blocked(100, 5000, -64, 16)), (Pattern{PatternKind::kBlocked, 5000, -64, 16}));
}

TEST_P(Detect, OverlappingBlocksAreBlocked) {
  EXPECT_EQ(run({0, 1, 2, 3, 1, 2, 3, 4, 2}), (Pattern{PatternKind::kBlocked, 0, 1, 4}));
}

TEST_P(Detect, OneElementPastTheFirstBlockIsBlocked) {
  EXPECT_EQ(run({3, 4, 5, 9}), (Pattern{PatternKind::kBlocked, 3, 6, 3}));
}

TEST_P(Detect, AgreesWithTwinOnAllShortArrays) {
  for (std::size_t length = 0; length <= 6; ++length) {
    for_each_array(length, 6, expect_twin);
  }
  for_each_array(7, 5, expect_twin);
  for_each_array(9, 3, expect_twin);
}

TEST_P(Detect, AgreesWithTwinAtEveryLength) {
  for (std::size_t n = 0; n <= 300; ++n) {
    for (const std::int32_t stride : {1, -1, 2, -3, 64, -1000}) {
      expect_twin(make_stride(n, 0, stride));
      expect_twin(make_stride(n, -17, stride));
      for (const std::size_t block : kEdges) {
        expect_twin(make_blocked(n, 3, stride, block));
      }
    }
  }
}

TEST_P(Detect, AgreesWithTwinOnEveryBlockSizeAndItsNeighbours) {
  for (std::size_t block = 2; block <= 130; ++block) {
    const auto own = static_cast<std::int32_t>(block);
    for (const std::int32_t stride : {own, own + 1, own - 1, -own, 0, 1}) {
      for (const std::size_t n :
           {block - 1, block, block + 1, 2 * block - 1, 2 * block, 2 * block + 1, 5 * block + block / 2}) {
        expect_twin(make_blocked(n, 0, stride, block));
      }
    }
  }
}

TEST_P(Detect, NoticesAnyOneWrongElement) {
  for (const std::size_t block : {1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 65}) {
    for (const std::size_t n : {17, 64, 150, 257}) {
      const Array good = make_blocked(n, 9, 200, block);
      for (std::size_t i = 0; i < n; ++i) {
        for (const std::int32_t delta : {1, -1}) {
          Array bad = good;
          bad[i] = plus(bad[i], delta);
          expect_twin(bad);
        }
      }
    }
  }
}

TEST_P(Detect, NoticesAnyOneWrongElementAtAnyAlignment) {
  constexpr std::size_t kLength = 230;
  for (const std::size_t block : {1, 2, 3, 16, 24}) {
    const Array good = make_blocked(kLength, 0, 100, block);
    const Pattern want = twin(good);
    for (std::size_t shift = 0; shift < 16; ++shift) {
      Array moved(shift, -1);
      moved.insert(moved.end(), good.begin(), good.end());
      const std::int32_t *start = moved.data() + shift;
      ASSERT_EQ(detect_with(GetParam(), start, kLength), want);
      // From the third block on, a wrong element cannot make another pattern.
      for (std::size_t i = 2 * block; i < kLength; ++i) {
        ++moved[shift + i];
        ASSERT_EQ(detect_with(GetParam(), start, kLength), kIrregularPattern);
        --moved[shift + i];
      }
    }
  }
}

TEST_P(Detect, NoticesWrongElementsInLongBlocks) {
  for (const std::size_t block : {255, 256, 257, 1001, 2047, 2048, 2049, 4095, 4096, 5000}) {
    const std::size_t n = 3 * block + block / 2 + 1;
    const auto size = static_cast<std::int32_t>(block);
    for (const std::int32_t stride : {2 * size, -size, 1, kMax / 4}) {
      Array a = make_blocked(n, 11, stride, block);
      ASSERT_EQ(run(a), (Pattern{PatternKind::kBlocked, 11, stride, size}));
      for (const std::size_t i : {block + 1, block + 2, block + 70, 2 * block - 1, 2 * block, 2 * block + 1,
                                  3 * block - 1, 3 * block, 3 * block + 1, n - 66, n - 2, n - 1}) {
        a[i] = plus(a[i], 1);
        EXPECT_EQ(run(a), kIrregularPattern) << "block " << block << ", element " << i;
        a[i] = plus(a[i], -1);
      }
    }
  }
}

TEST_P(Detect, AgreesWithTwinOnRandomStructures) {
  std::mt19937_64 random = test::seeded_engine();
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 20000; ++round) {
    const std::size_t n = below(round % 8 == 0 ? 700 : 90);
    const std::size_t block = 1 + below(round % 4 == 0 ? 200 : 20);
    const auto offset = static_cast<std::int32_t>(below(3) == 0 ? random() : below(50));
    const auto stride = static_cast<std::int32_t>(below(3) == 0 ? random() : below(80));
    Array a = make_blocked(n, offset, below(2) == 0 ? stride : plus(0, -(stride / 2)), block);
    for (std::uint64_t faults = below(3); n > 0 && faults > 0; --faults) {
      // Uniform positions, or those next to a block boundary.
      std::size_t i = below(n);
      if (below(2) == 0) {
        i = std::min(n - 1, (i / block) * block + below(2));
      }
      a[i] = below(2) == 0 ? plus(a[i], 1) : static_cast<std::int32_t>(random());
    }
    expect_twin(a);
  }
}

TEST_P(Detect, ExtremeDifferencesAreIrregular) {
  EXPECT_EQ(run({kMin, kMax}), kIrregularPattern);
  EXPECT_EQ(run({kMax, kMin}), kIrregularPattern);
  EXPECT_EQ(run({kMin, 0}), kIrregularPattern);
  EXPECT_EQ(run({kMin, kMin + 1, kMax, kMin}), kIrregularPattern);
}

TEST_P(Detect, LargestStridesAreKept) {
  EXPECT_EQ(run({0, kMax}), (Pattern{PatternKind::kStride, 0, kMax, 1}));
  EXPECT_EQ(run({0, kMin}), (Pattern{PatternKind::kStride, 0, kMin, 1}));
  EXPECT_EQ(run({kMin, -1, kMax - 1}), (Pattern{PatternKind::kStride, kMin, kMax, 1}));
  EXPECT_EQ(run({kMax, -1}), (Pattern{PatternKind::kStride, kMax, kMin, 1}));
  EXPECT_EQ(run({-1, 0, kMax - 1, kMax}), (Pattern{PatternKind::kBlocked, -1, kMax, 2}));
  EXPECT_EQ(run({0, 1, kMin, kMin + 1}), (Pattern{PatternKind::kBlocked, 0, kMin, 2}));
}

TEST_P(Detect, RunsUpToTheLargestValueAreOffsets) {
  for (const std::size_t n : kEdges) {
    const std::int32_t first = kMax - static_cast<std::int32_t>(n) + 1;
    EXPECT_EQ(run(make_stride(n, first, 1)), (Pattern{PatternKind::kOffset, first, 1, 1}));
  }
}

TEST_P(Detect, RunsThatWrapAroundAreIrregular) {
  for (const std::size_t n : {2, 3, 16, 63, 64, 65, 200}) {
    for (const std::int32_t past : {1, static_cast<std::int32_t>(n) - 1}) {
      const std::int32_t first = kMax - static_cast<std::int32_t>(n) + 1 + past;
      EXPECT_EQ(run(make_stride(n, first, 1)), kIrregularPattern);
      EXPECT_EQ(run(make_stride(n, plus(-1, -first), -1)), kIrregularPattern);
    }
  }
}

TEST_P(Detect, StridesThatWrapAroundAreIrregular) {
  // 4096 steps of 2^20 come back to the start; 2049 leave the range by one.
  for (const std::size_t n : {2049, 4097, 10000}) {
    EXPECT_EQ(run(make_stride(n, 0, 1 << 20)), kIrregularPattern);
    EXPECT_EQ(run(make_stride(n + 1, 0, -(1 << 20))), kIrregularPattern);
  }
  EXPECT_EQ(run(make_stride(2048, 0, 1 << 20)), (Pattern{PatternKind::kStride, 0, 1 << 20, 1}));
}

TEST_P(Detect, BlocksThatWrapAroundAreIrregular) {
  for (const std::size_t block : {2, 3, 16, 65, 2500}) {
    const auto size = static_cast<std::int32_t>(block);
    const std::int32_t stride = 3 * size;
    const std::size_t n = 5 * block;
    const std::int32_t span = 4 * stride + size - 1;
    const Pattern fits = {PatternKind::kBlocked, kMax - span, stride, size};
    EXPECT_EQ(run(make_blocked(n, kMax - span, stride, block)), fits);
    EXPECT_EQ(run(make_blocked(n, kMax - span + 1, stride, block)), kIrregularPattern);
    // The last block's missing end would be out of range; it is not there.
    EXPECT_EQ(run(make_blocked(n - 1, kMax - span + 1, stride, block)).kind, PatternKind::kBlocked);
    const std::int32_t lowest = kMin + 4 * stride;
    EXPECT_EQ(run(make_blocked(n, lowest, -stride, block)), (Pattern{PatternKind::kBlocked, lowest, -stride, size}));
    EXPECT_EQ(run(make_blocked(n, lowest - 1, -stride, block)), kIrregularPattern);
  }
}

TEST_P(Detect, WrapInAFullBlockBeforeAPartialOneIsIrregular) {
  // Blocks of 8 that advance by 1: the end of the last full block is the largest value.
  const std::size_t n = 3 * 8 + 1;
  EXPECT_EQ(run(make_blocked(n, kMax - 9, 1, 8)), (Pattern{PatternKind::kBlocked, kMax - 9, 1, 8}));
  EXPECT_EQ(run(make_blocked(n, kMax - 8, 1, 8)), kIrregularPattern);
}

TEST_P(Detect, WrapInTheFirstBlockIsIrregular) {
  expect_twin(make_blocked(40, kMax - 4, -100, 8));
  EXPECT_EQ(run(make_blocked(40, kMax - 4, -100, 8)), kIrregularPattern);
}

TEST_P(Detect, AgreesWithTwinNextToTheEndsOfInt32) {
  std::mt19937_64 random = test::seeded_engine();
  for (int round = 0; round < 20000; ++round) {
    const std::size_t n = 2 + random() % 80;
    const std::size_t block = 1 + random() % 20;
    const auto near = static_cast<std::int32_t>(random() % 400) - 200;
    const auto stride = static_cast<std::int32_t>(random() % 40) - 20;
    expect_twin(make_blocked(n, plus(random() % 2 == 0 ? kMin : kMax, near), stride, block));
  }
}

// Pages of memory between two that cannot be touched.
class GuardedPages {
public:
  explicit GuardedPages(std::size_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), inside_((bytes + page_ - 1) / page_ * page_) {
    void *p = mmap(nullptr, inside_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) {
      base_ = static_cast<char *>(p);
      usable_ = mprotect(base_ + page_, inside_, PROT_READ | PROT_WRITE) == 0;
    }
  }
  ~GuardedPages() {
    if (base_ != nullptr) {
      munmap(base_, inside_ + 2 * page_);
    }
  }
  GuardedPages(const GuardedPages &) = delete;
  GuardedPages &operator=(const GuardedPages &) = delete;

  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] std::int32_t *begin() const { return reinterpret_cast<std::int32_t *>(base_ + page_); }
  [[nodiscard]] std::int32_t *end() const { return reinterpret_cast<std::int32_t *>(base_ + page_ + inside_); }

private:
  std::size_t page_;
  std::size_t inside_;
  char *base_ = nullptr;
  bool usable_ = false;
};

TEST_P(Detect, ReadsNothingOutsideTheArray) {
  const GuardedPages pages(10000 * sizeof(std::int32_t));
  ASSERT_TRUE(pages.usable());
  for (const std::size_t block : {1, 2, 3, 8, 16, 17, 64, 100, 2500}) {
    for (std::size_t n = 1; n <= 10000; n += n < 200 ? 1 : 997) {
      const Array a = make_blocked(n, 0, 7777, block);
      std::copy(a.begin(), a.end(), pages.begin());
      const Pattern at_begin = detect_with(GetParam(), pages.begin(), n);
      std::copy(a.begin(), a.end(), pages.end() - n);
      EXPECT_EQ(detect_with(GetParam(), pages.end() - n, n), at_begin);
    }
  }
}

// ---- dispatch ----

TEST(DetectDispatch, PortableIsAlwaysSupported) { EXPECT_TRUE(detect_supported(DetectIsa::kPortable)); }

TEST(DetectDispatch, ChoiceIsTheStrongestSupported) {
  EXPECT_TRUE(detect_supported(detect_isa()));
  for (const DetectIsa isa : kDetectIsas) {
    EXPECT_TRUE(isa <= detect_isa() || !detect_supported(isa));
  }
}

TEST(DetectDispatch, UnsupportedChoiceStillDetects) {
  const Array a = make_blocked(500, 2, 32, 8);
  for (const DetectIsa isa : kDetectIsas) {
    EXPECT_EQ(detect_with(isa, a.data(), a.size()), twin(a));
  }
}

TEST(DetectDispatch, ConcurrentCallersAgree) {
  const Array a = make_blocked(5000, 2, 32, 8);
  std::vector<Pattern> got(4, kIrregularPattern);
  std::vector<std::thread> threads;
  threads.reserve(got.size());
  for (Pattern &mine : got) {
    threads.emplace_back([&] { mine = detect(a.data(), a.size()); });
  }
  for (std::thread &t : threads) {
    t.join();
  }
  for (const Pattern &p : got) {
    EXPECT_EQ(p, (Pattern{PatternKind::kBlocked, 2, 32, 8}));
  }
}

} // namespace
} // namespace avrankmap::detail
