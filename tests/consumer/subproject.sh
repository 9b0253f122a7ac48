#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: subproject.sh CMAKE GENERATOR SOURCE_DIR WORK_DIR C_COMPILER CXX_COMPILER WAY
# Configures a project that has avrankmap in it by WAY. It installs nothing of ours unless it asks for
# that.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 generator=$2 source=$3 work=$4 cc=$5 cxx=$6 way=$7

configure() {
  "$cmake" -S "$here/subproject" -B "$work/build" -G "$generator" -D CMAKE_C_COMPILER="$cc" -D CMAKE_CXX_COMPILER="$cxx" \
    -D AVRANKMAP_SOURCE_DIR="$source" -D AVRANKMAP_BY="$way" "$@"
}
rm -rf "$work" && mkdir -p "$work"
configure
"$cmake" --install "$work/build" --prefix "$work/prefix"
if [[ -e $work/prefix ]]; then
  find "$work/prefix"
  exit 1
fi
configure -D AVRM_INSTALL=ON >/dev/null
grep -rq --include cmake_install.cmake avrankmap-targets "$work/build"
