#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: readme.sh WORK_DIR CC README
# The first block of C code in the README compiles without warnings, and prints the block after it.
set -euo pipefail
work=$1 cc=$2 readme=$3

mkdir -p "$work"
: >"$work/readme.c"
: >"$work/expected"
awk -v code="$work/readme.c" -v output="$work/expected" '
  /^```/ {
    if (into != "") { into = ""; if (done) exit }
    else if (!seen && /^```c[ \t]*$/) { into = code; seen = 1 }
    else if (seen) { into = output; done = 1 }
    else into = "/dev/null"
    next
  }
  into != "" { print > into }' "$readme"
[ -s "$work/readme.c" ] || { echo "$readme: no block of C code"; exit 1; }
[ -s "$work/expected" ] || { echo "$readme: no block of output after the C code"; exit 1; }

read -ra flags <<<"$(pkg-config --cflags --libs --static avrankmap)"
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 "$work/readme.c" "${flags[@]}" -o "$work/readme"
"$work/readme" | diff - "$work/expected"
