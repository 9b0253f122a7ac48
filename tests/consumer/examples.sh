#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: examples.sh MAKE EXAMPLES_DIR WORK_DIR CC CXX SHORT|LONG [VARIABLE=VALUE...]
# Builds the installed examples by their Makefile and runs them. Short: in C, over shared memory. Long:
# in C++ as well, and over a network, which those with ports and spawned processes need.
set -euo pipefail
make=$1 examples=$2 work=$3 cc=$4 cxx=$5 form=$6
shift 6

rm -rf "$work" && mkdir -p "$work" && cd "$work"
run() {
  "$make" --silent --jobs "$(nproc)" -f "$examples/Makefile" CC="$cc" CXX="$cxx" CFLAGS='-Wall -Wextra -Wpedantic -Werror' \
    CXXFLAGS='-Wall -Wno-narrowing -Werror' "$@"
}
if [[ $form == LONG ]]; then
  run all c++ "$@"
  export FI_PROVIDER='tcp;ofi_rxm' UCX_TLS=tcp,self
  suffixes=("" _c++)
else
  run all "$@"
  export AVRM_NETMOD=null AVRM_SHMMOD=posix
  suffixes=("")
fi
run check "$@" >log || { cat log; exit 1; }
# Those of the component need nothing.
for program in component runtimes/teams runtimes/ep_map; do
  for suffix in "${suffixes[@]}"; do
    grep -qx "$program$suffix: passed" log
  done
done
