#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/deps.sh

usage() {
  cat <<'END'
Usage: tests/coverage.sh [--component] [--html FOLDER]
Builds avrankmap with gcc's coverage, runs the tests, and reports the lines and branches that they reach,
of the component (include, src/component) and of the device (src/device, netmod and shmmod). Installs missing packages first (Debian, Ubuntu; as root or with sudo). Exits with 1 below 95 %
of the component's lines, 90 % of its branches or 85 % of the device's lines.

  --component  only the component, with its own tests
  --html       also writes a page per file

Branches of exceptions are not counted, since none leaves the library. Processes that die by a signal, as
in some tests of the device, write no counts.
END
}

component_only=0
html=
while (($#)); do
  case $1 in
  --component) component_only=1 ;;
  --html) html=$2 && shift ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done

folder=build/coverage
avrm_need cmake=cmake ninja-build=ninja gcc=gcc g++=g++ pkg-config=pkg-config libgtest-dev gcovr=gcovr \
  libfabric-dev libucx-dev libpmix-dev libpmi2-0-dev libhwloc-dev libsodium-dev openmpi-bin=mpirun.openmpi \
  hydra=mpiexec.hydra
cmake -G Ninja -S . -B "$folder" -C cmake/profiles/coverage.cmake -D CMAKE_C_COMPILER=gcc -D CMAKE_CXX_COMPILER=g++ \
  -D AVRM_BUILD_DEVICE=$((1 - component_only)) >/dev/null
cmake --build "$folder" --parallel "$(nproc)"
find "$folder" -name '*.gcda' -delete

# One process per program, not per test as with ctest, since each process writes the counts of all
# files at its end. Of libfabric's providers, tcp and sockets stand for all.
run_program() {
  local log=$1.log
  if timeout 1200 "$1" --gtest_brief=1 \
    --gtest_filter='-*ofi_net*' >"$log" 2>&1; then
    echo "passed: ${1##*/}"
  else
    grep -B 5 'FAILED' "$log" || tail "$log"
    echo "FAILED: ${1##*/}, see $log"
    return 1
  fi
}
export -f run_program
status=0
printf '%s\0' "$folder"/tests/*_tests | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_program "$0"' || status=1
ctest --test-dir "$folder" --output-on-failure --no-tests=error --label-regex fuzz --parallel "$(nproc)" || status=1

# report NAME LINES BRANCHES FILTER...: fails below the two percentages.
report() {
  local name=$1 lines=$2 branches=$3 filters=() pages=()
  shift 3
  for filter in "$@"; do
    filters+=(--filter "$filter")
  done
  if [[ -n $html ]]; then
    mkdir -p "$html"
    pages=(--html-details "$html/$name.html")
  fi
  echo "== $name"
  gcovr --root . --object-directory "$folder" "${filters[@]}" --exclude-throw-branches --exclude-unreachable-branches \
    --print-summary --fail-under-line "$lines" --fail-under-branch "$branches" "${pages[@]}"
}
report component 95 90 'include/' 'src/component/' || status=1
((component_only)) || report device 85 0 'src/device/' 'netmod/' 'shmmod/' || status=1
exit "$status"
