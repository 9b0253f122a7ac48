#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_runtime.sh ARCHIVE PROGRAM EXPECTED INCLUDE_DIR... -- CC...
# The component needs nothing of the C++ runtime: the archive has no undefined symbol of it, and
# each CC links the whole archive into a C program, which runs. Sanitizers and assertions of
# libstdc++ (_GLIBCXX_ASSERTIONS) call runtimes of their own, so this is not for such builds.
set -euo pipefail
archive=$1 program=$2 expected=$3
shift 3
includes=()
while [[ $1 != -- ]]; do
  includes+=("-I$1")
  shift
done
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# C++ names of ours have a definition in another object of the archive.
names() { nm "$@" "$archive" | awk 'NF && $1 !~ /:$/ { print $NF }' | sort -u; }
names --defined-only >"$work/defined"
names -u >"$work/undefined"
grep -q '^pthread_mutex_lock$' "$work/undefined" || { echo "the undefined symbols were not found"; bad=1; }
if comm -13 "$work/defined" "$work/undefined" | grep -E '^(_Z|__cxa|__gxx|_Unwind|__dynamic_cast)' |
  sed 's/^/needs the C++ runtime: /'; then
  bad=1
fi

for cc in "$@"; do
  "$cc" -std=c11 -O2 "${includes[@]}" "$program" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -pthread \
    -o "$work/program"
  "$work/program" | diff - "$expected" || bad=1
done
exit "$bad"
