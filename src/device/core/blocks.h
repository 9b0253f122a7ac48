// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data in blocks, which are at equal distances or in a list, in memory or in a part of a window.
#ifndef AVRANKMAP_SRC_CORE_BLOCKS_H
#define AVRANKMAP_SRC_CORE_BLOCKS_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "avrankmap/device/blocks.h"

namespace avrankmap::detail {

// Positions of blocks, relative to a base.
struct Shape {
  std::size_t block; // as in avrm_layout_t, without a list
  std::size_t count;
  std::size_t pitch;
  const avrm_block_t *list; // or null
};

[[nodiscard]] inline Shape shape_of(const avrm_layout_t &layout) noexcept {
  return {layout.block, layout.count, layout.pitch, nullptr};
}
[[nodiscard]] inline Shape one_block(std::size_t bytes) noexcept { return {bytes, 1, bytes, nullptr}; }

// False for every list: data without gaps are described as one block.
[[nodiscard]] inline bool is_contiguous(const Shape &shape) noexcept {
  return shape.list == nullptr && (shape.count <= 1 || shape.pitch == shape.block);
}

// Data of an operation.
struct Data {
  std::uint64_t base; // address, or offset in the target's part
  Shape shape;
  std::size_t bytes;    // of data
  std::uint64_t start;  // place of the lowest byte; `base` if there is none
  std::uint64_t extent; // bytes from the lowest to the highest

  [[nodiscard]] unsigned char *memory() const noexcept { return reinterpret_cast<unsigned char *>(base); }
};

[[nodiscard]] inline std::uint64_t address_of(const void *memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory);
}
[[nodiscard]] inline Data contiguous(std::uint64_t base, std::size_t bytes) noexcept {
  return {base, one_block(bytes), bytes, base, bytes};
}

// Both functions return AVRM_OK, AVRM_ERR_NULL (no list) or AVRM_ERR_SIZE (a layout whose blocks
// overlap, more than SIZE_MAX bytes, or a block of a list that does not fit into 64 bits).
[[nodiscard]] avrm_status_t describe(std::uint64_t base, const avrm_blocks_t &blocks, Data *data_p) noexcept;
[[nodiscard]] inline avrm_status_t describe(std::uint64_t base, const avrm_layout_t &layout, Data *data_p) noexcept {
  if (layout.count > 1 &&
      (layout.pitch < layout.block ||
       (layout.pitch != 0 && layout.count > std::numeric_limits<std::size_t>::max() / layout.pitch))) {
    return AVRM_ERR_SIZE;
  }
  const std::size_t bytes = layout.block * layout.count;
  const std::uint64_t extent = bytes == 0 ? 0 : (layout.count - 1) * layout.pitch + layout.block;
  *data_p = {base, shape_of(layout), bytes, base, extent};
  return AVRM_OK;
}

// Describes data in memory. Like `describe`, but also returns AVRM_ERR_NULL for data at address 0.
template <typename Blocks>
[[nodiscard]] avrm_status_t describe_memory(const void *buffer, const Blocks &blocks, Data *data_p) noexcept {
  const avrm_status_t status = describe(address_of(buffer), blocks, data_p);
  return status == AVRM_OK && data_p->bytes != 0 && data_p->start == 0 ? AVRM_ERR_NULL : status;
}

// A position in data, which moves from their beginning to their end.
class Cursor {
public:
  explicit Cursor(const Data &data) noexcept : Cursor(data.base, data.shape) {}
  // Starts at a position in the data, which must be 0 for a list.
  Cursor(std::uint64_t base, const Shape &shape, std::uint64_t position = 0) noexcept
      : base_(base), place_(base), room_(shape.block), block_(shape.block), gap_(shape.pitch - shape.block),
        next_(shape.list), end_(shape.list == nullptr ? nullptr : shape.list + shape.count) {
    if (next_ != nullptr) {
      enter();
    } else if (position != 0) {
      place_ += position / block_ * shape.pitch + position % block_;
      room_ -= position % block_;
    }
  }

  // Returns an address, or an offset in the target's part.
  [[nodiscard]] std::uint64_t place() const noexcept { return place_; }
  [[nodiscard]] unsigned char *memory() const noexcept { return reinterpret_cast<unsigned char *>(place_); }
  // Returns the number of bytes up to the end of the block. Not 0 before the end of the data.
  [[nodiscard]] std::uint64_t room() const noexcept { return room_; }
  // Advances by at most room() bytes.
  void advance(std::uint64_t bytes) noexcept {
    place_ += bytes;
    room_ -= bytes;
    if (room_ == 0) {
      if (next_ != nullptr) {
        enter();
      } else {
        place_ += gap_;
        room_ = block_;
      }
    }
  }

private:
  // Goes to the next block of the list that has data.
  void enter() noexcept {
    while (next_ != end_ && next_->bytes == 0) {
      ++next_;
    }
    if (next_ != end_) {
      place_ = base_ + static_cast<std::uint64_t>(next_->offset);
      room_ = next_->bytes;
      ++next_;
    }
  }

  std::uint64_t base_;
  std::uint64_t place_;
  std::uint64_t room_;
  std::uint64_t block_;
  std::uint64_t gap_;
  const avrm_block_t *next_; // null without a list
  const avrm_block_t *end_;
};

// Copies the next bytes.
inline void copy(Cursor *to, Cursor *from, std::uint64_t bytes) noexcept {
  while (bytes != 0) {
    const std::uint64_t piece = std::min({bytes, to->room(), from->room()});
    std::memcpy(to->memory(), from->memory(), piece);
    to->advance(piece);
    from->advance(piece);
    bytes -= piece;
  }
}
inline void pack(void *packed, Cursor *from, std::uint64_t bytes) noexcept {
  Cursor to(contiguous(address_of(packed), bytes));
  copy(&to, from, bytes);
}
inline void unpack(Cursor *to, const void *packed, std::uint64_t bytes) noexcept {
  Cursor from(contiguous(address_of(packed), bytes));
  copy(to, &from, bytes);
}

} // namespace avrankmap::detail

#endif
