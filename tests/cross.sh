#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/deps.sh

usage() {
  cat <<'END'
Usage: tests/cross.sh [TARGET]...
Builds the component for other processors, or at other levels of optimisation, and runs its unit tests.
Installs missing packages first (Debian, Ubuntu; as root or with sudo). Leaves out the device, which needs
libraries of the target. Build folders are build/cross-*. The default target is processors.

Targets:
  aarch64, riscv64, s390x       by Debian's cross compilers, run under qemu; s390x is big-endian
  i686                          32-bit addresses; one program, since the unit tests use tables of gigabytes
  processors                    all of these
  gcc-O0, gcc-O3, gcc-lto       this processor, other levels of optimisation, link-time optimisation
  clang-O0, clang-O3, clang-lto
  levels                        all of these
END
}

targets=()
for option in "$@"; do
  case $option in
  aarch64 | i686 | riscv64 | s390x) targets+=("$option") ;;
  gcc-O0 | gcc-O3 | gcc-lto | clang-O0 | clang-O3 | clang-lto) targets+=("$option") ;;
  processors) targets+=(aarch64 riscv64 s390x i686) ;;
  levels) targets+=(gcc-O0 gcc-O3 gcc-lto clang-O0 clang-O3 clang-lto) ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
done
((${#targets[@]})) || targets=(aarch64 riscv64 s390x i686)

# choose TARGET: sets `options` to the CMake options of a target.
choose() {
  case $1 in
  *-O? | *-lto)
    local compiler=${1%-*} level=${1#*-} cxx=g++
    [[ $compiler == gcc ]] || cxx=clang++
    avrm_need gcc=gcc g++=g++ clang=clang++ llvm=llvm-ar lld=ld.lld libgtest-dev || return
    options=(-D CMAKE_C_COMPILER="$compiler" -D CMAKE_CXX_COMPILER="$cxx" -D CMAKE_BUILD_TYPE=Release)
    if [[ $level == lto ]]; then
      options+=(-D CMAKE_INTERPROCEDURAL_OPTIMIZATION=ON)
      [[ $compiler == gcc ]] || options+=(-D CMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld)
    else
      options+=(-D CMAKE_C_FLAGS_RELEASE="-$level" -D CMAKE_CXX_FLAGS_RELEASE="-$level")
    fi
    ;;
  i686)
    avrm_need g++-i686-linux-gnu=i686-linux-gnu-g++ || return
    options=(--toolchain "$PWD/cmake/toolchains/i686.cmake" -D AVRM_BUILD_TESTS=OFF)
    ;;
  *)
    avrm_need "g++-$1-linux-gnu=$1-linux-gnu-g++" "qemu-user=qemu-$1" googletest || return
    options=(--toolchain "$PWD/cmake/toolchains/$1.cmake")
    ;;
  esac
}

# run_tests TARGET FOLDER
run_tests() {
  if [[ $1 != i686 ]]; then
    ctest --test-dir "$2" --output-on-failure --no-tests=error --parallel "$(nproc)" --label-regex 'unit|fuzz'
    return
  fi
  local program=$2/address_space status=0
  i686-linux-gnu-gcc -static -I include -I "$2/include" tests/component/av/address_space.c \
    "$2/src/component/libavrankmap.a" -o "$program" || return
  "$program" || status=$?
  ((status != 126)) || { echo "SKIPPED: this system runs no 32-bit programs" && return; }
  return "$status"
}

status=0
verdicts=()
for target in "${targets[@]}"; do
  echo "== $target"
  folder=build/cross-$target
  if avrm_need cmake=cmake ninja-build=ninja && choose "$target" &&
    cmake -G Ninja -S . -B "$folder" "${options[@]}" -D AVRM_BUILD_DEVICE=OFF -D AVRM_COUNT_INSTRUCTIONS=OFF &&
    cmake --build "$folder" --parallel "$(nproc)" &&
    run_tests "$target" "$folder"; then
    verdicts+=("$target: passed")
  else
    status=1
    verdicts+=("$target: FAILED")
  fi
done
printf '\n'
printf '%s\n' "${verdicts[@]}"
exit "$status"
