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
  lengths     600 lines per source
  comments    those of C and C++ end at column 100
  places      the environment is read in one file, and address words are decoded in one pair of files
  programs    each test is in one
  quotes      what a header or a page quotes from an example in tests/tour stands there, line by line
Exits with 1 if there is a violation.
END
}

case ${1-} in
-h | --help) usage && exit 0 ;;
-*) usage >&2 && exit 2 ;;
esac
cd "${1-$(dirname "$0")/..}"

# ROOM... : ROOM...
# A room is a folder with the folders below it that have no row of their own. Files of the rooms
# before the colon include their own room and the rooms behind it; +ROOM is a room of a row above
# with all that it may include, FOLDER/* all rooms below a folder. A header of another library is
# included by the rooms of its row.
rooms="
include bench/counters bench/papers/experiment :
include/avrankmap/device src/component/base src/component/rankmap/patterns src/adapter : include
src/component/av : +src/component/base
src/component/rankmap : src/component/rankmap/* +src/component/av
src/component/group src/component/hierarchy : +src/component/rankmap
src/component/window_table : +src/component/av
src/device/base : +src/component/base include/avrankmap/device
src/device/launch src/device/topo netmod/ofi netmod/ucx $(echo netmod/* shmmod/*) : +src/device/base
src/device/launch/pmix src/device/launch/pmi2 : +src/device/launch
src/device/comm_algorithms/channel : +src/component/base
src/device/comm_algorithms : src/device/comm_algorithms/* +src/component/group +src/component/hierarchy +src/device/base
src/device/core : +src/device/comm_algorithms src/device/launch src/device/topo src/device/liveness
src/device/liveness src/device/p2p src/device/rma : +src/device/core
src/device/comm_calls src/device/fastpath : +src/device/p2p +src/device/rma
src/device/dynamic : +src/device/comm_calls
src/device/liveness/ring : +src/device/dynamic
src/device/open : +src/device/fastpath +src/device/liveness/ring
bench/support : include include/avrankmap/*
bench/component : bench bench/support bench/counters include src/component/rankmap src/component/rankmap/* netmod/*
bench/synthetic : bench/support include include/avrankmap/* src/* netmod/* shmmod/*
bench : bench/support bench/counters bench/component bench/synthetic bench/device include include/avrankmap/* src/* netmod/* shmmod/*
bench/device bench/tools : +bench
bench/papers/conclusions : bench/papers/experiment bench/support
bench/papers : +bench bench/papers/*
tests : include include/avrankmap/* src/* netmod/* shmmod/* bench/counters bench/synthetic
tests/bench tests/fuzz tests/tools : +tests +bench bench/tools
tests/papers : +tests bench bench/*
<rdma/ : netmod/ofi bench/device bench/papers tests tests/*
<ucp/ <ucs/ : netmod/ucx bench/device bench/papers tests tests/*
<pmix : src/device/launch/pmix tests
<pmi2 : src/device/launch/pmi2 tests
<hwloc : src/device/topo tests
<sodium : src/device/core tests
<gtest/ <gmock/ : tests tests/*
<benchmark/ : bench/component
<transport_list.h : src/device/core
"
mapfile -t files < <(find CMakeLists.txt include src netmod shmmod bench tests cmake -type f 2>/dev/null |
  grep -E '\.(h|c|cc|cpp|sh|cmake)$|CMakeLists\.txt$' | LC_ALL=C sort)

sources='
function report(message) { print FILENAME ":" FNR ": " message }
function allow(room, target,    name) {
  if (sub(/^\+/, "", target)) for (name in row) if ((target, name) in allowed) allowed[room, name] = 1
  allowed[room, target] = 1
  if (sub(/\*$/, "", target)) for (name in row) if (index(name, target) == 1) allowed[room, name] = 1
}
BEGIN {
  count = split(ENVIRON["rooms"], lines, "\n")
  for (i = 1; i <= count; ++i) {
    split(lines[i], sides, ":")
    for (j = split(sides[1], rooms, " "); j > 0; --j) row[rooms[j]] = 1
  }
  for (i = 1; i <= count; ++i) {
    split(lines[i], sides, ":")
    last = split(sides[2], targets, " ")
    for (j = split(sides[1], rooms, " "); j > 0; --j)
      for (k = 1; k <= last; ++k) allow(rooms[j], targets[k])
  }
  for (i = 1; i < ARGC; ++i) is_file[ARGV[i]] = 1
}
function room_of(path) {
  if (path == "include/avrankmap/device.h") return "include/avrankmap/device"
  while (!(path in row) && path != "") if (!sub(/\/[^\/]*$/, "", path)) path = ""
  return path
}
# A header is looked for in its folder, then in those of the include path, of which the last is the
# top of the tree.
function found(header,    folder, count, folders, i, path) {
  folder = FILENAME
  sub(/[^\/]*$/, "", folder)
  count = split(folder " include/ src/component/ src/device/ netmod/ shmmod/ bench/", folders, " ")
  for (i = 1; i <= count; ++i) {
    path = folders[i] header
    gsub(/[^\/]+\/\.\.\//, "", path)
    if (path in is_file) return path
  }
  return header
}

FNR == 601 { report("more than 600 lines") }
FILENAME !~ /\.(h|c|cc|cpp)$/ { next }

FNR == 1 && (room = room_of(FILENAME)) == "" { report("belongs to no room of the table"); nextfile }
/^[ \t]*#[ \t]*include/ && match($0, /["<][^">]*/) {
  header = substr($0, RSTART + 1, RLENGTH - 1)
  file = found(header)
  target = room_of(file)
  if (target != "" && target != room && !((room, target) in allowed)) report(room " may not include " file)
  for (library in row)
    if (target == "" && index("<" header, library) == 1 && !((library, room) in allowed))
      report(room " may not include <" header ">")
}

# `code` is the line without comments, and with empty strings. The sources have no comments of
# several lines but those that begin with //.
{
  code = $0
  gsub(/\47\\?"\47/, "0", code)
  gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
  commented = sub(/\/\/.*/, "", code)
  gsub(/\/\*[^*]*\*\//, "", code)
}
# What tells a tool to be silent stands on one line with what it is about.
commented && length($0) > 100 && !/NOLINT|cppcheck-suppress/ { report("a comment ends behind column 100") }

FILENAME !~ /^(include|src|netmod|shmmod)\// { next }
code ~ /(^|[^A-Za-z0-9_])(secure_)?getenv *\(/ && FILENAME != "src/device/base/environment.cpp" {
  report("reads the environment, which is for src/device/base/environment.cpp")
}
code ~ /AVRM_CODEC_[A-Z]+ *\?/ && FILENAME !~ /^(include\/avrankmap\/ave_inl\.h|src\/component\/av\/ave\.cpp)$/ {
  report("distinguishes codecs, which is for ave_inl.h and ave.cpp")
}
'

# A quotation follows a line that ends in "(tests/tour/FILE):", in a comment or as a block of
# Markdown. All its lines may be indented by more or by less than in the example.
quotes='
function stands_in(file, text,    line, lines, margin) {
  lines = "\n"
  while ((getline line < file) > 0) lines = lines line "\n"
  close(file)
  text = "\n" text
  sub(/\n+$/, "\n", text)
  while (text ~ /\n / && text !~ /\n[^ \n]/) gsub(/\n /, "\n", text)
  for (margin = 0; margin < 20 && text != "\n"; ++margin) {
    if (index(lines, text)) return 1
    gsub(/\n/, "\n ", text)
    gsub(/ +\n/, "\n", text)
    sub(/ +$/, "", text)
  }
  return 0
}
FNR == 1 { example = ""; fenced = 0; page = FILENAME ~ /\.md$/ }
{
  text = $0
  commented = !page && sub(/^ *\/\/\/? ?/, "", text)
  if (page && /^```/) { fenced = !fenced; text = "" }
  quoted = page ? fenced || quote text == "" : commented && text ~ /^( |$)/
  if (quoted && quote text != "") quote = quote text "\n"
  if (!quoted && example != "") {
    if (!stands_in(example, quote)) print FILENAME ":" start ": this is not what stands in " example
    example = ""
  }
  if (match(text, /\(tests\/tour\/[a-z_]+\.[ch]\):$/)) {
    example = substr(text, RSTART + 1, RLENGTH - 3)
    start = FNR
    quote = ""
  }
}
'

# A test that no program names is never built.
unbuilt() {
  local test lists=(tests/CMakeLists.txt tests/*.cmake tests/*/CMakeLists.txt tests/*/*.cmake)
  printf '%s\n' "${files[@]}" | grep -E '^tests/.*_test\.cc$' | while read -r test; do
    grep -qE "(^|[ /])${test##*/}([ )]|$)" "${lists[@]}" || echo "$test: is in no program"
  done
}

violations=$(
  unbuilt
  LC_ALL=C rooms=$rooms awk "$sources" "${files[@]}"
  awk "$quotes" *.md */README.md include/avrankmap/*.h include/avrankmap/device/*.h
)
[[ -z $violations ]] || { printf '%s\n' "$violations"; exit 1; }
