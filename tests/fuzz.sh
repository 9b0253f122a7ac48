#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/deps.sh

usage() {
  cat <<'END'
Usage: tests/fuzz.sh [--minutes N] [--keep] [TARGET]...
Builds the fuzz targets (tests/fuzz) with clang's libFuzzer and the address and undefined behaviour
sanitizers, and runs all of them, or those named, from the inputs in tests/fuzz/corpus. Installs missing
packages first (Debian, Ubuntu; as root or with sudo). Stops at the first finding, and keeps its input in
build/fuzz.

  --minutes N  processor time per target; default 1
  --keep       adds a minimal set of inputs that reach new code to tests/fuzz/corpus

Targets: maps, addresses, parts, mapfile, active, pieces, ports, records, watchers, ring.
END
}

minutes=1
keep=0
targets=()
while (($#)); do
  case $1 in
  --minutes) minutes=$2 && shift ;;
  --keep) keep=1 ;;
  -h | --help) usage && exit 0 ;;
  maps | addresses | parts | mapfile | active | pieces | ports | records | watchers | ring) targets+=("$1") ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done
[[ $minutes =~ ^[1-9][0-9]*$ ]] || { usage >&2 && exit 2; }
((${#targets[@]})) || targets=(maps addresses parts mapfile active pieces ports records watchers ring)

avrm_need cmake=cmake ninja-build=ninja clang=clang++ llvm=llvm-symbolizer binutils=readelf pkg-config=pkg-config \
  libclang-rt-14-dev libfmt-dev libgtest-dev libfabric-dev libucx-dev libpmix-dev libsodium-dev
mkdir -p build
cmake -G Ninja -S . -B build/fuzz -C cmake/profiles/fuzz.cmake -D CMAKE_C_COMPILER=clang -D CMAKE_CXX_COMPILER=clang++ \
  >build/fuzz.log 2>&1 || { cat build/fuzz.log; exit 1; }
cmake --build build/fuzz --target "${targets[@]/#/fuzz_}"

# Exit code of a process that has used up its processor time (SIGXCPU).
readonly used_up=152
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:detect_leaks=1
for target in "${targets[@]}"; do
  echo "== $target"
  work=build/fuzz/corpus/$target
  mkdir -p "$work" "tests/fuzz/corpus/$target"
  status=0
  (cd build/fuzz && ulimit -S -t $((60 * minutes)) && "tests/fuzz/fuzz_$target" -max_len=2000 -rss_limit_mb=4096 \
    "corpus/$target" "../../tests/fuzz/corpus/$target" 2>&1 | tail -n 25 | cut -c 1-200) || status=$?
  ((status == used_up)) || exit 1
  if ((keep)); then
    "build/fuzz/tests/fuzz/fuzz_$target" -merge=1 -max_len=200 "tests/fuzz/corpus/$target" "$work" 2>/dev/null
  fi
done
