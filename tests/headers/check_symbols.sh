#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_symbols.sh ARCHIVE
# A shared object that contains the archive exports avrm_ functions at most. The exception cannot be
# hidden: libstdc++ gives its namespaces default visibility, so templates of it that are
# instantiated here are weak (their static variables unique) and visible, as in every C++ library.
set -euo pipefail

readelf -Ws "$1" | awk '
  # Num: Value Size Type Bind Vis Ndx Name
  $1 !~ /^[0-9]+:$/ || $5 == "LOCAL" || $7 == "UND" { next }
  $8 ~ /^avrm_/ { ++ours; next }
  $6 == "DEFAULT" || $6 == "PROTECTED" {
    if (($5 == "WEAK" || $5 == "UNIQUE") && $8 ~ /^_Z(T[ISV]|GV|Z)?N?K?(S[tabsiod]|9__gnu_cxx)/) next
    print "visible symbol without prefix: " $8
    bad = 1
  }
  END {
    if (!ours) { print "no avrm_ function found"; bad = 1 }
    exit bad
  }'
