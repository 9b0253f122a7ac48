// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our component in three settings, on an allocator that counts for itself, to hold the
// component's accounting against.
//
//   strict   the paper's models and its Table II alone, with a table of addresses:
//            AV-Rankmap as published
//   table    all forms, with a table of addresses
//   default  what a user gets who sets nothing but the address vector's kind: all forms, and no
//            table of addresses as long as they are a function of the lpid
#ifndef AVRANKMAP_BENCH_SCHEMES_COUNTED_SCHEMES_H
#define AVRANKMAP_BENCH_SCHEMES_COUNTED_SCHEMES_H

#include "schemes/avrankmap_scheme.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace avrankmap::bench {

/// Counts the bytes that are asked for and given back. Not thread-safe.
class CountingAllocator {
public:
  [[nodiscard]] const avrm_allocator_t *hooks() const { return &hooks_; }
  [[nodiscard]] std::uint64_t asked_bytes() const { return bytes_; }

private:
  // Zero pages of the system from here on.
  static constexpr std::size_t kMapped = std::size_t{1} << 16;

  static void *allocate(void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t /*kind*/) {
    void *block = nullptr;
    if (size >= kMapped) {
      block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      block = block == MAP_FAILED ? nullptr : block;
    } else if (posix_memalign(&block, std::max(alignment, sizeof(void *)), size) == 0) {
      std::memset(block, 0, size);
    }
    static_cast<CountingAllocator *>(user)->bytes_ += block == nullptr ? 0 : size;
    return block;
  }
  static void release(void *user, void *block, std::size_t size, std::size_t /*alignment*/, avrm_mem_kind_t /*kind*/) {
    static_cast<CountingAllocator *>(user)->bytes_ -= size;
    if (size >= kMapped) {
      munmap(block, size);
    } else {
      std::free(block);
    }
  }

  std::uint64_t bytes_ = 0;
  avrm_allocator_t hooks_{allocate, release, this};
};

/// Processes of a node, in blocks.
inline constexpr std::int32_t kProcessesPerNode = 16;

/// A base of its own, since the allocator has to be there before the instance.
struct HasAllocator {
  CountingAllocator allocator;
};

class StrictScheme : public HasAllocator, public AvrankmapScheme {
public:
  static constexpr const char *kName = "strict";
  StrictScheme()
      : AvrankmapScheme(AVRM_AV_TABLE, {allocator.hooks(), true, AVRM_COST_BYTES, false}, kProcessesPerNode) {}
};

class DefaultScheme : public HasAllocator, public AvrankmapScheme {
public:
  static constexpr const char *kName = "default";
  DefaultScheme()
      : AvrankmapScheme(AVRM_AV_IMPLICIT, {allocator.hooks(), false, AVRM_COST_BYTES, false}, kProcessesPerNode) {}
};

class TableScheme : public HasAllocator, public AvrankmapScheme {
public:
  static constexpr const char *kName = "table";
  TableScheme()
      : AvrankmapScheme(AVRM_AV_TABLE, {allocator.hooks(), false, AVRM_COST_BYTES, false}, kProcessesPerNode) {}
};

static_assert(Scheme<StrictScheme> && Scheme<DefaultScheme> && Scheme<TableScheme>);

} // namespace avrankmap::bench

#endif
