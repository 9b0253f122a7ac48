#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/deps.sh

usage() {
  cat <<'END'
Usage: tests/lint.sh [FILE]...
Checks the library's sources (src, netmod, shmmod; or the given files) with clang-tidy 14, by the rules
in .clang-tidy, and with cppcheck. Installs missing packages first (Debian, Ubuntu; as root or with
sudo). Exits with 1 if either reports something. Takes several minutes.
END
}

files=()
for option in "$@"; do
  case $option in
  -h | --help) usage && exit 0 ;;
  -*) usage >&2 && exit 2 ;;
  *) files+=("$option") ;;
  esac
done
((${#files[@]})) || mapfile -t files < <(git ls-files 'src/*.cpp' 'netmod/*.cpp' 'shmmod/*.cpp')

avrm_need cmake=cmake ninja-build=ninja clang=clang++ clang-tidy-14=clang-tidy-14 cppcheck=cppcheck pkg-config=pkg-config \
  libfabric-dev libucx-dev libpmix-dev libpmi2-0-dev libhwloc-dev libsodium-dev
cmake -G Ninja -S . -B build/lint -C cmake/profiles/dev.cmake -D CMAKE_C_COMPILER=clang -D CMAKE_CXX_COMPILER=clang++ \
  -D AVRM_BUILD_TESTS=OFF -D AVRM_BUILD_BENCH=OFF >/dev/null

status=0
echo "== clang-tidy"
printf '%s\0' "${files[@]}" |
  xargs -0 --max-procs "$(nproc)" --max-args 1 clang-tidy-14 -p build/lint --quiet 2>/dev/null || status=1
echo "== cppcheck"
# Of its checks, those that need no knowledge of callers and of other systems.
cppcheck --quiet --inline-suppr --std=c++20 --language=c++ --enable=warning,performance,portability --error-exitcode=1 \
  --suppress=missingIncludeSystem -j "$(nproc)" -I include -I build/lint/include -I src/component -I src/device -I netmod -I shmmod -I . \
  "${files[@]}" || status=1
exit "$status"
