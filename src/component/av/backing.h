// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of an address vector: from the instance's allocator, or pages of a selected size and NUMA
// node.
#ifndef AVRANKMAP_SRC_AV_BACKING_H
#define AVRANKMAP_SRC_AV_BACKING_H

#include <cstddef>

#include "avrankmap/av.h"
#include "base/memory.h"

namespace avrankmap::detail {

struct Backing {
  void *block = nullptr;
  std::size_t size = 0; // accounted size: the requested size, rounded up to pages if mapped
  bool mapped = false;  // mapped pages, not from the allocator
};

// Allocates zero-filled, 64-aligned memory. `options` must have been checked. On failure nothing
// remains allocated.
[[nodiscard]] avrm_status_t allocate_backing(Memory &memory, std::uint64_t bytes, const avrm_av_options_t &options,
                                             Backing *backing_p) noexcept;
void release_backing(Memory &memory, const Backing &backing) noexcept;

} // namespace avrankmap::detail

#endif
