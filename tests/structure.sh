#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
shopt -s inherit_errexit nullglob

usage() {
  cat <<'END'
Usage: tests/structure.sh [FOLDER]
Checks the sources of the tree in FOLDER, by default this one, and prints one line per violation:
  includes    a file includes only what the table in this script allows its room
  lengths     600 lines per source, and 60 per function in the library (include, src, netmod, shmmod)
  comments    they end at column 100
  places      the environment is read in one file, and address words are decoded in one pair of files
  quotes      what a header or a page quotes from an example in tests/tour stands there, line by line
Exits with 1 if there is a violation.
END
}

case ${1-} in
-h | --help) usage && exit 0 ;;
-*) usage >&2 && exit 2 ;;
esac
cd "${1-$(dirname "$0")/..}"

# ROOM: ROOMS
# A room is a folder with the folders below it that have no row of their own, or one file. Its files
# include their own room and the rooms behind the colon. +ROOM stands for a room of a row above with
# all that it may include, FOLDER/* for all rooms below a folder. include stands for the component's
# headers, include/device for the device's, which device_headers names. TRANSPORTS stands for a row
# per folder in netmod and shmmod, which sees the public headers and src/base.
rooms='
include             :
include/device      : include
src/base            : include
src/av              : +src/base
src/rankmap/patterns : include
src/rankmap         : src/rankmap/* +src/av
src/group           : +src/rankmap
src/hierarchy       : +src/rankmap
src/directory       : +src/av
src/adapter/mpich5  : include
src/adapter/mpich4  : include
src/boot            : +src/base include/device
src/topo            : +src/base include/device
src/comm/channel    : +src/base
src/comm            : src/comm/* +src/group +src/hierarchy include/device
src/core            : +src/comm src/boot src/topo
src/p2p             : +src/core
src/rma             : +src/core
src/creation        : +src/p2p +src/rma
src/fastpath        : +src/p2p +src/rma
src/dynamic         : +src/creation
src/ring            : +src/dynamic
src/device          : +src/fastpath +src/ring
TRANSPORTS
bench               : bench/* include include/* src/* netmod/* shmmod/*
bench/support       : include include/*
bench/component     : bench bench/support bench/counters include src/rankmap src/rankmap/* netmod/*
bench/device        : bench bench/* include include/* src/* netmod/* shmmod/*
bench/experiment    :
bench/conclusions   : bench/experiment bench/support
bench/experiments   : bench bench/support bench/counters bench/component bench/device bench/experiment bench/conclusions include
bench/driver        : bench bench/* include include/*
bench/synthetic     : bench/support include include/* src/* netmod/* shmmod/*
tests               : include include/* src/* netmod/* shmmod/* bench/counters bench/synthetic
bench/counters      :
tests/bench         : +tests bench bench/*
tests/fuzz          : +tests bench bench/*
tests/survey        : +tests bench bench/*
'
# The rows of all transports. libraries, below, names two of them.
transports=$(printf '%s : +src/base include/device\n' netmod/ofi netmod/ucx netmod/* shmmod/* | sort -u)
rooms=${rooms/TRANSPORTS/"$transports"}
device_headers='atomics binding boot comm datatype device dynamic event fastpath fastpath_inl fastpath_word_inl ft netmod probe request shmmod topo'

# PREFIX: ROOMS
# Headers of other libraries, and the rooms that may include them.
libraries='
rdma/      : netmod/ofi bench/device tests tests/*
ucp/       : netmod/ucx bench/device tests tests/*
ucs/       : netmod/ucx bench/device tests tests/*
pmix       : src/boot tests
hwloc      : src/topo tests
sodium     : src/core tests
mpidimpl.h : src/adapter/*
ofi_impl.h : src/adapter/*
ucx_impl.h : src/adapter/*
gtest/     : tests tests/*
gmock/     : tests tests/*
benchmark/ : bench/component
'

most_lines=600
most_lines_of_function=60
last_column_of_comment=100
environment_file=src/base/environment.cpp
registry=src/core/transports.cpp
codec_files='include/avrankmap/ave_inl.h src/av/ave.cpp'

folders=()
for folder in include src netmod shmmod bench tests cmake; do
  [[ ! -d $folder ]] || folders+=("$folder")
done
mapfile -t files < <(LC_ALL=C find CMakeLists.txt "${folders[@]}" -type f \
  \( -name '*.h' -o -name '*.c' -o -name '*.cc' -o -name '*.cpp' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt \) |
  LC_ALL=C sort)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '\.(h|c|cc|cpp)$')
quoting=(*.md */README.md include/avrankmap/*.h)
mapfile -t library < <(printf '%s\n' "${sources[@]}" | grep -E '^(include|src|netmod|shmmod)/')

# check AWK_PROGRAM FILE...: runs one of the programs below, with any awk.
check() {
  local program=$1
  shift
  LC_ALL=C rooms=$rooms libraries=$libraries awk -v device_headers="$device_headers" -v most_lines="$most_lines" \
    -v most_lines_of_function="$most_lines_of_function" -v last_column="$last_column_of_comment" \
    -v environment_file="$environment_file" -v registry="$registry" -v codec_files="$codec_files" "$common $program" "$@"
}

# Shared by the programs. split_line(line) sets `code` to the line without comments and with empty
# strings, and `comment_end` to the last column if a comment ends the line, else to 0. Call reset()
# per file.
common='
function report(message) { print FILENAME ":" FNR ": " message }
function reset() { in_block = 0; raw_end = "" }
# Columns of a text, which may be UTF-8.
function columns(text) { gsub(/[\200-\277]/, "", text); return length(text) }
function split_line(line,    rest, at, mark) {
  rest = line
  code = ""
  comment_end = 0
  while (rest != "") {
    if (in_block) {
      at = index(rest, "*/")
      if (at == 0) { comment_end = columns(line); return }
      rest = substr(rest, at + 2)
      in_block = 0
      if (rest ~ /^[ \t]*\\?$/) comment_end = columns(line) - columns(rest)
      continue
    }
    if (raw_end != "") {
      at = index(rest, raw_end)
      if (at == 0) return
      rest = substr(rest, at + length(raw_end))
      raw_end = ""
      continue
    }
    if (!match(rest, /\/\/|\/\*|["\47]/)) { code = code rest; return }
    mark = substr(rest, RSTART, RLENGTH)
    code = code substr(rest, 1, RSTART - 1)
    rest = substr(rest, RSTART)
    if (mark == "//") { comment_end = columns(line); return }
    if (mark == "/*") { in_block = 1; rest = substr(rest, 3); continue }
    if (mark == "\"" && code ~ /R$/ && match(rest, /^"[^(]*\(/)) {
      raw_end = ")" substr(rest, 2, RLENGTH - 2) "\""
      rest = substr(rest, RLENGTH + 1)
      code = code "\"\""
    } else if (mark == "\"" && match(rest, /^"([^"\\]|\\.)*"/)) {
      rest = substr(rest, RLENGTH + 1)
      code = code "\"\""
    } else if (mark == "\47" && code !~ /[0-9a-fA-F]$/ && match(rest, /^\47([^\47\\]|\\.)+\47/)) {
      rest = substr(rest, RLENGTH + 1)
      code = code "0"
    } else {
      rest = substr(rest, 2) # separates digits
    }
  }
}
'

# A header is looked for beside the file, then in the folders of the include path.
includes='
function room_of(file,    path) {
  if (match(file, /^include\/avrankmap\//)) {
    path = substr(file, RLENGTH + 1)
    sub(/\.h$/, "", path)
    return path in is_device ? "include/device" : "include"
  }
  for (path = file; path != ""; path = path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "")
    if (path in row) return path
  return ""
}
function bad_table(target) {
  print "tests/structure.sh: no row (above) for " target >"/dev/stderr"
  bad = 1
}
function allow(room, target,    name) {
  if (target ~ /^\+/) {
    target = substr(target, 2)
    if (!(target in complete)) return bad_table(target)
    for (name in row) if ((target, name) in allowed) allowed[room, name] = 1
  }
  if (target ~ /\/\*$/) {
    target = substr(target, 1, length(target) - 1)
    for (name in row) if (index(name, target) == 1) allowed[room, name] = 1
  } else if (target in row) {
    allowed[room, target] = 1
  } else {
    bad_table(target)
  }
}
function read_tables(    lines, count, i, parts, words, number, j) {
  number = split(device_headers, words, " ")
  for (j = 1; j <= number; ++j) is_device[words[j]] = 1
  count = split(ENVIRON["rooms"], lines, "\n")
  for (i = 1; i <= count; ++i) if (split(lines[i], parts, ":") == 2) { sub(/ +$/, "", parts[1]); row[parts[1]] = 1 }
  for (i = 1; i <= count; ++i) {
    if (split(lines[i], parts, ":") != 2) continue
    sub(/ +$/, "", parts[1])
    number = split(parts[2], words, " ")
    for (j = 1; j <= number; ++j) allow(parts[1], words[j])
    complete[parts[1]] = 1
  }
  count = split(ENVIRON["libraries"], lines, "\n")
  for (i = 1; i <= count; ++i) {
    if (split(lines[i], parts, ":") != 2) continue
    sub(/ +$/, "", parts[1])
    of_library[parts[1]] = 1
    number = split(parts[2], words, " ")
    for (j = 1; j <= number; ++j) allow("<" parts[1], words[j])
  }
}
function normal(path) {
  while (sub(/\/\.\//, "/", path) || sub(/[^\/.]+\/\.\.\//, "", path)) continue
  return path
}
function found(header,    i, path) {
  for (i = 1; i <= roots; ++i) {
    path = normal(root[i] header)
    if (path in is_file) return path
  }
  return ""
}
function check_include(header,    file, target, prefix) {
  root[1] = FILENAME
  sub(/[^\/]*$/, "", root[1])
  file = found(header)
  if (file == "") {
    for (prefix in of_library)
      if (index(header, prefix) == 1 && !(("<" prefix, room) in allowed))
        report(room " may not include <" header ">")
    if (header == "transport_list.h") { # generated; includes the transports
      if (FILENAME != registry) report("only " registry " may include " header)
    } else if (code ~ /"/ && header != "avrankmap/version.h") {
      report("there is no file " header)
    }
    return
  }
  target = room_of(file)
  if (target != room && !((room, target) in allowed)) report(room " may not include " file)
}
BEGIN {
  roots = split(" include/ src/ netmod/ shmmod/ bench/ / ", root, " ")
  for (i = roots; i > 0; --i) root[i + 1] = root[i] == "/" ? "" : root[i]
  ++roots
  read_tables()
  for (i = 1; i < ARGC; ++i) is_file[ARGV[i]] = 1
  if (bad) exit 1
}
FNR == 1 {
  reset()
  room = room_of(FILENAME)
  if (room == "") { report("belongs to no room of the table"); nextfile }
}
{
  split_line($0)
  if (code ~ /^[ \t]*#[ \t]*include/ && match($0, /["<][^">]*[">]/)) check_include(substr($0, RSTART + 1, RLENGTH - 2))
}
'

lengths='
FNR > most_lines { if (FNR == most_lines + 1) report("more than " most_lines " lines") }
'

# A function is a block outside of other functions that is no class, namespace or initialiser. The
# code is formatted: only an initialiser's brace follows a word without a space. `head` is
# the code since the last statement.
functions='
function open_brace(before) {
  if (depth > 0 && kind[depth] != "scope" || before ~ /[^ ]$/ || head ~ /= *$/) {
    kind[++depth] = "inner"
    return
  }
  gsub(/alignas *\([^()]*\)|__attribute__ *\(\([^()]*\)\)/, "", head)
  if (head ~ /(^|[ >])(class|struct|union|enum|namespace)( [^()]*)?$/ || head ~ /extern ""[^()]*$/) {
    kind[++depth] = "scope"
  } else {
    kind[++depth] = "function"
    first[depth] = head_line ? head_line : FNR
  }
  head = ""
  head_line = 0
}
function close_brace() {
  if (depth > 0) {
    if (kind[depth] == "function" && FNR - first[depth] + 1 > most_lines_of_function)
      report("a function of " FNR - first[depth] + 1 " lines, which starts in line " first[depth])
    if (kind[depth--] == "inner") return
  }
  head = ""
  head_line = 0
}
function outside() { return depth == 0 || kind[depth] == "scope" }
FNR == 1 { reset(); depth = 0; head = ""; head_line = 0; continued = 0 }
{
  split_line($0)
  if (continued || code ~ /^[ \t]*#/) { continued = code ~ /\\$/; next }
  rest = code
  while (match(rest, /[{};]/)) {
    before = substr(rest, 1, RSTART - 1)
    mark = substr(rest, RSTART, 1)
    rest = substr(rest, RSTART + 1)
    if (outside()) {
      if (!head_line && before ~ /[^ \t]/) head_line = FNR
      head = head before
    }
    if (mark == "{") open_brace(before)
    else if (mark == "}") close_brace()
    else if (outside()) { head = ""; head_line = 0 }
  }
  if (outside() && rest ~ /[^ \t]/) {
    if (!head_line) head_line = FNR
    head = head rest " "
  }
  if (head ~ /^[ \t]*(public|protected|private):[ \t]*$/) { head = ""; head_line = 0 }
}
'

# What tells a tool to be silent stands on one line with what it is about. Text that a script prints
# (here-documents) is no comment.
comments='
function too_far() { report("a comment ends behind column " last_column) }
FNR == 1 { reset(); shell = FILENAME !~ /\.(h|c|cc|cpp)$/; end_of_text = "" }
!shell {
  split_line($0)
  if (comment_end > last_column && !/NOLINT|cppcheck-suppress/) too_far()
  next
}
end_of_text != "" { if ($0 == end_of_text) end_of_text = ""; next }
columns($0) > last_column && (/^[ \t]*#/ || /[ \t]# [^"\47]*$/) { too_far() }
/(^|[^<])<<[ \47"]*[A-Z]+/ && match($0, /<<[ \47"]*[A-Z]+/) {
  end_of_text = substr($0, RSTART, RLENGTH)
  gsub(/[^A-Z]/, "", end_of_text)
}
'

places='
BEGIN { number = split(codec_files, names, " "); for (i = 1; i <= number; ++i) knows_codec[names[i]] = 1 }
FNR == 1 { reset() }
{ split_line($0) }
code ~ /(^|[^A-Za-z0-9_])(secure_)?getenv *\(/ && FILENAME != environment_file {
  report("reads the environment, which is for " environment_file)
}
code ~ /AVRM_CODEC_[A-Z]+ *\?/ && !(FILENAME in knows_codec) {
  report("distinguishes codecs, which is for " codec_files)
}
'

# A test that no program names is never built.
unbuilt() {
  local lists test
  lists=$(printf '%s\n' "${files[@]}" | grep -E '^tests/(.*/)?(CMakeLists\.txt|[^/]*\.cmake)$') || return 0
  while read -r test; do
    # shellcheck disable=SC2086 # names of files without blanks
    grep -qE "(^|[ /])${test##*/}([ )]|$)" $lists || echo "$test: is in no program"
  done < <(printf '%s\n' "${sources[@]}" | grep -E '^tests/.*_test\.cc$')
}

# A quotation follows a line that ends in "(tests/tour/FILE):", in a comment or as a block of
# Markdown. All its lines may be indented by more or by less than in the example.
quotes='
function indent(text) { match(text, /^ */); return RLENGTH }
function shifted(text, by) { return text == "" ? "" : by < 0 ? substr(text, 1 - by) : sprintf("%" by "s", "") text }
function matches(    at, i) {
  for (at = 1; at + quoted - 1 <= size; ++at) {
    for (i = 1; i <= quoted; ++i)
      if (lines[at + i - 1] != shifted(quote[i], indent(lines[at]) - indent(quote[1]))) break
    if (i > quoted) return 1
  }
  return 0
}
function check_quote(    size_read) {
  while (quoted > 0 && quote[quoted] == "") --quoted
  size = 0
  while ((size_read = (getline lines[size + 1] < example)) > 0) ++size
  close(example)
  if (size_read < 0) print FILENAME ":" start ": there is no file " example
  else if (quoted == 0 || !matches()) print FILENAME ":" start ": this is not what stands in " example
  example = ""
}
FNR == 1 { fenced = 0; example = "" }
{
  page = FILENAME ~ /\.md$/
  text = $0
  if (!page) inside = sub(/^ *\/\/\/? ?/, "", text)
  if (example != "") {
    if (page && /^```/) {
      fenced = !fenced
      if (!fenced) check_quote()
      next
    }
    if (page ? !fenced && text == "" && quoted == 0 : inside && text == "" && quoted == 0) next
    if (page ? fenced : inside && text ~ /^( |$)/) { quote[++quoted] = text; next }
    check_quote()
  }
  if (match(text, /\(tests\/tour\/[a-z_]+\.[ch]\):$/)) {
    example = substr(text, RSTART + 1, RLENGTH - 3)
    start = FNR
    quoted = 0
  }
}
'

violations=$(
  unbuilt
  check "$includes" "${sources[@]}"
  check "$lengths" "${files[@]}"
  check "$functions" "${library[@]}"
  check "$comments" "${files[@]}"
  check "$places" "${library[@]}"
  check "$quotes" "${quoting[@]}"
)
[[ -z $violations ]] || {
  printf '%s\n' "$violations"
  exit 1
}
