# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Address and undefined behaviour sanitizers: cmake -C cmake/profiles/asan.cmake -S . -B build/asan
# -O1 keeps the stack traces whole and is several times faster than -O0 under a sanitizer; -g1 is
# enough for them. Assertions are on.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(AVRM_SANITIZE "address,undefined" CACHE STRING "")
set(AVRM_BUILD_TESTS ON CACHE BOOL "")
set(AVRM_BUILD_BENCH ON CACHE BOOL "")
