# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# The fuzz targets of tests/fuzz with libFuzzer, which clang has: tests/fuzz.sh builds
# and runs them.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(AVRM_SANITIZE "fuzzer-no-link,address,undefined" CACHE STRING "")
set(AVRM_FUZZER ON CACHE BOOL "")
set(AVRM_BUILD_TESTS ON CACHE BOOL "")
set(AVRM_BUILD_BENCH OFF CACHE BOOL "")
