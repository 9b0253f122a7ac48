# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Which lines and branches the tests reach: tests/coverage.sh builds, runs and reports. Assertions are off: a branch that must
# never be taken is none.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g1 -DNDEBUG --coverage -fprofile-update=atomic" CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -DNDEBUG --coverage -fprofile-update=atomic" CACHE STRING "")
set(AVRM_BUILD_TESTS ON CACHE BOOL "")
set(AVRM_BUILD_BENCH OFF CACHE BOOL "")
