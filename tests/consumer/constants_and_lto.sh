#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: constants_and_lto.sh CMAKE GENERATOR SOURCE_DIR WORK_DIR CC CXX
# The component as another project may build it. With constants of another MPI library: they are
# returned, headers with the default ones are refused, and two constants of one value are not
# accepted. With -flto: C programs link it with and without -flto. One build, for it takes long.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cmake=$1 generator=$2 source=$3 work=$4 cc=$5 cxx=$6

rm -rf "$work" && mkdir -p "$work"
lto=-flto
echo 'int main(void) { return 0; }' >"$work/trial.c"
if ! "$cc" -flto "$work/trial.c" -o "$work/trial"; then
  echo "$cc does not link with -flto: only the constants are tested"
  lto=-fno-lto
fi

configure() {
  "$cmake" -G "$generator" -S "$source" -B "$work/build" -D CMAKE_C_COMPILER="$cc" -D CMAKE_CXX_COMPILER="$cxx" \
    -D CMAKE_C_FLAGS=$lto -D CMAKE_CXX_FLAGS=$lto -D CMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -D CMAKE_BUILD_TYPE=Debug \
    -D CMAKE_CXX_FLAGS_DEBUG=-O0 -D AVRM_PRECOMPILE=ON -D AVRM_BUILD_DEVICE=OFF -D AVRM_BUILD_TESTS=OFF "$@"
}

! configure -D AVRM_PROC_NULL=-7 -D AVRM_UNDEFINED=-7 >"$work/refused" 2>&1
grep -q "AVRM_PROC_NULL and AVRM_UNDEFINED are both -7" "$work/refused"
! configure -D AVRM_PROC_NULL=3 -D AVRM_UNDEFINED=-7 >"$work/refused" 2>&1
grep -q "AVRM_PROC_NULL is 3, which is not a number from -32768 to -1" "$work/refused"

configure -D AVRM_PROC_NULL=-1 -D AVRM_UNDEFINED=-3
"$cmake" --build "$work/build" --target avrankmap

for flag in -fno-lto "$lto"; do
  "$cc" -std=c11 -O2 "$flag" -I"$source/include" -I"$work/build/include" "$here/first_program.c" \
    "$work/build/src/component/libavrankmap.a" -pthread -o "$work/first_program"
  "$work/first_program" | diff - "$here/first_program.expected"
done

cat >"$work/constants.c" <<'END'
#include <avrankmap/avrankmap.h>
#include <stdio.h>

int main(void) {
  avrm_instance_t *instance = NULL;
  avrm_rankmap_t map = {0};
  avrm_group_t *all = NULL, *even = NULL;
  const avrm_range_t range = {0, 6, 2};
  const int32_t ranks[] = {2, -1, 3};
  int32_t translated[3] = {0};
  avrm_status_t status = avrm_instance_create(NULL, &instance);
  if (status == AVRM_OK) {
    status = avrm_rankmap_create_direct(instance, 1, 7, &map);
  }
  if (status == AVRM_OK) {
    status = avrm_group_create(&map, &all);
  }
  if (status == AVRM_OK) {
    status = avrm_group_range_incl(all, 1, &range, &even);
  }
  if (status == AVRM_OK) {
    status = avrm_group_translate_ranks(all, 3, ranks, even, translated);
  }
  printf("%s %d %d %d\n", avrm_status_name(status), translated[0], translated[1], translated[2]);
}
END
"$cc" -std=c11 -I"$source/include" -I"$work/build/include" "$work/constants.c" "$work/build/src/component/libavrankmap.a" \
  -o "$work/constants"
diff <("$work/constants") <(echo "AVRM_OK 1 -1 -3")

mkdir -p "$work/others/avrankmap"
sed 's/^#define AVRM_UNDEFINED .*/#define AVRM_UNDEFINED (-32766)/' "$work/build/include/avrankmap/version.h" \
  >"$work/others/avrankmap/version.h"
"$cc" -std=c11 -I"$work/others" -I"$source/include" "$work/constants.c" "$work/build/src/component/libavrankmap.a" \
  -o "$work/others/constants"
diff <("$work/others/constants") <(echo "AVRM_ERR_VERSION 0 0 0")
