#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: components.sh CMAKE PACKAGE_DIR WORK_DIR COMPILER COMPONENT... find_package finds the
# components of this build, alone and together, and names an unknown one in its error, or that there
# is no device.
set -euo pipefail
cmake=$1 package=$2 work=$3 compiler=$4
shift 4

rm -rf "$work" && mkdir -p "$work"
# find_components COMPONENT...: configures a project that asks for them.
find_components() {
  cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(components LANGUAGES C)
find_package(avrankmap 0.2 REQUIRED COMPONENTS $*)
if(NOT TARGET avrankmap::device)
  message(SEND_ERROR "no avrankmap::device")
endif()
END
  "$cmake" -S "$work" -B "$work/build" -D avrankmap_DIR="$package" -D CMAKE_C_COMPILER="$compiler" 2>&1
}
for component in "$@"; do
  find_components "$component" >"$work/log" || { cat "$work/log"; exit 1; }
done
find_components "$@" >"$work/log" || { cat "$work/log"; exit 1; }
if find_components "$1" carrier-pigeon >"$work/log"; then
  echo "carrier-pigeon was found"
  exit 1
fi
grep -q 'no component carrier-pigeon' "$work/log"

# As it is installed without the device.
bare=$package/../avrankmap-bare
trap 'rm -rf "$bare"' EXIT
rm -rf "$bare" && cp -r "$package" "$bare"
sed -i 's/^set(avrm_built .*/set(avrm_built "")/' "$bare/avrankmap-config.cmake"
package=$bare
if find_components device >"$work/log"; then
  echo "a device was found where none was built"
  exit 1
fi
tr -s ' \n' ' ' <"$work/log" | grep -q 'no component device: it was built with AVRM_BUILD_DEVICE=OFF'
