// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shared data of hierarchies that are not layouts: a header, followed by 32-bit words.
//
//   segments  pieces (pieces.h) with node numbers, and the first rank of each instead of its count
//   starts    the first rank of each node, in order
//   packed    per level: the number of clear bits, then groups of 9 words: the number of set bits
//             before the group, and 256 bits
//
// The levels are a wavelet matrix of the nodes: level 0 has the highest bit of each rank's node, in
// order of rank. Each further level has the next bit, after a stable sort by the previous bit,
// clear bits first. After the last level, the ranks are sorted by the reversed bits of their node,
// and the ranks of one node are consecutive and in order.
#ifndef AVRANKMAP_SRC_HIERARCHY_SHARED_H
#define AVRANKMAP_SRC_HIERARCHY_SHARED_H

#include <atomic>
#include <bit>

#include "av/instance.h"
#include "avrankmap/hierarchy.h"
#include "hierarchy/pieces.h"

namespace avrankmap::detail {

struct HierarchyHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::uint32_t levels = 0; // 0: starts; kPlacedPieces: segments; otherwise packed
  std::uint32_t hash = 0;   // hash of the content; 0 until the block is interned
  std::uint32_t size = 0;
  std::uint64_t words = 0; // number of words after the header
};
static_assert(sizeof(HierarchyHeader) == 24);

// Null for a layout.
[[nodiscard]] inline const HierarchyHeader *header_of(const avrm_hierarchy_t *hierarchy) noexcept {
  return static_cast<const HierarchyHeader *>(hierarchy->shared);
}
[[nodiscard]] inline std::uint32_t *words_of(HierarchyHeader *header) noexcept {
  return reinterpret_cast<std::uint32_t *>(header + 1);
}
[[nodiscard]] inline const std::uint32_t *words_of(const HierarchyHeader *header) noexcept {
  return reinterpret_cast<const std::uint32_t *>(header + 1);
}
[[nodiscard]] inline std::size_t bytes_of(const HierarchyHeader *header) noexcept {
  return sizeof *header + static_cast<std::size_t>(header->words) * 4;
}

// One level of a packed hierarchy.
inline constexpr std::uint32_t kGroupBits = 256;
inline constexpr std::uint32_t kGroupWords = 9;

[[nodiscard]] inline std::uint64_t level_words(std::uint32_t size) noexcept {
  return 1 + (std::uint64_t{size} / kGroupBits + 1) * kGroupWords;
}

class Level {
public:
  Level(const HierarchyHeader *header, std::uint32_t level) noexcept
      : words_(words_of(header) + level * level_words(header->size)), size_(header->size) {}

  [[nodiscard]] std::uint32_t clear() const noexcept { return words_[0]; }
  [[nodiscard]] bool bit(std::uint32_t i) const noexcept {
    return (group(i / kGroupBits)[1 + i % kGroupBits / 32] >> (i % 32) & 1) != 0;
  }
  // Number of set bits before bit i, which may be the size.
  [[nodiscard]] std::uint32_t set_before(std::uint32_t i) const noexcept {
    const std::uint32_t *const in = group(i / kGroupBits);
    std::uint32_t count = in[0];
    const std::uint32_t word = i % kGroupBits / 32;
    for (std::uint32_t k = 0; k < word; ++k) {
      count += static_cast<std::uint32_t>(std::popcount(in[1 + k]));
    }
    return count + static_cast<std::uint32_t>(std::popcount(in[1 + word] & ((std::uint32_t{1} << (i % 32)) - 1)));
  }
  // The position on the next level of the first bit of this value at or after position i; if there
  // is none, the end of the bits of this value there.
  [[nodiscard]] std::uint32_t down(std::uint32_t i, bool value) const noexcept {
    const std::uint32_t set = set_before(i);
    return value ? clear() + set : i - set;
  }
  // The bit that `down` moves to position i.
  [[nodiscard]] std::uint32_t up(std::uint32_t i, bool value) const noexcept {
    const std::uint32_t wanted = value ? i - clear() : i; // number of bits of this value before it
    const auto before = [this, value](std::uint32_t index) {
      const std::uint32_t set = group(index)[0];
      return value ? set : index * kGroupBits - set;
    };
    std::uint32_t low = 0;
    for (std::uint32_t high = size_ / kGroupBits + 1; high - low > 1;) {
      const std::uint32_t middle = low + (high - low) / 2;
      before(middle) <= wanted ? low = middle : high = middle;
    }
    std::uint32_t left = wanted - before(low);
    const std::uint32_t flip = value ? 0 : ~std::uint32_t{0};
    const std::uint32_t *word = group(low) + 1;
    std::uint32_t bits = *word ^ flip;
    std::uint32_t place = low * kGroupBits;
    for (; left >= static_cast<std::uint32_t>(std::popcount(bits)); place += 32) {
      left -= static_cast<std::uint32_t>(std::popcount(bits));
      bits = *++word ^ flip;
    }
    for (; left > 0; --left) {
      bits &= bits - 1;
    }
    return place + static_cast<std::uint32_t>(std::countr_zero(bits));
  }

private:
  [[nodiscard]] const std::uint32_t *group(std::uint32_t index) const noexcept {
    return words_ + 1 + std::size_t{index} * kGroupWords;
  }

  const std::uint32_t *words_;
  std::uint32_t size_;
};

// Value of `levels` for segments.
inline constexpr std::uint32_t kPlacedPieces = 0xffffffff;
// Upper bound, because most queries scan all pieces.
inline constexpr std::size_t kMostPlacedPieces = 32;

struct PlacedPiece {
  std::uint32_t first;
  std::uint32_t node;
  std::int32_t step;
  std::uint32_t block;
  std::uint32_t phase;
  std::uint32_t period;
};
inline constexpr std::uint32_t kPlacedPieceWords = sizeof(PlacedPiece) / 4;

// Makes a hierarchy use the smallest form of shared data. `list` contains the node numbers of the
// ranks; if it overflows, `nodes` contains them and is overwritten. Otherwise `nodes` may be null.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY
// Cost: O(pieces) for segments; O(nodes) for starts, or O(ranks) if the list overflows; O(ranks *
// log nodes) for packed.
[[nodiscard]] avrm_status_t share(avrm_hierarchy_t *hierarchy, const PieceList &list, std::uint32_t *nodes) noexcept;

} // namespace avrankmap::detail

#endif
