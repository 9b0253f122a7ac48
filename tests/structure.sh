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

# ROOM: ROOMS
# A room is a folder with the folders below it that have no row of their own. Its files include
# their own room and the rooms behind the colon; +ROOM is a room of a row above with all that it may
# include, FOLDER/* all rooms below a folder. TRANSPORTS is a row per folder in netmod and shmmod. A
# header of another library is included by the rooms of its row.
rooms='
include                            :
include/avrankmap/device           : include
src/component/base                 : include
src/component/av                   : +src/component/base
src/component/rankmap/patterns     : include
src/component/rankmap              : src/component/rankmap/* +src/component/av
src/component/group                : +src/component/rankmap
src/component/hierarchy            : +src/component/rankmap
src/component/window_table         : +src/component/av
src/adapter                        : include
src/device/base                    : +src/component/base include/avrankmap/device
src/device/launch                  : +src/device/base
src/device/launch/pmix             : +src/device/launch
src/device/launch/pmi2             : +src/device/launch
src/device/topo                    : +src/device/base
src/device/comm_algorithms/channel : +src/component/base
src/device/comm_algorithms         : src/device/comm_algorithms/* +src/component/group +src/component/hierarchy +src/device/base
src/device/core                    : +src/device/comm_algorithms src/device/launch src/device/topo src/device/liveness
src/device/liveness                : +src/device/core
src/device/p2p                     : +src/device/core
src/device/rma                     : +src/device/core
src/device/comm_calls              : +src/device/p2p +src/device/rma
src/device/fastpath                : +src/device/p2p +src/device/rma
src/device/dynamic                 : +src/device/comm_calls
src/device/liveness/ring           : +src/device/dynamic
src/device/open                    : +src/device/fastpath +src/device/liveness/ring
TRANSPORTS
bench                              : bench/support bench/counters bench/component bench/synthetic bench/device include include/avrankmap/* src/* netmod/* shmmod/*
bench/support                      : include include/avrankmap/*
bench/counters                     :
bench/component                    : bench bench/support bench/counters include src/component/rankmap src/component/rankmap/* netmod/*
bench/synthetic                    : bench/support include include/avrankmap/* src/* netmod/* shmmod/*
bench/device                       : +bench
bench/tools                        : +bench
bench/papers/experiment            :
bench/papers/conclusions           : bench/papers/experiment bench/support
bench/papers                       : +bench bench/papers/*
tests                              : include include/avrankmap/* src/* netmod/* shmmod/* bench/counters bench/synthetic
tests/bench                        : +tests +bench bench/tools
tests/papers                       : +tests bench bench/*
tests/fuzz                         : +tests +bench bench/tools
tests/tools                        : +tests +bench bench/tools
<rdma/                             : netmod/ofi bench/device bench/papers tests tests/*
<ucp/                              : netmod/ucx bench/device bench/papers tests tests/*
<ucs/                              : netmod/ucx bench/device bench/papers tests tests/*
<pmix                              : src/device/launch/pmix tests
<pmi2                              : src/device/launch/pmi2 tests
<hwloc                             : src/device/topo tests
<sodium                            : src/device/core tests
<mpidimpl.h                        : src/adapter
<ofi_impl.h                        : src/adapter
<ucx_impl.h                        : src/adapter
<gtest/                            : tests tests/*
<gmock/                            : tests tests/*
<benchmark/                        : bench/component
<transport_list.h                  : src/device/core
'
rooms=${rooms/TRANSPORTS/$(printf '%s : +src/device/base\n' netmod/ofi netmod/ucx netmod/* shmmod/*)}
mapfile -t files < <(find CMakeLists.txt include src netmod shmmod bench tests cmake -type f 2>/dev/null |
  grep -E '\.(h|c|cc|cpp|sh|cmake)$|CMakeLists\.txt$' | LC_ALL=C sort)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '\.(h|c|cc|cpp)$')
mapfile -t library < <(printf '%s\n' "${sources[@]}" | grep -E '^(include|src|netmod|shmmod)/')

# check AWK_PROGRAM FILE...: runs one of the programs below, with any awk.
check() {
  LC_ALL=C rooms=$rooms awk "$common $1" "${@:2}"
}

# `code` is the line without comments, and with empty strings. The sources have no comments of
# several lines but those that begin with //.
common='
function report(message) { print FILENAME ":" FNR ": " message }
function columns(text) { gsub(/[\200-\277]/, "", text); return length(text) } # of UTF-8
{
  code = $0
  gsub(/\47\\?"\47/, "0", code)
  gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
  commented = sub(/\/\/.*/, "", code)
  gsub(/\/\*[^*]*\*\//, "", code)
  sub(/ +$/, "", code)
}
'

includes='
function room_of(path) {
  if (path == "include/avrankmap/device.h") return "include/avrankmap/device"
  while (!(path in row) && path != "") if (!sub(/\/[^\/]*$/, "", path)) path = ""
  return path
}
function allow(room, target,    name) {
  if (sub(/^\+/, "", target)) for (name in row) if ((target, name) in allowed) allowed[room, name] = 1
  if (sub(/\*$/, "", target)) {
    for (name in row) if (index(name, target) == 1) allowed[room, name] = 1
  } else {
    allowed[room, target] = 1
    if (!(target in row)) print "structure.sh: there is no row for " target
  }
}
BEGIN {
  count = split(ENVIRON["rooms"], lines, "\n")
  for (i = 1; i <= count; ++i) { split(lines[i], words, " "); if (words[1] != "") row[words[1]] = 1 }
  for (i = 1; i <= count; ++i) {
    number = split(lines[i], words, " ")
    for (j = 3; j <= number; ++j) allow(words[1], words[j])
  }
  for (i = 1; i < ARGC; ++i) is_file[ARGV[i]] = 1
}
# A header is looked for in its folder, then in the folders of the include path.
function found(header,    count, roots, i, path) {
  count = split("./ include/ src/component/ src/device/ netmod/ shmmod/ bench/", roots, " ")
  roots[0] = FILENAME
  sub(/[^\/]*$/, "", roots[0])
  for (i = 0; i <= count; ++i) {
    path = roots[i] header
    while (sub(/(^|\/)\.\//, "", path) || sub(/[^\/.]+\/\.\.\//, "", path)) continue
    if (path in is_file) return path
  }
}
FNR == 1 && (room = room_of(FILENAME)) == "" { report("belongs to no room of the table"); nextfile }
code ~ /^[ \t]*#[ \t]*include/ && match($0, /["<][^">]*/) {
  header = substr($0, RSTART + 1, RLENGTH - 1)
  file = found(header)
  target = room_of(file)
  if (file == "") {
    for (name in row)
      if (index("<" header, name) == 1 && !((name, room) in allowed)) report(room " may not include <" header ">")
    if (code ~ /"/ && header !~ /^(avrankmap\/version|transport_list)\.h$/) report("there is no file " header)
  } else if (target != room && !((room, target) in allowed)) {
    report(room " may not include " file)
  }
}
'

lengths='
FNR == 601 { report("more than 600 lines") }
'

# What tells a tool to be silent stands on one line with what it is about.
comments='
commented && columns($0) > 100 && !/NOLINT|cppcheck-suppress/ { report("a comment ends behind column 100") }
'

places='
code ~ /(^|[^A-Za-z0-9_])(secure_)?getenv *\(/ && FILENAME != "src/device/base/environment.cpp" {
  report("reads the environment, which is for src/device/base/environment.cpp")
}
code ~ /AVRM_CODEC_[A-Z]+ *\?/ && FILENAME !~ /^(include\/avrankmap\/ave_inl\.h|src\/component\/av\/ave\.cpp)$/ {
  report("distinguishes codecs, which is for ave_inl.h and ave.cpp")
}
'

# A test that no program names is never built.
unbuilt() {
  local test lists=(tests/CMakeLists.txt tests/*.cmake tests/*/CMakeLists.txt tests/*/*.cmake)
  printf '%s\n' "${sources[@]}" | grep -E '^tests/.*_test\.cc$' | while read -r test; do
    grep -qE "(^|[ /])${test##*/}([ )]|$)" "${lists[@]}" || echo "$test: is in no program"
  done
}

# A quotation follows a line that ends in "(tests/tour/FILE):", in a comment or as a block of
# Markdown. All its lines may be indented by more or by less than in the example.
quotes='
function indent(text) { match(text, /^ */); return RLENGTH }
function shifted(text, by) { return text == "" ? "" : by < 0 ? substr(text, 1 - by) : sprintf("%" by "s", "") text }
function stands_in_example(    size, lines, at, i) {
  while ((getline lines[size + 1] < example) > 0) ++size
  close(example)
  for (at = 1; at + quoted - 1 <= size; ++at) {
    for (i = 1; i <= quoted && lines[at + i - 1] == shifted(quote[i], indent(lines[at]) - indent(quote[1])); ++i) continue
    if (i > quoted) return quoted
  }
}
function check_quote() {
  while (quoted > 0 && quote[quoted] == "") --quoted
  if (!stands_in_example()) print FILENAME ":" start ": this is not what stands in " example
  example = ""
}
FNR == 1 { example = ""; fenced = 0; page = FILENAME ~ /\.md$/ }
{
  text = $0
  inside = page ? fenced : sub(/^ *\/\/\/? ?/, "", text)
  if (example != "" && page && /^```/) {
    fenced = !fenced
    if (!fenced) check_quote()
  } else if (example != "" && inside && (page || text ~ /^( |$)/)) {
    if (text != "" || quoted > 0) quote[++quoted] = text
  } else if (example != "" && !(page && text == "")) {
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
  check "$comments" "${sources[@]}"
  check "$places" "${library[@]}"
  check "$quotes" *.md */README.md include/avrankmap/*.h include/avrankmap/device/*.h
)
[[ -z $violations ]] || { printf '%s\n' "$violations"; exit 1; }
