# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# To measure: cmake -C cmake/profiles/bench.cmake -S . -B build/bench
# The flags of the default build, so that what is measured is what a user gets. No -march: valgrind
# cannot run AVX-512, and the library picks its vector code at run time.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(AVRM_WERROR OFF CACHE BOOL "")
set(AVRM_BUILD_TESTS OFF CACHE BOOL "")
set(AVRM_BUILD_BENCH ON CACHE BOOL "")
