#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Shows which filters such a list becomes, and which lists are refused.
set -euo pipefail
. "$(dirname "$0")/quarantine.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

# list LINE...: writes the list and prints the filter.
list() {
  printf '%s\n' '# A comment' '' "$@" >"$work/list"
  avrm_quarantined "$work/list"
}

[[ -z $(list) ]] || fail "an empty list names a test"
[[ $(list 'Deaths.End  openucx/ucx#1') == Deaths.End ]] || fail "one test"
[[ $(list 'Over/Deaths.End/ofi_tcp  openucx/ucx#1' 'Sizes.Small ucp_ep.c:3249: assertion') == \
  Over/Deaths.End/ofi_tcp:Sizes.Small ]] || fail "two tests"
for name in 'Sizes.c++' 'Sizes.*' '*' 'Sizes.A:Sizes.B' '-Sizes.A' Sizes Sizes.; do
  ! list "$name report" 2>/dev/null || fail "$name was taken"
done
! list Sizes.Small 2>/dev/null || fail "a test without a report was taken"
! list Sizes.Small{1..6}' report' 2>/dev/null || fail "six tests were taken"
list Sizes.Small{1..5}' report' >/dev/null || fail "five tests were refused"
