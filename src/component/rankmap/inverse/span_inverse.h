// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a segments map: sorted lists of segments, in one block.
//
//   +--------+-----------------------+--------------------------------+
//   | header | lines by (pgid, step) | pieces of each line, 8 bytes   |
//   +--------+-----------------------+--------------------------------+
//
// If no two segments of a process group overlap in lpids, they form one line, sorted by lpid.
// Otherwise there is a line per distance |stride|. The lpids of a line are renumbered so that lpids
// that are one step apart are adjacent: two segments then overlap only if a process occurs in both.
// The line has a piece for each stretch that belongs to one segment, namely to the first segment
// that contains it. A search thus finds the only piece of a line that can contain a process.
#ifndef AVRANKMAP_SRC_RANKMAP_INVERSE_SPAN_INVERSE_H
#define AVRANKMAP_SRC_RANKMAP_INVERSE_SPAN_INVERSE_H

#include "rankmap/inverse/inverse.h"

namespace avrankmap::detail {

class SpanInverse : public Inverse {
public:
  // Creates the inverse of a segments map. Null if out of memory. O(segments * log segments).
  [[nodiscard]] static SpanInverse *create(const avrm_rankmap_t *map) noexcept;

  // False if overlapping segments of a process group have more than kMostSteps different distances.
  // In that case rank_of must not be called.
  [[nodiscard]] bool is_useful() const noexcept { return line_count_ != 0; }
  // The lowest rank with this process, or -1 if there is none.
  [[nodiscard]] std::int32_t rank_of(const avrm_rankmap_t *map, avrm_gpid_t process) const noexcept;

private:
  static constexpr std::size_t kMostSteps = 8;

  struct Line {
    std::int32_t pgid;
    std::uint32_t step;
    std::int64_t end; // number of pieces in this line and all previous ones
  };
  struct Piece {
    std::uint32_t place; // first position; the piece ends at the next piece or with the segment
    std::int32_t segment;
  };
  struct Span;
  class Builder;

  SpanInverse(std::size_t bytes, std::int64_t line_count) noexcept : Inverse(bytes), line_count_(line_count) {}
  [[nodiscard]] Line *lines() const noexcept { return reinterpret_cast<Line *>(const_cast<SpanInverse *>(this) + 1); }
  [[nodiscard]] Piece *pieces() const noexcept { return reinterpret_cast<Piece *>(lines() + line_count_); }

  std::int64_t line_count_;
};

} // namespace avrankmap::detail

#endif
