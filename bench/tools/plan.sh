#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/../.."
. tests/deps.sh

# Builds the planner, after installing what is missing for that (Debian, Ubuntu; as root or with
# sudo), and runs it; -h tells its options. The build folder is build/bench.
program=$PWD/build/bench/bench/tools/plan/avrm_planner
avrm_need cmake=cmake ninja-build=ninja gcc=gcc g++=g++ pkg-config=pkg-config libbenchmark-dev libfmt-dev libcli11-dev \
  nlohmann-json3-dev >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake -G Ninja -C cmake/profiles/bench.cmake -S . -B build/bench &&
  cmake --build build/bench --parallel "$(nproc)" --target avrm_planner; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
cd "$here"
"$program" "$@"
