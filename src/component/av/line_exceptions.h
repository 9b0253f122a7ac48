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

// Difference between two words on a line, given the difference between their lpids, modulo 2^64.
// Lines extend beyond the existing words.
[[nodiscard]] constexpr std::uint64_t distance(std::int64_t lpids, std::int64_t step) noexcept {
  return static_cast<std::uint64_t>(lpids) * static_cast<std::uint64_t>(step);
}

// One range of lpids, or one range in each of many periods. Exceptions without such a pattern are
// represented by the range from the first to the last: some words within it are on the line, but
// readers still ask the AV for them.
class LineExceptions {
public:
  // Adds the lpids first .. end - 1, which must follow all that were added before; none if `end`
  // equals `first`.
  void add(std::uint32_t first, std::uint32_t end) noexcept;

  // Returns the line with this word at lpid 0 and this step, for lpids below `size`. If there are
  // exceptions, returns nothing if the step is 0, or so large that the words of all lpids extend
  // over more than 2^61.
  //
  // If periodic, (word - origin) * factor grows by 2^64 / period, rounded up, per lpid, so that
  // modulo 2^64 it represents the position within the period. Rounding adds less, in total, than
  // the growth per lpid. All factors are even.
  [[nodiscard]] std::optional<avrm_line_t> line(std::uint64_t word, std::int64_t step,
                                                std::int32_t size) const noexcept;

private:
  [[nodiscard]] bool make_periodic(avrm_line_t *line, std::int32_t size) const noexcept;

  std::uint32_t first_ = 0;
  std::uint32_t length_ = 0; // length of the first range
  std::uint32_t end_ = 0;
  std::uint32_t stretches_ = 0;
  std::uint32_t period_ = 0;
  bool periodic_ = true;
};

} // namespace avrankmap::detail

#endif
