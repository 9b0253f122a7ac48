// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Regularly spaced blocks: packing and unpacking.
#ifndef AVRANKMAP_SRC_CORE_STRIDED_H
#define AVRANKMAP_SRC_CORE_STRIDED_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "avrankmap/device/device.h"

namespace avrankmap::detail {

// Bytes of data in a layout; false if they exceed SIZE_MAX, or blocks overlap.
[[nodiscard]] inline bool packed_size(const avrm_layout_t &layout, std::size_t *bytes_p) noexcept {
  if (layout.count > 1) {
    if (layout.pitch < layout.block) {
      return false;
    }
    if (layout.pitch != 0 && layout.count > std::numeric_limits<std::size_t>::max() / layout.pitch) {
      return false;
    }
  }
  *bytes_p = layout.block * layout.count;
  return true;
}

// Bytes from the first to the last byte of a layout; 0 for an empty one.
[[nodiscard]] inline std::size_t extent_of(const avrm_layout_t &layout) noexcept {
  return layout.block == 0 || layout.count == 0 ? 0 : (layout.count - 1) * layout.pitch + layout.block;
}

[[nodiscard]] inline bool is_contiguous(const avrm_layout_t &layout) noexcept {
  return layout.count <= 1 || layout.pitch == layout.block;
}

// Calls copy(offset in memory, offset in the packed data, bytes) for each piece of packed data
// position .. position + bytes - 1.
template <typename Copy>
void for_each_piece(const avrm_layout_t &layout, std::uint64_t position, std::uint64_t bytes, Copy copy) noexcept {
  std::uint64_t done = 0;
  while (done < bytes) {
    const std::uint64_t at = position + done;
    const std::uint64_t within = at % layout.block;
    const std::uint64_t piece = std::min<std::uint64_t>(bytes - done, layout.block - within);
    copy(at / layout.block * layout.pitch + within, done, piece);
    done += piece;
  }
}

inline void pack(void *packed, const void *memory, const avrm_layout_t &layout, std::uint64_t position,
                 std::uint64_t bytes) noexcept {
  for_each_piece(layout, position, bytes, [=](std::uint64_t offset, std::uint64_t at, std::uint64_t piece) {
    std::memcpy(static_cast<unsigned char *>(packed) + at, static_cast<const unsigned char *>(memory) + offset, piece);
  });
}

inline void unpack(void *memory, const void *packed, const avrm_layout_t &layout, std::uint64_t position,
                   std::uint64_t bytes) noexcept {
  for_each_piece(layout, position, bytes, [=](std::uint64_t offset, std::uint64_t at, std::uint64_t piece) {
    std::memcpy(static_cast<unsigned char *>(memory) + offset, static_cast<const unsigned char *>(packed) + at, piece);
  });
}

} // namespace avrankmap::detail

#endif
