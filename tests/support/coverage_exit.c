// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For programs that count what they reach: forked processes end by _exit, which would leave their counts behind. The linker
// puts these functions in its place (cmake/profiles/coverage.cmake).
#include <stdnoreturn.h>

void __gcov_dump(void);
noreturn void __real__exit(int code);
noreturn void __wrap__exit(int code);
noreturn void __wrap__Exit(int code);

noreturn void __wrap__exit(int code) {
  __gcov_dump();
  __real__exit(code);
}

noreturn void __wrap__Exit(int code) { __wrap__exit(code); }
