#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: tools.sh BIN_DIR [MPIRUN PROGRAM]
# Runs the installed tools: a plan, the test of a netmod, and a survey of an MPI program.
set -euo pipefail
bin=$1 mpirun=${2-} program=${3-}

"$bin/avrm-plan" --procs 1024 --ppn 32 dup:10 | grep 'ours, extended, implicit AV'
"$bin/avrm-survey" -h | grep 'Usage: avrm-survey'
# A netmod from outside the tree, against the installed headers.
if [[ -x $bin/avrm-netmod-test ]]; then
  "$bin/avrm-netmod-test" --netmod null
  object=$(mktemp -d)/datagram.so
  trap 'rm -r "${object%/*}"' EXIT
  tour=$(dirname "$0")/../tour
  gcc -std=c11 -shared -fPIC -I "$bin/../include" -o "$object" "$tour/datagram/datagram.c" "$tour/datagram/object.c"
  "$bin/avrm-netmod-test" --object "$object"
  (cd "${object%/*}" && "$bin/avrm-netmod-test" --object datagram.so --check truncation --broken)
  # A name that no check has is a wrong option.
  code=0
  "$bin/avrm-netmod-test" --netmod null --check nosuch || code=$?
  [[ $code == 2 ]]
  # The tool says that an object's function returns no table.
  echo 'const void *avrm_netmod(void) { return 0; }' | gcc -x c -shared -fPIC -o "${object%/*}/none.so" -
  { "$bin/avrm-netmod-test" --object "${object%/*}/none.so" 2>&1 || true; } | grep 'avrm_netmod of .* returned null'
fi
[[ $program ]] || exit 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$bin/avrm-survey" --row program -- "$mpirun" --oversubscribe --bind-to none -n 2 "$program" ways | tee /dev/stderr |
  grep '^| program | Open MPI'
