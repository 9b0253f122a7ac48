// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Queries of hierarchies that consist of pieces, including layouts.
#ifndef AVRANKMAP_SRC_HIERARCHY_PLACED_PIECES_H
#define AVRANKMAP_SRC_HIERARCHY_PLACED_PIECES_H

#include <algorithm>

#include "hierarchy/shared.h"

namespace avrankmap::detail {

class PlacedPieces {
public:
  explicit PlacedPieces(const HierarchyHeader *header) noexcept
      : begin_(reinterpret_cast<const PlacedPiece *>(words_of(header))),
        end_(begin_ + header->words / kPlacedPieceWords), size_(header->size) {}
  // `layout` must remain valid.
  PlacedPieces(const PlacedPiece *layout, std::uint32_t size) noexcept
      : begin_(layout), end_(layout + 1), size_(size) {}

  [[nodiscard]] const PlacedPiece *begin() const noexcept { return begin_; }
  [[nodiscard]] const PlacedPiece *end() const noexcept { return end_; }

  [[nodiscard]] std::int32_t node(std::uint32_t rank) const noexcept {
    const PlacedPiece &placed = *(
        std::upper_bound(begin_, end_, rank, [](std::uint32_t at, const PlacedPiece &one) { return at < one.first; }) -
        1);
    const std::uint64_t place = position(placed, rank) / placed.block % placed.period;
    return static_cast<std::int32_t>(placed.node + placed.step * static_cast<std::int64_t>(place));
  }

  // Number of ranks below `end` on a node.
  [[nodiscard]] std::int32_t count(std::int32_t node, std::uint32_t end) const noexcept {
    std::uint64_t count = 0;
    for (const PlacedPiece *placed = begin_; placed != end_ && placed->first < end; ++placed) {
      const std::int64_t place = place_of(*placed, node);
      if (place >= 0) {
        count += before(*placed, place, position(*placed, std::min(end, end_of(placed)))) -
                 before(*placed, place, placed->phase);
      }
    }
    return static_cast<std::int32_t>(count);
  }

  // The rank must exist.
  [[nodiscard]] std::int32_t rank(std::int32_t node, std::int32_t local) const noexcept {
    auto left = static_cast<std::uint64_t>(local);
    for (const PlacedPiece *placed = begin_;; ++placed) {
      const std::int64_t place = place_of(*placed, node);
      if (place < 0) {
        continue;
      }
      const std::uint64_t skipped = before(*placed, place, placed->phase);
      const std::uint64_t here = before(*placed, place, position(*placed, end_of(placed))) - skipped;
      if (left < here) {
        return nth_at(*placed, place, left + skipped);
      }
      left -= here;
    }
  }

  // The first rank after a piece.
  [[nodiscard]] std::uint32_t end_of(const PlacedPiece *placed) const noexcept {
    return placed + 1 == end_ ? size_ : placed[1].first;
  }
  [[nodiscard]] static std::uint64_t position(const PlacedPiece &placed, std::uint32_t rank) noexcept {
    return std::uint64_t{rank - placed.first} + placed.phase;
  }
  // The position of a node in the period of a piece; negative if the node is not in it.
  [[nodiscard]] static std::int64_t place_of(const PlacedPiece &placed, std::int32_t node) noexcept {
    const std::int64_t distance = node - std::int64_t{placed.node};
    if (placed.period == 1) {
      return distance == 0 ? 0 : -1;
    }
    const std::int64_t place = distance / placed.step;
    return distance % placed.step == 0 && place < placed.period ? place : -1;
  }
  // The n-th rank at position `place` of the period.
  [[nodiscard]] static std::int32_t nth_at(const PlacedPiece &placed, std::int64_t place, std::uint64_t n) noexcept {
    const std::uint64_t block = n / placed.block * placed.period + static_cast<std::uint64_t>(place);
    return static_cast<std::int32_t>(block * placed.block + n % placed.block - placed.phase + placed.first);
  }
  // The number of ranks before `end` that are at position `place` of the period.
  [[nodiscard]] static std::uint64_t before(const PlacedPiece &placed, std::int64_t place, std::uint64_t end) noexcept {
    const std::uint64_t round = std::uint64_t{placed.block} * placed.period;
    const std::uint64_t start = static_cast<std::uint64_t>(place) * placed.block;
    const std::uint64_t rest = end % round;
    return end / round * placed.block + (rest <= start ? 0 : std::min<std::uint64_t>(rest - start, placed.block));
  }

private:
  const PlacedPiece *begin_;
  const PlacedPiece *end_;
  std::uint32_t size_;
};

} // namespace avrankmap::detail

#endif
