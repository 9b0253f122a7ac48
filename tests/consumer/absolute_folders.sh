#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: absolute_folders.sh CMAKE GENERATOR SOURCE_DIR WORK_DIR
# Some distributions configure with absolute folders, which the .pc file must not prefix.
set -euo pipefail
cmake=$1 generator=$2 source=$3 work=$4

rm -rf "$work"
"$cmake" -G "$generator" -S "$source" -B "$work" -DAVRM_BUILD_TESTS=OFF -DAVRM_BUILD_DEVICE=OFF \
  -DCMAKE_INSTALL_PREFIX=/p -DCMAKE_INSTALL_LIBDIR=/p/lib64 -DCMAKE_INSTALL_INCLUDEDIR=/q/include
for line in prefix=/p libdir=/p/lib64 includedir=/q/include; do
  grep -qx "$line" "$work/avrankmap.pc" || { echo "avrankmap.pc has no line $line"; cat "$work/avrankmap.pc"; exit 1; }
done
