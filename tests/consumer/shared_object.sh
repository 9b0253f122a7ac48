#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: shared_object.sh WORK_DIR CC
# Links the whole archive into a shared object, as an MPI library does, and a program against it.
# The linker rejects text relocations and undefined symbols.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1 cc=$2

mkdir -p "$work"
read -ra cflags <<<"$(pkg-config --cflags avrankmap)"
read -ra libs <<<"$(pkg-config --libs --static avrankmap)"
libdir=$(pkg-config --variable=libdir avrankmap)

"$cc" -std=c11 -O2 -fPIC -shared -fvisibility=hidden -Dmain='__attribute__((visibility("default"))) ten_main' \
  "$here/first_program.c" "${cflags[@]}" -Wl,--whole-archive "$libdir/libavrankmap.a" -Wl,--no-whole-archive "${libs[@]}" \
  -Wl,-z,text -Wl,-z,defs -o "$work/libfirst_program.so"

echo 'int ten_main(void); int main(void) { return ten_main(); }' >"$work/caller.c"
"$cc" -std=c11 "$work/caller.c" -L"$work" -lfirst_program -Wl,-rpath,"$work" -o "$work/caller"
"$work/caller" | diff - "$here/first_program.expected"
