#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Reads the list of tests that do not count (quarantine.txt). For tests/run.sh to source.

# avrm_quarantined FILE: prints a regular expression of ctest's for the tests that the file lists;
# nothing if it lists none. Fails if it lists more than five, or one without a report. There are no
# groups in the expression, since ctest allows nine.
avrm_quarantined() {
  awk 'function refuse(why) { print FILENAME ":" FNR ": " why >"/dev/stderr"; failed = 1; exit 1 }
    /^#/ || !NF { next }
    NF < 2 { refuse("a test without a report") }
    ++count > 5 { refuse("more than five tests") }
    { gsub(/[][.+*?^$()|\\]/, "\\\\&", $1); all = all (count > 1 ? "|" : "") "^" $1 "$" }
    END { if (!failed) printf "%s", all; exit failed }' "$1"
}
