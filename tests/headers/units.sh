#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Functions for the checks of names: write translation units with and without our headers, so
# that names of system headers can be subtracted. Expect work (a scratch folder) and includes
# (the -I folders).

# The public headers, as they are included.
public_headers() {
  local dir
  for dir in "${includes[@]}"; do
    (cd "$dir" && find avrankmap -name '*.h' | sort)
  done
}

# The system headers that they include.
system_headers() {
  local dir
  for dir in "${includes[@]}"; do
    grep -rhoE '^ *# *include *<[^>]+>' "$dir/avrankmap" --include='*.h' || true
  done | grep -v '<avrankmap/' | sort -u
}

# write_units SUFFIX...: $work/ours.SUFFIX and $work/system.SUFFIX
write_units() {
  local suffix
  for suffix in "$@"; do
    system_headers >"$work/system.$suffix"
    { system_headers; public_headers | sed 's|.*|#include <&>|'; } >"$work/ours.$suffix"
  done
}
