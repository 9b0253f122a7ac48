#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_macros.sh CC CXX INCLUDE_DIR...
# Every macro that the public headers define begins with AVRM_, but for the include guards
# AVRANKMAP_..._H.
set -euo pipefail
. "$(dirname "$0")/units.sh"

cc=$1 cxx=$2
includes=("${@:3}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# macros COMPILER FILE: the names of all macros at the end of FILE
macros() {
  "$1" -dM -E "${includes[@]/#/-I}" "$2" | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort -u
}

write_units c cpp
bad=0
for pair in "$cc:c" "$cxx:cpp"; do
  compiler=${pair%:*} suffix=${pair##*:}
  macros "$compiler" "$work/system.$suffix" >"$work/system"
  macros "$compiler" "$work/ours.$suffix" >"$work/ours"
  comm -13 "$work/system" "$work/ours" >"$work/new"
  # An empty list means that the check looked at nothing.
  grep -q '^AVRM_' "$work/new" || { echo "$compiler: no AVRM_ macro found"; bad=1; }
  if grep -vE '^AVRM_|^AVRANKMAP_[A-Z_]+_H$' "$work/new" | sed "s|^|$compiler: macro without prefix: |"; then
    bad=1
  fi
done
exit "$bad"
