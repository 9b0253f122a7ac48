# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# For daily work: cmake -C cmake/profiles/dev.cmake -S . -B build/dev
# No optimisation, assertions on, compile_commands.json for editors and clang-tidy.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON CACHE BOOL "")
set(AVRM_WERROR ON CACHE BOOL "")
set(AVRM_BUILD_TESTS ON CACHE BOOL "")
set(AVRM_BUILD_BENCH ON CACHE BOOL "")
