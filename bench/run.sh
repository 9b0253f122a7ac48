#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
. tests/deps.sh

usage() {
  cat <<'END'
Usage: bench/run.sh [--quick] [--json FILE] [--map FILE] [--filter REGEX]
Builds the benchmarks, after installing what is missing for that (Debian, Ubuntu; as root or with sudo), and measures what
the budgets speak of: instructions, issue rates, bytes per process, detection and creation. Issue rates are those of the
null network, which takes every operation at once. Then two processes of this machine talk over each real transport that
is there, ours beside the transport's bare interface. Ends with a table, and the budgets with PASS or FAIL; a budget that
is not met is a result, not an error.

  --quick         two minutes at most: 16 and 786,432 peers only, fewer rounds, no cache misses
  --json FILE     also writes all results to FILE
  --map FILE      also measures the communicator in FILE: one lpid or pgid:lpid per line, by rank; # starts a comment
  --filter REGEX  only benchmarks whose name matches: BM_Issue/<put|isend>/[<scheme>/]<mode>/<peers>/<rr|random>,
                  BM_Connection/<on-demand|eager>/<peers>, BM_Transport/<transport>/<isend|put>/<bytes>,
                  BM_ModeRate/<transport>/<mode>, BM_Creation/<real|dynamic|split|groups>/<processes>,
                  BM_Creation/crossover, BM_Mcmc/<real|simulated>/<processes>
  -h, --help      this help

The build folder is build/bench. All of it takes up to 25 minutes and 10 GB of memory on a machine of two cores.
END
}

for option in "$@"; do
  case $option in
  -h | --help) usage && exit 0 ;;
  esac
done

# The program runs from where the caller is, so that FILE means what the caller means.
program=$PWD/build/bench/bench/avrm_issue_rate

avrm_need cmake=cmake ninja-build=ninja gcc=gcc g++=g++ pkg-config=pkg-config valgrind=valgrind libbenchmark-dev \
  libpapi-dev libfmt-dev libcli11-dev nlohmann-json3-dev libfabric-dev libucx-dev libhwloc-dev libpmix-dev

# The output of the build is shown if it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake -G Ninja -C cmake/profiles/bench.cmake -S . -B build/bench &&
  cmake --build build/bench --parallel "$(nproc)" --target avrm_issue_rate; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi

commit=$(git describe --always --dirty --abbrev=40 2>/dev/null || true)
cd "$here"
"$program" ${commit:+--commit "$commit"} "$@"
