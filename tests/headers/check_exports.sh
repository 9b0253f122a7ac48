#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_exports.sh LIBRARY VERSION_SCRIPT component|device GCC INCLUDE_DIR...
# A shared library exports exactly what the public headers declare, functions and data. LIBRARY is
# that library, or the archive of the same objects, to which the version script is applied here.
set -euo pipefail
library=$1 script=$2 part=$3 gcc=$4
shift 4
includes=("${@/#/-I}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

headers() {
  local dir
  for dir in "${includes[@]#-I}"; do
    (cd "$dir" && find avrankmap -name '*.h')
  done | grep -E "^avrankmap/(device|netmod|shmmod)[/.]" $([[ $part == device ]] || echo -v) | LC_ALL=C sort
}
headers | sed 's|.*|#include <&>|' >"$work/all.c"
read -ra others <<<"$(pkg-config --cflags libfabric ucx 2>/dev/null || true)"
"$gcc" -std=c11 "${includes[@]}" "${others[@]}" -fsyntax-only -aux-info "$work/prototypes" "$work/all.c"
# /* file:line:kind */ extern type name (arguments);
{
  headers | sed 's/[.]/\\./g; s|.*|/&:|' >"$work/of_part"
  grep -f "$work/of_part" "$work/prototypes" | sed -nE 's|^/\*[^*]*\*/ extern [^(]*[ *](avrm_[a-z0-9_]+) \(.*|\1|p'
  headers | while read -r header; do
    for dir in "${includes[@]#-I}"; do
      [[ ! -e $dir/$header ]] || sed -nE 's/^extern .*[ *](avrm_[a-z0-9_]+)(\[[^]]*\])?;.*/\1/p' "$dir/$header"
    done
  done
} | LC_ALL=C sort -u >"$work/declared"

case $library in
*.a) # The script has avrm_* global, but for names that it lists. Weak ones are inline functions.
  nm -g --defined-only "$library" | awk 'NF == 3 && $3 ~ /^avrm_/ && $2 !~ /[WV]/ { print $3 }' | LC_ALL=C sort -u >"$work/defined"
  sed -n '/local:/,$p' "$script" | grep -oE 'avrm_[a-z0-9_]+' | LC_ALL=C sort >"$work/local" || true
  LC_ALL=C comm -23 "$work/defined" "$work/local" >"$work/exported"
  ;;
*) nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u >"$work/exported" ;;
esac
[[ $(wc -l <"$work/exported") -gt 50 ]] || { echo "no symbols were found"; exit 1; }
LC_ALL=C comm -13 "$work/exported" "$work/declared" | sed 's/$/: declared, not exported/' | tee "$work/bad"
LC_ALL=C comm -23 "$work/exported" "$work/declared" | sed 's/$/: exported, not declared/' | tee -a "$work/bad"
[[ ! -s $work/bad ]]
