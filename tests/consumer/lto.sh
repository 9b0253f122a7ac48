#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: lto.sh CMAKE GENERATOR SOURCE_DIR WORK_DIR CC CXX
# Builds the component with -flto, and links it into a C program with and without -flto. Exits with
# 77 if the compiler has no plugin for link-time optimisation.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 generator=$2 source=$3 work=$4 cc=$5 cxx=$6

mkdir -p "$work"
echo 'int main(void) { return 0; }' >"$work/trial.c"
if ! "$cc" -flto "$work/trial.c" -o "$work/trial"; then
  echo "skipped: $cc does not link with -flto"
  exit 77
fi
"$cmake" -G "$generator" -S "$source" -B "$work/build" -D CMAKE_C_COMPILER="$cc" -D CMAKE_CXX_COMPILER="$cxx" \
  -D CMAKE_C_FLAGS=-flto -D CMAKE_CXX_FLAGS=-flto -D CMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -D AVRM_BUILD_DEVICE=OFF \
  -D AVRM_BUILD_TESTS=OFF -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 -D AVRM_PRECOMPILE=ON
"$cmake" --build "$work/build" --target avrankmap
for flag in -fno-lto -flto; do
  "$cc" -std=c11 -O2 "$flag" -I"$source/include" -I"$work/build/include" "$here/first_program.c" \
    "$work/build/src/component/libavrankmap.a" -pthread -o "$work/first_program"
  "$work/first_program" | diff - "$here/first_program.expected"
done
