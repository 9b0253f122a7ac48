#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Reads the list of tests that do not count (quarantine.txt). For tests/run.sh to source.

# avrm_quarantined FILE: prints the tests that the file lists as a filter of GoogleTest's; nothing if
# it lists none. Fails if it lists more than five, one without a report, or what is no name of a
# test.
avrm_quarantined() {
  awk 'function refuse(why) { print FILENAME ":" FNR ": " why >"/dev/stderr"; failed = 1; exit 1 }
    /^#/ || !NF { next }
    NF < 2 { refuse("a test without a report") }
    $1 !~ /^[A-Za-z0-9_]+[\/.][A-Za-z0-9_.\/]+$/ { refuse("not the name of a test") }
    ++count > 5 { refuse("more than five tests") }
    { all = all (count > 1 ? ":" : "") $1 }
    END { if (!failed) printf "%s", all; exit failed }' "$1"
}
