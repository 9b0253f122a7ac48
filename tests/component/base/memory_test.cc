// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/array.h"
#include "tests/support/counting_allocator.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kSizes[] = {1, 7, 64, 4096, kPageBackedSize - 1, kPageBackedSize, kPageBackedSize + 1, 1 << 20};
constexpr std::size_t kAlignments[] = {1, 4, 8, 16, 32, 64};

bool is_zero(const void *block, std::size_t size) {
  const auto *const bytes = static_cast<const unsigned char *>(block);
  return std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; });
}

void expect_usage(const Memory &memory, avrm_mem_kind_t kind, std::uint64_t live, std::uint64_t peak,
                  std::uint64_t blocks) {
  const avrm_mem_usage_t usage = memory.usage(kind);
  EXPECT_EQ(usage.live_bytes, live);
  EXPECT_EQ(usage.peak_bytes, peak);
  EXPECT_EQ(usage.live_blocks, blocks);
}

TEST(MemoryKinds, LabelsAreTheListedOnes) {
#define AVRM_CHECK(name, label) EXPECT_STREQ(avrm_mem_kind_label(name), label);
  AVRM_MEM_KIND_LIST(AVRM_CHECK)
#undef AVRM_CHECK
}

TEST(MemoryKinds, LabelsAreUnique) {
  std::set<std::string> labels;
  for (int kind = 0; kind <= AVRM_MEM_TOTAL; ++kind) {
    EXPECT_TRUE(labels.insert(avrm_mem_kind_label(static_cast<avrm_mem_kind_t>(kind))).second) << kind;
  }
}

TEST(MemoryKinds, LabelOfTheTotalIsTotal) { EXPECT_STREQ(avrm_mem_kind_label(AVRM_MEM_TOTAL), "total"); }

TEST(MemoryKinds, LabelOfAnythingElseIsAQuestionMark) {
  // The range of values that the enum can hold.
  for (int value = AVRM_MEM_TOTAL + 1; value < 16; ++value) {
    EXPECT_STREQ(avrm_mem_kind_label(static_cast<avrm_mem_kind_t>(value)), "?") << value;
  }
}

TEST(MemoryKinds, TotalIsTheNumberOfKinds) {
  int kinds = 0;
#define AVRM_COUNT(name, label) ++kinds;
  AVRM_MEM_KIND_LIST(AVRM_COUNT)
#undef AVRM_COUNT
  EXPECT_EQ(AVRM_MEM_TOTAL, kinds);
}

TEST(BuiltInAllocator, BlocksAreZero) {
  Memory memory(default_allocator());
  for (const std::size_t size : kSizes) {
    void *const block = memory.allocate(size, 64, AVRM_MEM_LUT);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(is_zero(block, size)) << size;
    memory.release(block, size, 64, AVRM_MEM_LUT);
  }
}

TEST(BuiltInAllocator, ReusedBlocksAreZero) {
  Memory memory(default_allocator());
  for (const std::size_t size : kSizes) {
    for (const std::size_t alignment : kAlignments) {
      for (int round = 0; round < 3; ++round) {
        void *const block = memory.allocate(size, alignment, AVRM_MEM_LUT);
        ASSERT_NE(block, nullptr);
        EXPECT_TRUE(is_zero(block, size)) << size << " aligned to " << alignment;
        std::memset(block, 0xff, size);
        memory.release(block, size, alignment, AVRM_MEM_LUT);
      }
    }
  }
}

TEST(BuiltInAllocator, BlocksAreAligned) {
  Memory memory(default_allocator());
  for (const std::size_t size : kSizes) {
    for (const std::size_t alignment : kAlignments) {
      void *const block = memory.allocate(size, alignment, AVRM_MEM_LUT);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U) << size << " aligned to " << alignment;
      memory.release(block, size, alignment, AVRM_MEM_LUT);
    }
  }
}

TEST(BuiltInAllocator, LargeBlocksAreNotResident) {
  Memory memory(default_allocator());
  constexpr std::size_t kSize = std::size_t{64} << 20;
  void *const block = memory.allocate(kSize, 64, AVRM_MEM_AV);
  ASSERT_NE(block, nullptr);
  std::vector<unsigned char> pages(kSize / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  ASSERT_EQ(mincore(block, kSize, pages.data()), 0);
  EXPECT_TRUE(std::all_of(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) == 0; }));
  memory.release(block, kSize, 64, AVRM_MEM_AV);
}

TEST(BuiltInAllocator, ImpossibleSizeIsNull) {
  Memory memory(default_allocator());
  EXPECT_EQ(memory.allocate(std::size_t{1} << 60, 64, AVRM_MEM_AV), nullptr);
}

TEST(Accounting, NothingIsHeldAtFirst) {
  const Memory memory(default_allocator());
  for (int kind = 0; kind <= AVRM_MEM_TOTAL; ++kind) {
    expect_usage(memory, static_cast<avrm_mem_kind_t>(kind), 0, 0, 0);
  }
}

TEST(Accounting, KindsAreCountedApart) {
  Memory memory(default_allocator());
  void *const lut = memory.allocate(100, 64, AVRM_MEM_LUT);
  void *const av = memory.allocate(1000, 64, AVRM_MEM_AV);
  expect_usage(memory, AVRM_MEM_LUT, 100, 100, 1);
  expect_usage(memory, AVRM_MEM_AV, 1000, 1000, 1);
  expect_usage(memory, AVRM_MEM_MLUT, 0, 0, 0);
  memory.release(lut, 100, 64, AVRM_MEM_LUT);
  memory.release(av, 1000, 64, AVRM_MEM_AV);
}

TEST(Accounting, TotalIsTheSumOfTheKinds) {
  Memory memory(default_allocator());
  void *const lut = memory.allocate(100, 64, AVRM_MEM_LUT);
  void *const av = memory.allocate(1000, 64, AVRM_MEM_AV);
  expect_usage(memory, AVRM_MEM_TOTAL, 1100, 1100, 2);
  memory.release(lut, 100, 64, AVRM_MEM_LUT);
  memory.release(av, 1000, 64, AVRM_MEM_AV);
}

TEST(Accounting, PeakOfTheTotalIsNotTheSumOfThePeaks) {
  Memory memory(default_allocator());
  memory.release(memory.allocate(100, 64, AVRM_MEM_LUT), 100, 64, AVRM_MEM_LUT);
  memory.release(memory.allocate(70, 64, AVRM_MEM_AV), 70, 64, AVRM_MEM_AV);
  expect_usage(memory, AVRM_MEM_TOTAL, 0, 100, 0);
}

TEST(Accounting, PeakStaysWhenBlocksGo) {
  Memory memory(default_allocator());
  void *const first = memory.allocate(100, 64, AVRM_MEM_LUT);
  void *const second = memory.allocate(50, 64, AVRM_MEM_LUT);
  memory.release(first, 100, 64, AVRM_MEM_LUT);
  expect_usage(memory, AVRM_MEM_LUT, 50, 150, 1);
  memory.release(second, 50, 64, AVRM_MEM_LUT);
  expect_usage(memory, AVRM_MEM_LUT, 0, 150, 0);
}

TEST(Accounting, RefusedBlocksAreNotCounted) {
  test::CountingAllocator books;
  Memory memory(books.hooks());
  books.refuse_after(0);
  EXPECT_EQ(memory.allocate(100, 64, AVRM_MEM_LUT), nullptr);
  expect_usage(memory, AVRM_MEM_LUT, 0, 0, 0);
}

TEST(Accounting, AdoptedBlocksAreCounted) {
  Memory memory(default_allocator());
  memory.adopt(4096, AVRM_MEM_AV);
  expect_usage(memory, AVRM_MEM_AV, 4096, 4096, 1);
  expect_usage(memory, AVRM_MEM_TOTAL, 4096, 4096, 1);
  memory.disown(4096, AVRM_MEM_AV);
  expect_usage(memory, AVRM_MEM_AV, 0, 4096, 0);
}

TEST(Accounting, NullIsReleasedWithoutTheHook) {
  test::CountingAllocator books; // reports a release of an unknown block
  Memory memory(books.hooks());
  memory.release(nullptr, 100, 64, AVRM_MEM_LUT);
  expect_usage(memory, AVRM_MEM_LUT, 0, 0, 0);
}

TEST(Accounting, HooksCountInBothMemories) {
  test::CountingAllocator books;
  Memory outer(books.hooks());
  Memory inner(outer.hooks());
  void *const block = inner.allocate(100, 64, AVRM_MEM_COMM);
  ASSERT_NE(block, nullptr);
  expect_usage(inner, AVRM_MEM_COMM, 100, 100, 1);
  expect_usage(outer, AVRM_MEM_COMM, 100, 100, 1);
  EXPECT_EQ(books.live_bytes(), 100U);
  books.refuse_after(0);
  EXPECT_EQ(inner.allocate(8, 8, AVRM_MEM_COMM), nullptr);
  inner.release(block, 100, 64, AVRM_MEM_COMM);
  expect_usage(outer, AVRM_MEM_COMM, 0, 100, 0);
}

TEST(Accounting, ExactWhenThreadsShareIt) {
  Memory memory(default_allocator());
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&memory] {
      for (int i = 0; i < kRounds; ++i) {
        void *const block = memory.allocate(24, 8, AVRM_MEM_LUT);
        memory.release(memory.allocate(40, 8, AVRM_MEM_LUT), 40, 8, AVRM_MEM_LUT);
        memory.release(block, 24, 8, AVRM_MEM_LUT);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  const avrm_mem_usage_t usage = memory.usage(AVRM_MEM_LUT);
  EXPECT_EQ(usage.live_bytes, 0U);
  EXPECT_EQ(usage.live_blocks, 0U);
  EXPECT_GE(usage.peak_bytes, 64U);
  EXPECT_LE(usage.peak_bytes, 64U * kThreads);
}

TEST(Scratch, GoesAwayWithItsScope) {
  test::CountingAllocator books;
  Memory memory(books.hooks());
  {
    const Scratch<std::uint64_t> scratch(memory, 10);
    ASSERT_TRUE(scratch);
    expect_usage(memory, AVRM_MEM_SCRATCH, 80, 80, 1);
  }
  expect_usage(memory, AVRM_MEM_SCRATCH, 0, 80, 0);
}

TEST(Scratch, IsFalseWithoutMemory) {
  test::CountingAllocator books;
  Memory memory(books.hooks());
  books.refuse_after(0);
  const Scratch<std::uint64_t> scratch(memory, 10);
  EXPECT_FALSE(scratch);
}

TEST(Array, DropsElementsAfterAFailure) {
  test::CountingAllocator books;
  Memory memory(books.hooks());
  Array<int> array(memory);
  books.refuse_after(0);
  array.append(1);
  array.append(2);
  EXPECT_TRUE(array.failed());
  EXPECT_TRUE(array.empty());
}

} // namespace

} // namespace avrankmap::detail
