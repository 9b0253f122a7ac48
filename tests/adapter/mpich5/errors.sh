#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: errors.sh ADAPTER_FOLDER
# Applies the rules of maint/extracterrmsgs, which MPICH's autogen.sh runs over all sources: error
# classes and texts are constants, generic texts have no format controls, specific ones have as many
# as there are arguments, and each text has an entry in an errnames.txt. Prints one line per
# violation and exits with 1 if there is one.
set -euo pipefail

# Entries of MPICH v5.0.1 that the adapter uses; those of its own are in its errnames.txt. The
# extractor makes the entries of MPIDI_OFI_CALL (**ofid_...), unless another call uses the text first.
names='
**arg
**dupprocesses
**dupprocesses %d
**group
**groupnotincomm
**groupnotincomm %d
**nomem
**rank
**rankdup
**session_mixed
**stride
**stridezero
'

rules='
BEGIN {
  while ((getline line < names) > 0) if (sub(/^\*\*/, "**", line)) { sub(/:.*/, "", line); known[line] = 1 }
  # Routine: index of the class, of the generic text, of the line; whether there is a specific text.
  split("MPIR_Err_create_code:5:6:4:1 MPIR_ERR_SET:2:3:0:0 MPIR_ERR_SET1:2:3:0:1 MPIR_ERR_SET2:2:3:0:1", list, " ")
  for (i in list) { split(list[i], f, ":"); class_at[f[1]] = f[2]; text_at[f[1]] = f[3]; line_at[f[1]] = f[4]; specific[f[1]] = f[5] }
}
function report(message) { print FILENAME ": " message ": " call; bad = 1 }
# Splits the arguments from the opening parenthesis on into args; returns their number.
function split_args(text,    i, c, depth, quoted, n, arg) {
  n = 0; arg = ""; depth = 0; quoted = 0
  for (i = 1; i <= length(text); ++i) {
    c = substr(text, i, 1)
    if (quoted) { arg = arg c; if (c == "\\") arg = arg substr(text, ++i, 1); else if (c == "\"") quoted = 0; continue }
    if (c == "\"") quoted = 1
    if (c == "(" && depth++ == 0) continue
    if (c == ")" && --depth == 0) break
    if (c == "," && depth == 1) { args[++n] = trim(arg); arg = ""; continue }
    arg = arg c
  }
  args[++n] = trim(arg)
  return n
}
function trim(s) { gsub(/^[ \t\n]+|[ \t\n]+$/, "", s); return s }
function bare(s) { return substr(s, 2, length(s) - 2) }
function controls(s,    n) { n = 0; while (match(s, /%./)) { ++n; if (substr(s, RSTART + 1, 1) !~ /[sdxitpcDCRWOEIGFALXKS]/) return -1; s = substr(s, RSTART + 2) } return n }
function check(name, n,    generic, text) {
  if (n < text_at[name]) { report("too few arguments"); return }
  if (line_at[name] && args[line_at[name]] != "__LINE__" && args[line_at[name]] != "line") report("__LINE__ or line is expected")
  if (args[class_at[name]] !~ /^MPIX?_ERR_[A-Z_]+$/) report("class is no constant")
  generic = args[text_at[name]]
  if (generic !~ /^"\*\*[^ \t"%]+"$/) { report("generic text is no constant"); return }
  if (!(bare(generic) in known)) report("no entry for " generic)
  if (!specific[name]) return
  text = args[text_at[name] + 1]
  if (text == "0" || text == "NULL") return
  if (text !~ /^"\*\*.*"$/) { report("specific text is no constant"); return }
  if (text == generic || controls(text) < 1) report("specific text has no format control, or one that is not known")
  if (controls(text) != n - text_at[name] - 1) report("arguments and format controls differ")
  if (!(bare(text) in known)) report("no entry for " text)
}
{ sub(/\/\/.*/, ""); text = text $0 "\n" }
END {
  # The extractor looks at anything with such a name.
  while (match(text, /MPI[OUR]_[Ee][Rr][Rr][A-Za-z0-9_]*[ \n]*\(/)) {
    name = substr(text, RSTART, RLENGTH); sub(/[ \n]*\($/, "", name)
    text = substr(text, RSTART + RLENGTH - 1)
    if (name ~ /_(CHECK|POP)/) continue
    call = name
    if (!(name in class_at)) { report("not a routine that the extractor knows"); continue }
    n = split_args(text)
    call = name "(" args[1]; for (i = 2; i <= n; ++i) call = call ", " args[i]; call = call ")"
    check(name, n)
  }
  exit bad
}
'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ printf '%s\n' "$names" && cat "$1/errnames.txt"; } >"$work/names"
check() { LC_ALL=C awk -v names="$work/names" "$rules" "$1"; }

# Each of these has to be found.
while read -r call; do
  echo "$call" >"$work/wrong.c"
  if check "$work/wrong.c" >/dev/null; then
    echo "not found: $call"
    exit 1
  fi
done <<'END'
MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, class_of_error, "**nomem", 0);
MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, at, MPI_ERR_OTHER, "**nomem", 0);
MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_OTHER, text, 0);
MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_OTHER, "**nosuchtext", 0);
MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, f(1, 2), __LINE__, MPI_ERR_GROUP, "**group", "**group", 1);
MPIR_ERR_SET1(mpi_errno, MPI_ERR_GROUP, "**groupnotincomm", "**groupnotincomm %d %d", 1);
MPIR_ERR_SET1(mpi_errno, MPI_ERR_GROUP, "**groupnotincomm", "**groupnotincomm %d");
MPIR_ERR_SET(mpi_errno, MPI_ERR_GROUP, "**groupnotincomm %d");
MPIR_ERR_OTHER(mpi_errno, MPI_ERR_GROUP, "**group");
MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**ofid_avmap");
END

bad=0
for file in "$1"/*.[ch]; do
  check "$file" || bad=1
done
exit "$bad"
