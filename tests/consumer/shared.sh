#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: shared.sh CMAKE GENERATOR SOURCE_DIR WORK_DIR C_COMPILER CXX_COMPILER MAKE
# Builds and installs shared libraries (BUILD_SHARED_LIBS). SONAME and symbols have one version; what
# the headers declare is exported; the component needs no C++ runtime; the examples build and run with
# them, by the Makefile and by find_package.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 generator=$2 source=$3 work=$4 cc=$5 cxx=$6 make=$7
prefix=$work/prefix

rm -rf "$work/prefix" && mkdir -p "$work"
"$cmake" -G "$generator" -S "$source" -B "$work/build" -D CMAKE_C_COMPILER="$cc" -D CMAKE_CXX_COMPILER="$cxx" \
  -D BUILD_SHARED_LIBS=ON -D CMAKE_INSTALL_LIBDIR=lib
"$cmake" --build "$work/build" --parallel "$(nproc)"
"$cmake" --install "$work/build" --prefix "$prefix" >"$work/log"
if find "$prefix" -name '*.a' | grep .; then
  echo "an archive was installed"
  exit 1
fi
for part in component device; do
  name=libavrankmap
  script=$source/src/component/avrankmap.map
  if [[ $part == device ]]; then
    name=libavrankmap_device
    script=$source/src/device/avrankmap_device.map
  fi
  version=$(sed -nE 's/^AVRANKMAP[A-Z_]*_([0-9.]+) \{$/\1/p' "$script")
  readelf -d "$prefix/lib/$name.so" | grep -F "SONAME" | grep -F "[$name.so.$version]"
  if command -v gcc >"$work/log"; then
    bash "$here/../headers/check_exports.sh" "$prefix/lib/$name.so" "$script" "$part" gcc "$prefix/include"
  fi
done
if readelf -d "$prefix/lib/libavrankmap.so" | grep 'NEEDED.*c++'; then
  exit 1
fi

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
bash "$here/examples.sh" "$make" "$prefix/share/doc/avrankmap/examples" "$work/examples" "$cc" "$cxx" LONG STATIC=
ldd "$work/examples/runtimes/teams" | grep -F "$prefix/lib/libavrankmap.so"
ldd "$work/examples/messages" | grep -F "$prefix/lib/libavrankmap_device.so"

"$cmake" -S "$here/find_package" -B "$work/found" -G "$generator" -D CONSUMER_LANGUAGE=C -D CONSUMER_PROGRAM=pair \
  -D CMAKE_C_COMPILER="$cc" -D avrankmap_DIR="$prefix/lib/cmake/avrankmap"
"$cmake" --build "$work/found"
"$work/found/pair" | diff - "$here/pair.expected"
