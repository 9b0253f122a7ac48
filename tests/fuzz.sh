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
  --keep       replaces the target's inputs in tests/fuzz/corpus by the 20 that reach most, of all that were found

Targets: maps, addresses, parts, mapfile, active, pieces, ports, records, watchers, shm_ring.
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
  maps | addresses | parts | mapfile | active | pieces | ports | records | watchers | shm_ring) targets+=("$1") ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done
[[ $minutes =~ ^[1-9][0-9]*$ ]] || { usage >&2 && exit 2; }
((${#targets[@]})) || targets=(maps addresses parts mapfile active pieces ports records watchers shm_ring)

avrm_need cmake=cmake ninja-build=ninja clang=clang++ llvm=llvm-symbolizer binutils=readelf pkg-config=pkg-config \
  libclang-rt-14-dev libfmt-dev libgtest-dev libfabric-dev libucx-dev libpmix-dev libpmi2-0-dev libsodium-dev
mkdir -p build
cmake -G Ninja -S . -B build/fuzz -C cmake/profiles/fuzz.cmake -D CMAKE_C_COMPILER=clang -D CMAKE_CXX_COMPILER=clang++ \
  >build/fuzz.log 2>&1 || { cat build/fuzz.log; exit 1; }
cmake --build build/fuzz --target "${targets[@]/#/fuzz_}"

# Names the 20 inputs of a libFuzzer control file that reach most: each time the one that adds most
# to those before it.
readonly choose='
NR == 1 { files = $1 }
NR > 2 && NR <= 2 + files { name[NR - 3] = $0; next }
$1 == "STARTED" { size[$2] = $3 }
$1 == "FT" { reaches[$2] = $0; sub(/^FT [0-9]+/, "", reaches[$2]) }
END {
  for (chosen = 0; chosen < 20; ++chosen) {
    most = 0
    for (input in reaches) {
      count = split(reaches[input], features, " ")
      new = 0
      reaches[input] = ""
      for (i = 1; i <= count; ++i) if (!(features[i] in reached)) { ++new; reaches[input] = reaches[input] " " features[i] }
      if (new > most || new == most && new > 0 && size[input] < size[best]) { most = new; best = input }
    }
    if (most == 0) break
    print name[best]
    split(reaches[best], features, " ")
    for (i in features) reached[features[i]]
  }
}'
# keep TARGET FOLDER
keep() {
  local corpus=tests/fuzz/corpus/$1 control=build/fuzz/$1.control chosen=build/fuzz/$1.chosen number=0 input
  rm -rf "$control" "$chosen" && mkdir "$chosen"
  "build/fuzz/tests/fuzz/fuzz_$1" -set_cover_merge=1 -max_len=500 -merge_control_file="$control" "$chosen" "$corpus" "$2" \
    2>/dev/null
  rm -f "$chosen"/*
  while read -r input; do
    printf -v number '%02d' $((10#$number + 1))
    cp "$input" "$chosen/$number"
  done < <(awk "$choose" "$control")
  rm -r "$corpus" && mv "$chosen" "$corpus"
}

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
  ((!keep)) || keep "$target" "$work"
done
