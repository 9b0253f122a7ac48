// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "counters/callgrind.h"

#include "counters/valgrind_tool.h"

#include <optional>

namespace avrankmap::counters {

Result<CallgrindCount> parse_callgrind(std::string_view text) {
  // "totals:" closes each part of the file; a program that asks for no dumps has one part.
  std::string_view first_event;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view key = take_word(line);
    if (key == "events:") {
      first_event = take_word(line);
    } else if (key == "totals:") {
      const std::optional<std::uint64_t> count = parse_count(take_word(line));
      if (first_event != "Ir" || !count)
        return failed("callgrind's totals are not a count of instructions");
      return CallgrindCount{*count};
    }
  }
  return failed("no totals in callgrind's output");
}

Result<CallgrindCount> count_with_callgrind(const std::vector<std::string> &command, std::string_view function) {
  if (function.empty())
    return failed("no function to count");
  const Result<std::string> text =
      run_valgrind_tool("callgrind", {"--toggle-collect=" + std::string(function)}, command);
  if (!text)
    return text.failure();
  Result<CallgrindCount> count = parse_callgrind(*text);
  if (count && count->instructions == 0)
    return failed("callgrind saw no call of " + std::string(function));
  return count;
}

} // namespace avrankmap::counters
