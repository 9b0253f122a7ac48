// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The allocator of an instance and its accounting. All memory of the component is allocated here.
#ifndef AVRANKMAP_SRC_BASE_MEMORY_H
#define AVRANKMAP_SRC_BASE_MEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "avrankmap/memory.h"

namespace avrankmap::detail {

// Blocks of at least this size are fresh pages in the built-in allocator. These pages are zero
// without being written, so a table of a million peers takes memory only where peers are used, and
// they return to the system when freed. Tables of ranks and scratch memory do not use fresh pages:
// they are written completely, and a fault per page would cost several times as much as writing it.
inline constexpr std::size_t kPageBackedSize = std::size_t{1} << 16;

// The built-in allocator: anonymous pages as described above, otherwise calloc.
[[nodiscard]] avrm_allocator_t default_allocator() noexcept;

class Memory {
public:
  explicit Memory(const avrm_allocator_t &allocator) noexcept : allocator_(allocator) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  // Returns memory filled with zeros, or null. Thread-safe. Sizes of tables are computed with 64
  // bits, because on a 32-bit processor they may exceed the address space.
  [[nodiscard]] void *allocate(std::uint64_t bytes, std::size_t alignment, avrm_mem_kind_t kind) noexcept;
  // Frees a block of that size, alignment and kind. Null is allowed. Thread-safe.
  void release(void *block, std::uint64_t bytes, std::size_t alignment, avrm_mem_kind_t kind) noexcept;

  // Hooks that allocate from this object, for modules that use only the public interface.
  [[nodiscard]] avrm_allocator_t hooks() noexcept;

  [[nodiscard]] avrm_mem_usage_t usage(avrm_mem_kind_t kind) const noexcept;
  [[nodiscard]] const avrm_allocator_t &allocator() const noexcept { return allocator_; }
  // True if blocks come from default_allocator.
  [[nodiscard]] bool is_default() const noexcept { return allocator_.allocate == default_allocator().allocate; }

  // Counts a block that was not allocated by `allocate`: the instance itself, or pages that the
  // allocator cannot provide.
  void adopt(std::size_t size, avrm_mem_kind_t kind) noexcept { add(size, kind); }
  void disown(std::size_t size, avrm_mem_kind_t kind) noexcept { subtract(size, kind); }

private:
  struct Counter {
    std::atomic<std::uint64_t> live{0};
    std::atomic<std::uint64_t> peak{0};
    std::atomic<std::uint64_t> blocks{0};
    void add(std::size_t size) noexcept;
    void subtract(std::size_t size) noexcept;
  };
  void add(std::size_t size, avrm_mem_kind_t kind) noexcept;
  void subtract(std::size_t size, avrm_mem_kind_t kind) noexcept;

  avrm_allocator_t allocator_;
  Counter counters_[AVRM_MEM_TOTAL + 1];
};

// A temporary array of trivial objects, freed at the end of its scope.
template <typename T> class Scratch {
public:
  Scratch(Memory &memory, std::size_t count) noexcept
      : memory_(memory), size_(std::uint64_t{count} * sizeof(T)),
        data_(static_cast<T *>(memory.allocate(size_, alignof(T), AVRM_MEM_SCRATCH))) {}
  ~Scratch() { memory_.release(data_, size_, alignof(T), AVRM_MEM_SCRATCH); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  [[nodiscard]] T *data() const noexcept { return data_; }
  explicit operator bool() const noexcept { return data_ != nullptr; }

private:
  Memory &memory_;
  std::uint64_t size_;
  T *data_;
};

} // namespace avrankmap::detail

#endif
