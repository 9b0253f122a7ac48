#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: uninstall.sh CMAKE SOURCE_DIR WORK_DIR
# The target uninstall removes what was installed, and only that. Without DESTDIR and with it.
set -euo pipefail
cmake=$1 source=$2 work=$3

rm -rf "$work" && mkdir -p "$work"
files=(include/avrankmap/av.h include/avrankmap/device/comm.h lib/cmake/avrankmap/a.cmake lib/libavrankmap.a)
for destdir in "" "$work/dest"; do
  prefix=$work/prefix
  root=$destdir$prefix
  mkdir -p "$root"/{include/avrankmap/device,lib/cmake/avrankmap}
  touch "${files[@]/#/$root/}" "$root/lib/cmake/avrankmap/.of_others" "$root/include/of_others.h"
  printf '%s\n' "${files[@]/#/$prefix/}" "$prefix/lib/not_there" >"$work/install_manifest.txt"
  DESTDIR=$destdir "$cmake" -P "$source/cmake/uninstall.cmake" "$work/install_manifest.txt"
  diff <(cd "$root" && find . | LC_ALL=C sort) - <<'END'
.
./include
./include/of_others.h
./lib
./lib/cmake
./lib/cmake/avrankmap
./lib/cmake/avrankmap/.of_others
END
done
if "$cmake" -P "$source/cmake/uninstall.cmake" "$work/none" 2>"$work/log"; then
  echo "a manifest that does not exist was accepted"
  exit 1
fi
# CMake breaks its lines where the length of the path puts them.
[[ $(tr -s ' \n' ' ' <"$work/log") == *"nothing has been installed"* ]]
