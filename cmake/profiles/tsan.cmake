# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Thread sanitizer: cmake -C cmake/profiles/tsan.cmake -S . -B build/tsan -O1 keeps the stack
# traces whole and is several times faster than -O0 under a sanitizer; -g1 is enough for them.
# Assertions are on.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(AVRM_SANITIZE "thread" CACHE STRING "")
set(AVRM_BUILD_TESTS ON CACHE BOOL "")
set(AVRM_BUILD_BENCH OFF CACHE BOOL "") # nothing there has threads
