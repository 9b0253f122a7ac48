// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CountingAllocator, on which other tests rely, reports every misuse.
#include "tests/support/counting_allocator.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace avrankmap::test {

namespace {

void *allocate(CountingAllocator *memory, std::size_t size) {
  const avrm_allocator_t hooks = memory->hooks();
  return hooks.allocate(hooks.user, size, 64, AVRM_MEM_LUT);
}

void release(CountingAllocator *memory, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
  const avrm_allocator_t hooks = memory->hooks();
  hooks.release(hooks.user, block, size, alignment, kind);
}

TEST(CountingAllocator, CountsByKindAndInTotal) {
  CountingAllocator memory;
  void *const block = allocate(&memory, 100);
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_bytes, 100U);
  EXPECT_EQ(memory.usage(AVRM_MEM_TOTAL).live_blocks, 1U);
  release(&memory, block, 100, 64, AVRM_MEM_LUT);
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_bytes, 0U);
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).peak_bytes, 100U);
}

TEST(CountingAllocator, ComplainsOfAnotherSize) {
  static CountingAllocator memory;
  static void *const block = allocate(&memory, 100);
  EXPECT_NONFATAL_FAILURE(release(&memory, block, 101, 64, AVRM_MEM_LUT), "given.size");
}

TEST(CountingAllocator, ComplainsOfAnotherAlignment) {
  static CountingAllocator memory;
  static void *const block = allocate(&memory, 100);
  EXPECT_NONFATAL_FAILURE(release(&memory, block, 100, 32, AVRM_MEM_LUT), "given.alignment");
}

TEST(CountingAllocator, ComplainsOfAnotherKind) {
  static CountingAllocator memory;
  static void *const block = allocate(&memory, 100);
  EXPECT_NONFATAL_FAILURE(release(&memory, block, 100, 64, AVRM_MEM_MLUT), "given.kind");
}

TEST(CountingAllocator, ComplainsOfAnUnknownBlock) {
  static CountingAllocator memory;
  static int block = 0;
  EXPECT_NONFATAL_FAILURE(release(&memory, &block, sizeof block, 64, AVRM_MEM_LUT), "does not exist");
}

TEST(CountingAllocator, ComplainsOfALeak) {
  auto *const memory = new CountingAllocator;
  void *const block = allocate(memory, 100);
  EXPECT_NONFATAL_FAILURE(delete memory, "never released");
  std::free(block);
}

TEST(CountingAllocator, RefusesTheChosenAllocationOnly) {
  CountingAllocator memory;
  memory.refuse_after(1);
  void *const first = allocate(&memory, 8);
  EXPECT_NE(first, nullptr);
  EXPECT_FALSE(memory.refused());
  EXPECT_EQ(allocate(&memory, 8), nullptr);
  EXPECT_TRUE(memory.refused());
  void *const third = allocate(&memory, 8);
  EXPECT_NE(third, nullptr);
  release(&memory, first, 8, 64, AVRM_MEM_LUT);
  release(&memory, third, 8, 64, AVRM_MEM_LUT);
}

TEST(CountingAllocator, ComplainsOfACreationThatLeaksWhenRefused) {
  static CountingAllocator memory;
  static std::vector<void *> leaked;
  const auto create = [](int **object_p) -> avrm_status_t {
    void *const first = allocate(&memory, 8);
    leaked.push_back(first);
    void *const second = first == nullptr ? nullptr : allocate(&memory, 8);
    if (second == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    leaked.push_back(second);
    *object_p = static_cast<int *>(second);
    return AVRM_OK;
  };
  static int *object = nullptr;
  static const auto all_points = [create] { refuse_each_allocation(&memory, &object, create); };
  EXPECT_NONFATAL_FAILURE(all_points(), "live_bytes");
  for (void *const block : leaked) {
    if (block != nullptr) {
      release(&memory, block, 8, 64, AVRM_MEM_LUT);
    }
  }
}

} // namespace

} // namespace avrankmap::test
