// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Allocator hooks that count what is allocated, for comparison with the library's accounting, and
// that fail on request. A block that is released with another size, alignment or kind, or never,
// fails the test. Thread-safe.
#ifndef AVRANKMAP_TESTS_SUPPORT_COUNTING_ALLOCATOR_H
#define AVRANKMAP_TESTS_SUPPORT_COUNTING_ALLOCATOR_H

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <unordered_map>

#include "tests/support/print.h"

namespace avrankmap::test {

class CountingAllocator {
public:
  CountingAllocator() = default;
  CountingAllocator(const CountingAllocator &) = delete;
  CountingAllocator &operator=(const CountingAllocator &) = delete;
  ~CountingAllocator() { EXPECT_TRUE(blocks_.empty()) << blocks_.size() << " blocks were never released"; }

  // To be put into avrm_instance_options_t.
  [[nodiscard]] avrm_allocator_t hooks() noexcept { return {allocate, release, this}; }

  // Bytes in use: of one kind, or of all with AVRM_MEM_TOTAL.
  [[nodiscard]] avrm_mem_usage_t usage(avrm_mem_kind_t kind) const {
    const std::scoped_lock guard(lock_);
    return books_[kind];
  }
  [[nodiscard]] std::uint64_t live_bytes() const { return usage(AVRM_MEM_TOTAL).live_bytes; }

  // Number of allocations asked for so far, refused ones included.
  [[nodiscard]] std::uint64_t calls() const {
    const std::scoped_lock guard(lock_);
    return calls_;
  }

  // Lets `count` more allocations succeed and refuses the one after; those that follow
  // succeed again.
  void refuse_after(std::uint64_t count) {
    const std::scoped_lock guard(lock_);
    refused_call_ = calls_ + count;
    refused_ = false;
  }
  // Cancels refuse_after.
  void refuse_none() {
    const std::scoped_lock guard(lock_);
    refused_call_ = kNever;
  }
  // Refuses all allocations until the next call.
  void refuse_all(bool refuses) {
    const std::scoped_lock guard(lock_);
    refuses_all_ = refuses;
  }
  // True if an allocation was refused since the last refuse_after.
  [[nodiscard]] bool refused() const {
    const std::scoped_lock guard(lock_);
    return refused_;
  }

private:
  struct Block {
    std::size_t size;
    std::size_t alignment;
    avrm_mem_kind_t kind;
  };
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  // Zero pages from here on, never touched by us.
  static constexpr std::size_t kMapped = std::size_t{1} << 16;
  static constexpr int kReleasedByte = 0xdd;

  static void *allocate(void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
    return static_cast<CountingAllocator *>(user)->allocate_block({size, alignment, kind});
  }

  static void release(void *user, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
    static_cast<CountingAllocator *>(user)->release_block(block, {size, alignment, kind});
  }

  void *allocate_block(const Block &wanted) {
    const std::scoped_lock guard(lock_);
    EXPECT_GT(wanted.size, 0U);
    EXPECT_TRUE(wanted.alignment != 0 && (wanted.alignment & (wanted.alignment - 1)) == 0 && wanted.alignment <= 64)
        << "alignment " << wanted.alignment;
    EXPECT_LT(wanted.kind, AVRM_MEM_TOTAL);
    if (calls_++ == refused_call_) {
      refused_call_ = kNever;
      refused_ = true;
      return nullptr;
    }
    void *const block = refuses_all_ ? nullptr : zeros(wanted.size, wanted.alignment);
    if (block != nullptr) {
      blocks_.emplace(block, wanted);
      add(wanted.size, wanted.kind);
      add(wanted.size, AVRM_MEM_TOTAL);
    }
    return block;
  }

  void release_block(void *block, const Block &returned) {
    const std::scoped_lock guard(lock_);
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) {
      ADD_FAILURE() << "released a block that does not exist";
      return;
    }
    const Block given = found->second;
    EXPECT_EQ(returned.size, given.size);
    EXPECT_EQ(returned.alignment, given.alignment);
    EXPECT_EQ(returned.kind, given.kind);
    subtract(given.size, given.kind);
    subtract(given.size, AVRM_MEM_TOTAL);
    blocks_.erase(found);
    if (given.size >= kMapped) {
      munmap(block, given.size);
    } else {
      std::memset(block, kReleasedByte, given.size);
      std::free(block);
    }
  }

  static void *zeros(std::size_t size, std::size_t alignment) {
    if (size >= kMapped) {
      void *const pages =
          mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      return pages == MAP_FAILED ? nullptr : pages;
    }
    void *block = nullptr;
    if (posix_memalign(&block, std::max(alignment, sizeof(void *)), size) != 0) {
      return nullptr;
    }
    return std::memset(block, 0, size);
  }

  void add(std::size_t size, avrm_mem_kind_t kind) {
    avrm_mem_usage_t &book = books_[kind];
    book.live_bytes += size;
    book.peak_bytes = std::max(book.peak_bytes, book.live_bytes);
    ++book.live_blocks;
  }

  void subtract(std::size_t size, avrm_mem_kind_t kind) {
    books_[kind].live_bytes -= size;
    --books_[kind].live_blocks;
  }

  mutable std::mutex lock_;
  std::unordered_map<void *, Block> blocks_;
  std::array<avrm_mem_usage_t, AVRM_MEM_TOTAL + 1> books_{};
  std::uint64_t calls_ = 0;
  std::uint64_t refused_call_ = kNever;
  bool refused_ = false;
  bool refuses_all_ = false;
};

// Upper bound for the allocations of a call from a refused one to the check that ends the call.
inline constexpr std::uint64_t kCallsUntilCheck = 16;

// Calls create(&object) with the first allocation refused, then with the second, and so on, until
// it succeeds. Checks that each refusal ends the call, returns AVRM_ERR_NO_MEMORY, leaves the
// output unchanged and leaks nothing. Returns the number of allocations; *object_p receives the
// object that the last call made, which the caller destroys.
//
//   avrm_rankmap_t map{};
//   EXPECT_EQ(refuse_each_allocation(&memory, &map, [&](avrm_rankmap_t *map_p) {
//     return avrm_rankmap_create_direct(instance, 0, 4, map_p); }), 0);
template <typename Object, typename Create>
int refuse_each_allocation(CountingAllocator *memory, Object *object_p, Create create) {
  static_assert(std::is_trivially_copyable_v<Object>);
  Object before;
  std::memset(static_cast<void *>(&before), 0x5a, sizeof before);
  const std::uint64_t live_bytes = memory->live_bytes();
  for (int point = 0;; ++point) {
    Object object = before;
    const std::uint64_t calls = memory->calls();
    memory->refuse_after(static_cast<std::uint64_t>(point));
    const avrm_status_t status = create(&object);
    if (!memory->refused()) {
      memory->refuse_none();
      EXPECT_EQ(status, AVRM_OK);
      *object_p = status == AVRM_OK ? object : Object{};
      return point;
    }
    EXPECT_EQ(status, AVRM_ERR_NO_MEMORY) << "allocation point " << point;
    EXPECT_LE(memory->calls() - calls, static_cast<std::uint64_t>(point) + kCallsUntilCheck)
        << "allocation point " << point;
    EXPECT_EQ(std::memcmp(&object, &before, sizeof before), 0) << "allocation point " << point;
    EXPECT_EQ(memory->live_bytes(), live_bytes) << "allocation point " << point;
    if (status == AVRM_OK) { // the failure was ignored; no later point would end the loop
      *object_p = object;
      return point;
    }
  }
}

} // namespace avrankmap::test

#endif
