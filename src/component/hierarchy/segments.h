// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions of hierarchies that are some pieces. A layout is one.
#ifndef AVRANKMAP_SRC_HIERARCHY_SEGMENTS_H
#define AVRANKMAP_SRC_HIERARCHY_SEGMENTS_H

#include <algorithm>

#include "hierarchy/shared.h"

namespace avrankmap::detail {

class Segments {
public:
  explicit Segments(const HierarchyHeader *header) noexcept
      : begin_(reinterpret_cast<const Segment *>(words_of(header))), end_(begin_ + header->words / kSegmentWords),
        size_(header->size) {}
  // `layout` is one, and goes with the hierarchy.
  Segments(const Segment *layout, std::uint32_t size) noexcept : begin_(layout), end_(layout + 1), size_(size) {}

  [[nodiscard]] const Segment *begin() const noexcept { return begin_; }
  [[nodiscard]] const Segment *end() const noexcept { return end_; }

  [[nodiscard]] std::int32_t node(std::uint32_t rank) const noexcept {
    const Segment &segment = *(
        std::upper_bound(begin_, end_, rank, [](std::uint32_t at, const Segment &one) { return at < one.first; }) - 1);
    const std::uint64_t place = position(segment, rank) / segment.block % segment.period;
    return static_cast<std::int32_t>(segment.node + segment.step * static_cast<std::int64_t>(place));
  }

  // Number of the ranks below `end` that are on a node.
  [[nodiscard]] std::int32_t count(std::int32_t node, std::uint32_t end) const noexcept {
    std::uint64_t count = 0;
    for (const Segment *segment = begin_; segment != end_ && segment->first < end; ++segment) {
      const std::int64_t place = place_of(*segment, node);
      if (place >= 0) {
        count += before(*segment, place, position(*segment, std::min(end, end_of(segment)))) -
                 before(*segment, place, segment->phase);
      }
    }
    return static_cast<std::int32_t>(count);
  }

  // There is one.
  [[nodiscard]] std::int32_t rank(std::int32_t node, std::int32_t local) const noexcept {
    auto left = static_cast<std::uint64_t>(local);
    for (const Segment *segment = begin_;; ++segment) {
      const std::int64_t place = place_of(*segment, node);
      if (place < 0) {
        continue;
      }
      const std::uint64_t skipped = before(*segment, place, segment->phase);
      const std::uint64_t here = before(*segment, place, position(*segment, end_of(segment))) - skipped;
      if (left < here) {
        return nth_at(*segment, place, left + skipped);
      }
      left -= here;
    }
  }

  // The first rank behind a segment.
  [[nodiscard]] std::uint32_t end_of(const Segment *segment) const noexcept {
    return segment + 1 == end_ ? size_ : segment[1].first;
  }
  [[nodiscard]] static std::uint64_t position(const Segment &segment, std::uint32_t rank) noexcept {
    return std::uint64_t{rank - segment.first} + segment.phase;
  }
  // The place of a node in a segment's period; negative: it has none.
  [[nodiscard]] static std::int64_t place_of(const Segment &segment, std::int32_t node) noexcept {
    const std::int64_t distance = node - std::int64_t{segment.node};
    if (segment.period == 1) {
      return distance == 0 ? 0 : -1;
    }
    const std::int64_t place = distance / segment.step;
    return distance % segment.step == 0 && place < segment.period ? place : -1;
  }
  // The rank of the n-th position at a place.
  [[nodiscard]] static std::int32_t nth_at(const Segment &segment, std::int64_t place, std::uint64_t n) noexcept {
    const std::uint64_t block = n / segment.block * segment.period + static_cast<std::uint64_t>(place);
    return static_cast<std::int32_t>(block * segment.block + n % segment.block - segment.phase + segment.first);
  }
  // How many of the positions below `end` are at a place.
  [[nodiscard]] static std::uint64_t before(const Segment &segment, std::int64_t place, std::uint64_t end) noexcept {
    const std::uint64_t round = std::uint64_t{segment.block} * segment.period;
    const std::uint64_t start = static_cast<std::uint64_t>(place) * segment.block;
    const std::uint64_t rest = end % round;
    return end / round * segment.block + (rest <= start ? 0 : std::min<std::uint64_t>(rest - start, segment.block));
  }

private:
  const Segment *begin_;
  const Segment *end_;
  std::uint32_t size_;
};

} // namespace avrankmap::detail

#endif
