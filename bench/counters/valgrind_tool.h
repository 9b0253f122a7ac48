// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The common part of cachegrind and callgrind: a tool of valgrind run on a command, and the text
// that it writes.
#pragma once

#include "counters/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace avrankmap::counters {

// Runs `valgrind --tool=TOOL OPTIONS COMMAND` and returns the text of the file that the tool writes
// for the command's own process.
Result<std::string> run_valgrind_tool(std::string_view tool, const std::vector<std::string> &options,
                                      const std::vector<std::string> &command);

// The line without its end, taken off the front of the text.
std::string_view take_line(std::string_view &text);

// The word up to the next blank, taken off the front of the line; empty at its end.
std::string_view take_word(std::string_view &line);

// A count in full: digits only, within 64 bits.
std::optional<std::uint64_t> parse_count(std::string_view word);

} // namespace avrankmap::counters
