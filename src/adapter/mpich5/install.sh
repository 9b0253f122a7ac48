#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: install.sh MPICH_FOLDER
# Puts avrankmap into the sources of MPICH v5.0.1: the component and the adapter into
# src/mpid/ch4/avrm, and the edits of v5.0.1.edits into MPICH's files. Nothing is changed if a file
# does not have the lines that it has in v5.0.1, or was edited before.
set -euo pipefail

(($# == 1)) || { sed -n '4,7s/^# //p' "$0" >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
mpich=$1
avrm=$mpich/src/mpid/ch4/avrm
edits=$here/v5.0.1.edits

[[ ! -e $avrm ]] || { echo "$avrm is there already" >&2 && exit 1; }
while read -r _ file lines; do
  found=$(wc -l <"$mpich/$file") || exit 1
  ((found == lines)) || { echo "$file has $found lines, in v5.0.1 it has $lines" >&2 && exit 1; }
done < <(grep '^@' "$edits")

script=$(mktemp)
trap 'rm -f "$script"' EXIT
while read -r _ file _; do
  awk -v file="$file" '/^@/ { on = $2 == file; next } on && !/^(#|$)/' "$edits" >"$script"
  sed -i -f "$script" "$mpich/$file"
done < <(grep '^@' "$edits")

mapfile -t component < <(sed -n '/^set(avrm_.*_sources$/,/^)/s/^ *\([a-z0-9_/]*\.cpp\)$/\1/p' "$root/src/component/CMakeLists.txt" | LC_ALL=C sort)

mkdir -p "$avrm/include/avrankmap"
cp "$here"/*.[ch] "$here/errnames.txt" "$here/subconfigure.m4" "$avrm"
cp "$root"/include/avrankmap/*.h "$avrm/include/avrankmap"
rm "$avrm/include/avrankmap/device.h"
cp -r "$root/src/component" "$avrm/src"
rm "$avrm/src/CMakeLists.txt"
version=$(sed -n 's/.*VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt" | sed -n '/\..*\./p' | tail -1)
IFS=. read -r major minor patch <<<"$version"
sed -e "s/@PROJECT_VERSION_MAJOR@/$major/; s/@PROJECT_VERSION_MINOR@/$minor/; s/@PROJECT_VERSION_PATCH@/$patch/" \
  -e "s/@PROJECT_VERSION@/$version/; s/@AVRM_PROC_NULL@/-1/; s/@AVRM_UNDEFINED@/-32766/; s/@AVRM_SHARED@/0/" \
  "$root/cmake/version.h.in" >"$avrm/include/avrankmap/version.h"
printf '    src/mpid/ch4/avrm/src/%s \\\n' "${component[@]}" | sed '$s/ \\$//' >"$script"
sed -e "/@COMPONENT_SOURCES@/{r $script" -e 'd}' "$here/Makefile.mk.in" >"$avrm/Makefile.mk"
