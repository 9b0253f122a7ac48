#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: pkg_config.sh WORK_DIR COMPILER STANDARD PROGRAM [PACKAGE] Builds a program of this folder
# with the flags of pkg-config alone, runs it and compares its output. The C compiler links C
# programs, hence --static, which adds the C++ runtime to the device. The component needs none.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1 compiler=$2 standard=$3 program=$4 package=${5:-avrankmap}
name=${program%.*}

mkdir -p "$work"
read -ra flags <<<"$(pkg-config --cflags --libs --static "$package")"
"$compiler" "$standard" -Wall -Wextra -Wpedantic -Werror -O2 "$here/$program" "${flags[@]}" -o "$work/$name"
"$work/$name" | diff - "$here/$name.expected"
[[ $package != avrankmap || "${flags[*]}" != *stdc++* ]]
