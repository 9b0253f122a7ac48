#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: text.sh ADAPTER_FOLDER ARCHIVE INCLUDE_FOLDER... -- CC
# Prints what the adapter links of the archive if the linker drops what nobody calls: bytes of code
# and constants per object, and who needs the object first. Text as `size` counts it must not exceed
# the limit. MPICH's own build has a quarter less, by -Os and without unwind tables.
set -euo pipefail
most=$((196 * 1024))
adapter=$1 archive=$2
shift 2
flags=(-O2 -fPIC -DNDEBUG)
while [[ $1 != -- ]]; do
  flags+=("-I$1")
  shift
done
cc=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects=()
for source in "$adapter"/*.c; do
  objects+=("$work/$(basename "$source" .c).o")
  "$cc" "${flags[@]}" -c "$source" -o "${objects[-1]}"
done
"$cc" -shared -Wl,--gc-sections -Wl,-Map,"$work/map" -o "$work/adapter.so" "${objects[@]}" "$archive" -pthread

LC_ALL=C awk '
  function bytes(hex,    n, i) { n = 0; for (i = 3; i <= length(hex); ++i) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
  function object(path) { sub(/.*[(\/]/, "", path); sub(/(\.cpp)?\.o\)?$/, "", path); return path }
  /^Discarded input sections/ { discarded = 1 }
  /^Linker script and memory map/ { discarded = 0; mapped = 1 }
  !mapped && /\.a\(.*\.o\)$/ && !/^ / { member = object($0) }
  !mapped && /^ +[^ ].*\)$/ && member != "" { first = $0; sub(/^ +/, "", first); sub(/.*\//, "", first); why[member] = first; member = "" }
  mapped && /^ \.[a-z]/ && NF == 1 { section = $1; getline; if ($1 ~ /^0x/) count($2, $3) ; next }
  mapped && /^ \.(text|rodata|data\.rel\.ro)/ && NF >= 4 { count($3, $4) }
  function count(size, path) { if (path ~ /\.a\(/) sum[object(path)] += bytes(size) }
  END { for (o in sum) if (sum[o] > 0) printf "%6d  %-18s %s\n", sum[o], o, substr(why[o], 1, 90) }' "$work/map" | sort -rn

text=$(size "$work/adapter.so" | awk 'NR == 2 { print $1 }')
echo "$text bytes of text, at most $most"
((text <= most))
