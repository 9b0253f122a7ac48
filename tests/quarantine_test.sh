#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Shows that ctest leaves out, and runs, exactly the tests that such a list names.
set -euo pipefail
. "$(dirname "$0")/quarantine.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

cat >"$work/CTestTestfile.cmake" <<'END'
add_test(counted "true")
add_test(Over/Deaths.End/ofi_tcp "false")
add_test(Over/Deaths.End/ofi_tcp_and_posix "true")
add_test(More.Over/Deaths.End/ofi_tcp "true")
add_test(Sizes.c++ "false")
add_test(Sizes.cxx "true")
add_test(Over/DeathsXEnd/ofi_tcp "true")
END

# list LINE...: writes the list and prints the expression.
list() {
  printf '%s\n' '# A comment' '' "$@" >"$work/list"
  avrm_quarantined "$work/list"
}
run() { (cd "$work" && ctest --no-tests=error "$@" >"$work/out" 2>&1); }

[[ -z $(list) ]] || fail "an empty list names a test"
pattern=$(list 'Over/Deaths.End/ofi_tcp  openucx/ucx#1' 'Sizes.c++ ucp_ep.c:3249: assertion')
run --exclude-regex "$pattern" || fail "counted: $(cat "$work/out")"
grep -q '0 tests failed out of 5' "$work/out" || fail "counted: $(cat "$work/out")"
! run --tests-regex "$pattern" || fail "a test that fails was not run"
grep -q '2 tests failed out of 2' "$work/out" || fail "not counted: $(cat "$work/out")"
! list 'Sizes.c++' 2>/dev/null || fail "a test without a report was taken"
! list {1..6}' report' 2>/dev/null || fail "six tests were taken"
list {1..5}' report' >/dev/null || fail "five tests were refused"
