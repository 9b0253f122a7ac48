#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: usage.sh SCRIPT PROGRAM WORD PAGE
# SCRIPT WORD prints without building anything what PROGRAM WORD prints, from PAGE. Options that do
# not exist are refused, also without building anything.
set -euo pipefail
script=$1 program=$2 word=$3 page=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in cmake ninja; do
  printf '#!/bin/sh\necho "%s was run" >&2\nexit 99\n' "$tool" >"$work/$tool"
  chmod +x "$work/$tool"
done
export PATH=$work:$PATH

"$program" "$word" >"$work/expected"
"$script" "$word" >"$work/printed"
if ! diff "$work/expected" "$work/printed"; then
  echo "To rewrite the page: $program $word >$page"
  exit 1
fi
status=0
"$script" --no-such-option 2>"$work/error" || status=$?
[[ $status == 2 ]] && grep -q 'is not an option' "$work/error"
