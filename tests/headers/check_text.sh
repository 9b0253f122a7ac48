#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_text.sh ARCHIVE SOURCE INCLUDE_DIR... -- CC...
# A shared library that creates, binds, translates and destroys maps (SOURCE) has at most 82 KiB
# more text than an empty one. Text is that of `size`: code, constants, unwind information and
# relocations.
set -euo pipefail
archive=$1 source=$2
shift 2
includes=()
while [[ $1 != -- ]]; do
  includes+=("-I$1")
  shift
done
shift
most=$((82 * 1024))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

text() { size "$1" | awk 'NR == 2 { print $1 }'; }
: >"$work/empty.c"
for cc in "$@"; do
  flags=(-O2 -fPIC -fvisibility=hidden -ffunction-sections -shared "${includes[@]}" -Wl,--gc-sections -Wl,-z,defs)
  "$cc" "${flags[@]}" "$work/empty.c" -o "$work/empty.so"
  "$cc" "${flags[@]}" "$source" "$archive" -pthread -o "$work/maps.so"
  grown=$(($(text "$work/maps.so") - $(text "$work/empty.so")))
  echo "${cc##*/}: $grown bytes of text"
  if ((grown > most)); then
    echo "more than $most"
    bad=1
  fi
done
exit "$bad"
