#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: install_test.sh ADAPTER_FOLDER
# Installs the adapter into files as long as those of MPICH v5.0.1, whose lines say their numbers,
# and checks that the result has all of them, also without HAVE_AVRANKMAP (ch3), conditions that are
# balanced, all sources in the makefile, and a table in the page that names all files, and their number.
set -euo pipefail
adapter=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() { echo "$1" && bad=1; }

files=()
while read -r _ file lines; do
  files+=("$file")
  mkdir -p "$work/$(dirname "$file")"
  seq -f 'line %g' "$lines" >"$work/$file"
done < <(grep '^@' "$adapter/v5.0.1.edits")

"$adapter/install.sh" "$work"
for file in "${files[@]}"; do
  awk -v file="$file" '
    /^line / { ++lines; if ($2 != lines) { print file ": a line is gone before " $0; bad = 1 } }
    /^#if/ { ++depth; ++added; left_out = /^#ifdef HAVE_AVRANKMAP$/ }
    /^#else/ { left_out = !left_out }
    /^#endif/ { left_out = 0 }
    /^line / && left_out { print file ": without avrankmap it lacks " $0; bad = 1 }
    /^#endif/ && --depth < 0 { print file ": #endif without #if"; bad = 1 }
    /^include/ { ++added }
    END { if (depth != 0 || added == 0) { print file ": conditions are not balanced"; bad = 1 } exit bad }' "$work/$file" || bad=1
  grep -q "$(basename "$file")\`" "$adapter/README.md" || fail "$file is not in the page's table"
done
tr '\n' ' ' <"$adapter/README.md" | grep -q " to ${#files[@]} files of MPICH" || fail "the page gives another number of files than ${#files[@]}"
avrm=$work/src/mpid/ch4/avrm
for source in "$avrm"/*.c $(find "$avrm/src" -name '*.cpp'); do
  grep -Eq "src/mpid/ch4/avrm/${source#"$avrm/"}( |\$)" "$avrm/Makefile.mk" || fail "${source#"$avrm/"} is not in Makefile.mk"
done
while read -r source; do
  [[ -e $work/$source ]] || fail "$source is in Makefile.mk only"
done < <(grep -oE 'src/mpid/ch4/avrm/[a-z0-9_/]+\.(c|cpp)' "$avrm/Makefile.mk")
# MPICH has the folder of the netmod ofi among those of its headers.
grep -q 'I$(top_srcdir)/src/mpid/ch4/netmod/ucx' "$avrm/Makefile.mk" || fail "ucx_impl.h will not be found"
if grep -q '@[A-Z_]*SOURCES@' "$avrm/Makefile.mk" || grep -q '@' "$avrm/include/avrankmap/version.h"; then
  fail "a placeholder was left"
fi
if "$adapter/install.sh" "$work" 2>/dev/null; then
  fail "installed twice"
fi
rm -r "$avrm"
if "$adapter/install.sh" "$work" 2>/dev/null; then
  fail "files of another length were edited"
fi
exit "$bad"
