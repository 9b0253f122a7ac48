// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Environment of the process, where it changes the meaning of a count.
#pragma once

#include <string_view>

namespace avrankmap::counters {

// Name of a sanitizer whose run-time library is linked in, or empty. Instrumented code executes
// other instructions and touches other memory than the code that we want to count.
std::string_view linked_sanitizer();

// True under any valgrind tool: the processor then runs valgrind's translation of the program,
// not the program.
bool under_valgrind();

} // namespace avrankmap::counters
