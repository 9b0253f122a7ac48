#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
root=$PWD
. tests/deps.sh
. bench/build.sh

usage() {
  cat <<'END'
Usage: bench/run.sh [--quick] [--details] [--json FILE] [--map FILE] [--filter REGEX] [--list]
                    [--from FILE] [--update-readme]
Builds the benchmarks, after installing missing packages (Debian, Ubuntu; as root or with sudo), and
measures: instructions, issue rates on a null network, bytes per process, creation of communicators,
the device, and two processes over every transport of this machine and over its bare interface.
Ends in one screen: rates, bytes, instructions, transports, and the budgets that fail. A budget that
fails is a result, not an error. All tables are in build/bench/results.txt and results.json.

  --quick          about two minutes: 16 and 786,432 peers, fewer rounds, no cache misses
  --details        prints all tables
  --json FILE      also writes the results to FILE
  --map FILE       also measures the communicator in FILE: one lpid or pgid:lpid per line, by rank;
                   # starts a comment
  --filter REGEX   only measurements and benchmarks whose name matches, with all of their tables
  --list           prints these names
  --from FILE      shows the results in FILE instead of measuring
  --update-readme  writes the generated tables of bench/README.md and bench/BUDGETS.md
                   anew, from this run or from --from FILE
  -h, --help       this help

The build folder is build/bench. A full run takes up to 25 minutes and 10 GB of memory on two cores.
END
}

arguments=()
avrm_check_options "$@" || exit 2
for option in "$@"; do
  case $option in
  -h | --help) usage && exit 0 ;;
  --list) exec cat bench/measurements.txt ;;
  --update-readme)
    for document in bench/README.md bench/BUDGETS.md; do
      arguments+=(--update "$root/$document")
    done
    ;;
  *) arguments+=("$option") ;;
  esac
done

avrm_need cmake=cmake ninja-build=ninja gcc=gcc g++=g++ pkg-config=pkg-config valgrind=valgrind libbenchmark-dev \
  libpapi-dev libfmt-dev libcli11-dev nlohmann-json3-dev libfabric-dev libucx-dev libhwloc-dev libpmix-dev libpmi2-0-dev \
  libsodium-dev

avrm_build build/bench avrm_bench -C cmake/profiles/bench.cmake

# The program runs from where the caller is, so that FILE means what the caller means.
commit=$(git describe --always --dirty --abbrev=40 2>/dev/null || true)
cd "$here"
"$root/build/bench/bench/avrm_bench" ${commit:+--commit "$commit"} --out "$root/build/bench" "${arguments[@]}"
