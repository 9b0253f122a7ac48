// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For coverage builds: forked processes end by _exit, which does not write their counters. The
// linker calls these functions instead (cmake/profiles/coverage.cmake).
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
