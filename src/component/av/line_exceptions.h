// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exceptions of a line (avrankmap/line.h): the lpids whose address words are not on it.
#ifndef AVRANKMAP_SRC_AV_LINE_EXCEPTIONS_H
#define AVRANKMAP_SRC_AV_LINE_EXCEPTIONS_H

#include <cstdint>
#include <optional>

#include "avrankmap/line.h"

namespace avrankmap::detail {

// How far words are apart, modulo 2^64: lines extend beyond the words that there are.
[[nodiscard]] constexpr std::uint64_t distance(std::int64_t lpids, std::int64_t step) noexcept {
  return static_cast<std::uint64_t>(lpids) * static_cast<std::uint64_t>(step);
}

// One stretch of lpids, or a stretch in each of many periods. Exceptions that are neither
// is the stretch from its first to its last lpid: some words in between are on the line, and
// readers ask the AV for them, too.
class LineExceptions {
public:
  // Adds the lpids first .. end - 1, behind all that were added before. None if `end` is `first`.
  void add(std::uint32_t first, std::uint32_t end) noexcept;

  // The line from its word at lpid 0 and its step, for lpids below `size`. Nothing if all words are
  // the same and only some of them are on the line.
  //
  // (word - origin) * factor is 2^64 / period for each lpid from the origin on, rounded up, so that
  // its high part is the place in the period. Rounding adds less than the distance of two lpids.
  // All factors are even.
  [[nodiscard]] std::optional<avrm_line_t> line(std::uint64_t word, std::int64_t step,
                                                std::int32_t size) const noexcept;

private:
  [[nodiscard]] bool make_periodic(avrm_line_t *line, std::int32_t size) const noexcept;

  std::uint32_t first_ = 0;
  std::uint32_t length_ = 0; // of the first stretch
  std::uint32_t end_ = 0;
  std::uint32_t stretches_ = 0;
  std::uint32_t period_ = 0;
  bool periodic_ = true;
};

} // namespace avrankmap::detail

#endif
