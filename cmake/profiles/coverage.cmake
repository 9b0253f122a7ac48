# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Which lines and branches the tests reach: tests/coverage.sh builds, runs and reports. Assertions
# are off: a branch that must never be taken is none. Functions that are to be inlined always are
# not: gcov would count each copy's branches apart, and in most copies a constant decides them. Gcc
# 12 warns of coroutines without optimisation, wrongly.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(flags "-O0 -g1 -DNDEBUG -Wno-attributes -Dalways_inline=noinline --coverage -fprofile-update=atomic")
set(CMAKE_C_FLAGS_DEBUG "${flags}" CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "${flags}" CACHE STRING "")
set(AVRM_WERROR OFF CACHE BOOL "")
set(AVRM_BUILD_TESTS ON CACHE BOOL "")
set(AVRM_COUNT_INSTRUCTIONS OFF CACHE BOOL "")
set(AVRM_COVERAGE ON CACHE BOOL "")
