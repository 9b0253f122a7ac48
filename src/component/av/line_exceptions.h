// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exceptions of a line (avrankmap/line.h): the lpids whose address words are not on the line.
#ifndef AVRANKMAP_SRC_AV_LINE_EXCEPTIONS_H
#define AVRANKMAP_SRC_AV_LINE_EXCEPTIONS_H

#include <cstdint>
#include <optional>

#include "avrankmap/line.h"

namespace avrankmap::detail {

// Difference between the words of lpids, modulo 2^64. Lines extend beyond the existing words.
[[nodiscard]] constexpr std::uint64_t distance(std::int64_t lpids, std::int64_t step) noexcept {
  return static_cast<std::uint64_t>(lpids) * static_cast<std::uint64_t>(step);
}

// One range of lpids, or one range in each of many periods. If exceptions have neither pattern, the
// range from the first to the last one is used: some words within it are on the line, but readers
// still ask the AV for them.
class LineExceptions {
public:
  // Adds the lpids first .. end - 1, which follow all that were added before. None if `end` equals
  // `first`.
  void add(std::uint32_t first, std::uint32_t end) noexcept;

  // Returns the line with this word at lpid 0 and this step, for lpids below `size`. Returns
  // nothing if all words are equal and only some of them are on the line.
  //
  // (word - origin) * factor is 2^64 / period, rounded up, for each lpid from the origin on, so
  // that its upper part is the position within the period. Rounding adds less than the difference
  // between two lpids. All factors are even.
  [[nodiscard]] std::optional<avrm_line_t> line(std::uint64_t word, std::int64_t step,
                                                std::int32_t size) const noexcept;

private:
  [[nodiscard]] bool make_periodic(avrm_line_t *line, std::int32_t size) const noexcept;

  std::uint32_t first_ = 0;
  std::uint32_t length_ = 0; // of the first range
  std::uint32_t end_ = 0;
  std::uint32_t stretches_ = 0;
  std::uint32_t period_ = 0;
  bool periodic_ = true;
};

} // namespace avrankmap::detail

#endif
