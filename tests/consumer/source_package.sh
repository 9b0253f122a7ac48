#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: source_package.sh CMAKE GENERATOR SOURCE_DIR BUILD_DIR WORK_DIR C_COMPILER CXX_COMPILER
# Makes the tarball of the sources. It has the files of the repository; a project that gets it by
# FetchContent builds and runs; the component in it builds, passes its tests, and is installed and
# uninstalled.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 generator=$2 source=$3 build=$4 work=$5 cc=$6 cxx=$7
compilers=(-G "$generator" -D CMAKE_C_COMPILER="$cc" -D CMAKE_CXX_COMPILER="$cxx")

rm -rf "$work" && mkdir -p "$work"
"$cmake" --build "$build" --target package_source >"$work/log" || { cat "$work/log"; exit 1; }
mv "$build"/avrankmap-[0-9]*.tar.gz "$work"
tarball=$(ls "$work"/avrankmap-*.tar.gz)
tar -xzf "$tarball" -C "$work"
tree=${tarball%.tar.gz}
if git -C "$source" rev-parse --is-inside-work-tree >"$work/log" 2>&1; then
  diff <(git -C "$source" ls-files --cached --others --exclude-standard | LC_ALL=C sort) \
    <(cd "$tree" && find . \( -type f -o -type l \) | sed 's|^\./||' | LC_ALL=C sort)
fi

"$cmake" -S "$here/subproject" -B "$work/fetched" "${compilers[@]}" -D AVRANKMAP_BY=FetchContent \
  -D AVRANKMAP_URL="file://$tarball"
"$cmake" --build "$work/fetched" --target first_program --parallel "$(nproc)"
"$work/fetched/first_program" | diff - "$here/first_program.expected"

"$cmake" -S "$tree" -B "$work/alone" "${compilers[@]}" -D AVRM_BUILD_DEVICE=OFF
"$cmake" --build "$work/alone" --parallel "$(nproc)"
"${cmake%cmake}ctest" --test-dir "$work/alone" --label-exclude slow --output-on-failure --parallel "$(nproc)"
"$cmake" --install "$work/alone" --prefix "$work/prefix" >"$work/log"
[[ -e $work/prefix/share/doc/avrankmap/LICENSE ]]
"$cmake" --build "$work/alone" --target uninstall >"$work/log"
if find "$work/prefix" -type f | grep .; then
  echo "these files were left"
  exit 1
fi
