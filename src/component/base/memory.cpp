// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace avrankmap::detail {

namespace {

bool is_page_backed(std::size_t size, avrm_mem_kind_t kind) noexcept {
  const bool is_filled =
      kind == AVRM_MEM_LUT || kind == AVRM_MEM_MLUT || kind == AVRM_MEM_SEGMENTS || kind == AVRM_MEM_SCRATCH;
  return size >= kPageBackedSize && !is_filled;
}

void *default_allocate(void * /*user*/, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
  if (is_page_backed(size, kind)) {
    void *const block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return block == MAP_FAILED ? nullptr : block;
  }
  void *block = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    return std::calloc(1, size);
  }
  if (posix_memalign(&block, alignment, size) != 0) {
    return nullptr;
  }
  return std::memset(block, 0, size);
}

void default_release(void * /*user*/, void *block, std::size_t size, std::size_t /*alignment*/, avrm_mem_kind_t kind) {
  if (is_page_backed(size, kind)) {
    munmap(block, size);
  } else {
    std::free(block);
  }
}

} // namespace

avrm_allocator_t default_allocator() noexcept { return {default_allocate, default_release, nullptr}; }

void Memory::Counter::add(std::size_t size) noexcept {
  const std::uint64_t now = live.fetch_add(size, std::memory_order_relaxed) + size;
  blocks.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t seen = peak.load(std::memory_order_relaxed);
  while (seen < now && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

void Memory::Counter::subtract(std::size_t size) noexcept {
  live.fetch_sub(size, std::memory_order_relaxed);
  blocks.fetch_sub(1, std::memory_order_relaxed);
}

void Memory::add(std::size_t size, avrm_mem_kind_t kind) noexcept {
  counters_[kind].add(size);
  counters_[AVRM_MEM_TOTAL].add(size);
}

void Memory::subtract(std::size_t size, avrm_mem_kind_t kind) noexcept {
  counters_[kind].subtract(size);
  counters_[AVRM_MEM_TOTAL].subtract(size);
}

void *Memory::allocate(std::uint64_t bytes, std::size_t alignment, avrm_mem_kind_t kind) noexcept {
  const auto size = static_cast<std::size_t>(bytes);
  if (size != bytes) {
    return nullptr;
  }
  void *const block = allocator_.allocate(allocator_.user, size, alignment, kind);
  if (block != nullptr) {
    add(size, kind);
  }
  return block;
}

void Memory::release(void *block, std::uint64_t bytes, std::size_t alignment, avrm_mem_kind_t kind) noexcept {
  if (block == nullptr) {
    return;
  }
  const auto size = static_cast<std::size_t>(bytes);
  allocator_.release(allocator_.user, block, size, alignment, kind);
  subtract(size, kind);
}

avrm_allocator_t Memory::hooks() noexcept {
  return {[](void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
            return static_cast<Memory *>(user)->allocate(size, alignment, kind);
          },
          [](void *user, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
            static_cast<Memory *>(user)->release(block, size, alignment, kind);
          },
          this};
}

avrm_mem_usage_t Memory::usage(avrm_mem_kind_t kind) const noexcept {
  const Counter &counter = counters_[kind];
  return {counter.live.load(std::memory_order_relaxed), counter.peak.load(std::memory_order_relaxed),
          counter.blocks.load(std::memory_order_relaxed)};
}

} // namespace avrankmap::detail

const char *avrm_mem_kind_label(avrm_mem_kind_t kind) noexcept {
  switch (kind) {
#define AVRM_LABEL(name, label)                                                                                        \
  case name: return label;
    AVRM_MEM_KIND_LIST(AVRM_LABEL)
#undef AVRM_LABEL
  case AVRM_MEM_TOTAL: return "total";
  }
  return "?";
}
