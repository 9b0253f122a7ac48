// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory behind an address vector: the instance's allocator, or pages of a chosen size and place.
#ifndef AVRANKMAP_SRC_AV_BACKING_H
#define AVRANKMAP_SRC_AV_BACKING_H

#include <cstddef>

#include "avrankmap/av.h"
#include "base/memory.h"

namespace avrankmap::detail {

struct Backing {
  void *block = nullptr;
  std::size_t size = 0; // as accounted: the wanted size, rounded up to pages if mapped
  bool mapped = false;  // own pages, not from the allocator
};

// Zero-filled, 64-aligned. `options` must have been checked. On failure nothing stays allocated.
[[nodiscard]] avrm_status_t allocate_backing(Memory &memory, std::size_t size, const avrm_av_options_t &options,
                                             Backing *backing_p) noexcept;
void release_backing(Memory &memory, const Backing &backing) noexcept;

} // namespace avrankmap::detail

#endif
