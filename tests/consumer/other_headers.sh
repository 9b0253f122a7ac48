#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: other_headers.sh WORK_DIR COMPILER
# If headers and library differ in layout, the first call returns AVRM_ERR_VERSION.
set -euo pipefail
work=$1 compiler=$2

rm -rf "$work" && mkdir -p "$work"
cp -r "$(pkg-config --variable=includedir avrankmap)/avrankmap" "$work/avrankmap"
grep -q '^#define AVRM_LAYOUT ' "$work/avrankmap/version.h"
sed -i 's/^#define AVRM_LAYOUT .*/#define AVRM_LAYOUT 999999/' "$work/avrankmap/version.h"
cat >"$work/other.c" <<'END'
#include <avrankmap/avrankmap.h>
#include <stdio.h>

int main(void) {
  avrm_instance_t *instance;
  puts(avrm_status_name(avrm_instance_create(NULL, &instance)));
}
END
read -ra flags <<<"$(pkg-config --libs --static avrankmap)"
"$compiler" -std=c11 -I"$work" "$work/other.c" "${flags[@]}" -o "$work/other"
[[ $("$work/other") == AVRM_ERR_VERSION ]]
