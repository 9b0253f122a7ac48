#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/deps.sh

usage() {
  cat <<'END'
Usage: tests/cross.sh [ARCHITECTURE]...
Builds the component for other processors with Debian's cross compilers, after installing them (as root or with sudo), and
runs its unit tests under qemu's user-mode emulation. Architectures: aarch64, riscv64 and s390x, which is big-endian; all of
them if none is named. The device needs libraries of those systems and is left out. The build folders are build/cross-*.
END
}

architectures=()
for option in "$@"; do
  case $option in
  aarch64 | riscv64 | s390x) architectures+=("$option") ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
done
((${#architectures[@]})) || architectures=(aarch64 riscv64 s390x)

status=0
for architecture in "${architectures[@]}"; do
  echo "== $architecture"
  folder=build/cross-$architecture
  avrm_need cmake=cmake ninja-build=ninja gcc=gcc g++=g++ "g++-$architecture-linux-gnu=$architecture-linux-gnu-g++" \
    "qemu-user=qemu-$architecture" googletest &&
    cmake -G Ninja -S . -B "$folder" --toolchain "$PWD/cmake/toolchains/$architecture.cmake" \
      -D AVRM_BUILD_DEVICE=OFF -D AVRM_BUILD_BENCH=OFF &&
    cmake --build "$folder" --parallel "$(nproc)" &&
    ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$(nproc)" || status=1
done
exit "$status"
