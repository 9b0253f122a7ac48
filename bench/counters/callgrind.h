// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// A second opinion on instruction counts: valgrind's callgrind collects while a given function,
// callees included, is running. It counts what the program does over all of its calls, ret and
// landing pads included.
#pragma once

#include "counters/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace avrankmap::counters {

struct CallgrindCount {
  static constexpr const char *source = "callgrind (exact)";

  std::uint64_t instructions = 0; // over all calls of the function
};

// The collected instructions from the text of a callgrind output file.
Result<CallgrindCount> parse_callgrind(std::string_view text);

// Runs the command (command[0] is searched in PATH, no shell). The function is named as callgrind
// names it: the symbol of a C function, "f(int)" of a C++ one; * and ? match as in a shell.
// Unavailable without valgrind; failed when the program does not end with status 0 or never
// enters the function.
Result<CallgrindCount> count_with_callgrind(const std::vector<std::string> &command, std::string_view function);

} // namespace avrankmap::counters
