# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# To install: cmake -C cmake/profiles/release.cmake -S . -B build/release
# The library alone; a warning that a newer compiler invents does not stop the build.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(AVRM_WERROR OFF CACHE BOOL "")
set(AVRM_BUILD_TESTS OFF CACHE BOOL "")
set(AVRM_BUILD_BENCH OFF CACHE BOOL "")
