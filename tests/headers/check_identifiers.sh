#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_identifiers.sh GCC GXX INCLUDE_DIR...
# Every function, type, tag, variable and enumerator that the public headers declare at file scope
# begins with avrm_ or AVRM_. Functions come from gcc's list of prototypes, the rest from debug
# information.
set -euo pipefail
. "$(dirname "$0")/units.sh"

gcc=$1 gxx=$2
includes=("${@:3}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
write_units c cpp

# functions: one per line, from "/* file:line:kind */ extern type name (arguments);"
functions() {
  "$gcc" -std=c11 "${includes[@]/#/-I}" -fsyntax-only -aux-info "$work/prototypes" "$work/ours.c"
  grep -E '/avrankmap/(device/)?[^/]*\.h:' "$work/prototypes" | sed -E 's|^/\*[^*]*\*/ *||; s|^[^(]*[ *]([A-Za-z0-9_]+) \(.*|\1|'
}

# others COMPILER FLAG FILE: names of the entries at file scope, and of the enumerators
# inside their enums
others() {
  "$1" "$2" -g -fno-eliminate-unused-debug-types "${includes[@]/#/-I}" -c "$3" -o "$work/unit.o"
  readelf --debug-dump=info "$work/unit.o" | awk '
    /^ *<[0-9a-f]+><[0-9a-f]+>:/ {
      wanted = (/^ *<1>/ && !/DW_TAG_base_type/) || /DW_TAG_enumerator/
    }
    wanted && /DW_AT_name/ { sub(/^.*: /, ""); sub(/[ \t]+$/, ""); print }' | sort -u
}

bad=0
complain() {
  if grep -vE '^(avrm_|AVRM_)' "$1" | sed "s|^|$2 without prefix: |"; then
    bad=1
  fi
}

functions >"$work/new"
grep -q '^avrm_' "$work/new" || { echo "no avrm_ function found"; bad=1; }
complain "$work/new" function

for triple in "$gcc:-std=c11:c" "$gxx:-std=c++17:cpp"; do
  IFS=: read -r compiler flag suffix <<<"$triple"
  others "$compiler" "$flag" "$work/system.$suffix" >"$work/system"
  others "$compiler" "$flag" "$work/ours.$suffix" >"$work/ours"
  # C++ may keep its conveniences in our namespace.
  comm -13 "$work/system" "$work/ours" | grep -vx avrankmap >"$work/new" || true
  grep -q '^AVRM_' "$work/new" || { echo "$suffix: no AVRM_ enumerator found"; bad=1; }
  complain "$work/new" "$suffix: name"
done
exit "$bad"
