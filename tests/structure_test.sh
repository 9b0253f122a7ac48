#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Shows that tests/structure.sh finds each kind of violation: a small tree passes, and fails when
# one of its files is changed.
set -euo pipefail

checker=$(cd "$(dirname "$0")" && pwd)/structure.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/clean
failures=0

# write PATH: a file of the tree, from standard input.
write() {
  mkdir -p "$tree/$(dirname "$1")"
  cat >"$tree/$1"
}

# repeat NUMBER TEXT
repeat() {
  local blanks
  printf -v blanks '%*s' "$1" ''
  printf '%s' "${blanks// /"$2"}"
}

# write_function PATH LINES: a function of so many lines, behind and with braces that are none.
write_function() {
  {
    printf 'struct S {\n  S() : a_{1}, b_(2) {}\n  int a_ = {3};\n  int b_;\n};\n#define AVRM_OPEN {\n'
    printf 'template <typename T>\nint f(T t) noexcept { // }\n  const char *s = "}";\n  char c = '"'}'"';\n'
    repeat $(($2 - 5)) $'  if (t) { t = T{1}; }\n'
    printf '}\n'
  } | write "$1"
}

make_tree() {
  echo 'project(tree)' | write CMakeLists.txt
  echo 'add_executable(device_tests bench/run_test.cc device/send_test.cc)' | write tests/CMakeLists.txt
  write include/avrankmap/status.h <<<'int avrm_status;'
  write include/avrankmap/device.h <<<$'// So (tests/tour/a.c):\n//\n//     return 1;\n//   return 0;\n//\n// Text\n#include "avrankmap/status.h"'
  write src/base/memory.h <<<'#include "avrankmap/status.h"'
  write src/base/environment.cpp <<<'const char *f() { return std::getenv("AVRM_X"); }'
  write src/av/av.cpp <<<'#include "base/memory.h"'
  write src/comm/comm.h <<<'#include "avrankmap/device.h"'
  write src/core/device.h <<<'#include "comm/comm.h"'
  write src/core/transports.cpp <<<'#include "transport_list.h"'
  write src/p2p/send.h <<<'#include "core/device.h"'
  write netmod/ofi/ofi.h <<<'#include <rdma/fabric.h>'
  write netmod/ofi/wire.cpp <<<'#include "../ofi/ofi.h"'
  write bench/counters/step.h <<<'int step;'
  write bench/harness/run.cpp <<<'#include "src/p2p/send.h"'
  write tests/support/seed.h <<<'#include <gtest/gtest.h>'
  write tests/device/send_test.cc <<<$'#include "tests/support/seed.h"\n#include "counters/step.h"'
  write tests/bench/run_test.cc <<<'#include "harness/run.cpp"'
  write tests/tour/a.c <<<$'int main(void) {\n  if (f())\n\n    return 1;\n  return 0;\n}'
  write README.md <<<$'Text (tests/tour/a.c):\n\n```c\nif (f())\n\n  return 1;\n```\n\nMore text'
  write_function src/base/longest.cpp 60
  repeat 600 $'int a;\n' | write src/base/most_lines.h
  {
    printf '// %s\n' "$(repeat 97 x)"
    printf '// %s\n' "$(repeat 97 ä)"
    printf 'const char *a = "http://%s"; // getenv("HOME")\n' "$(repeat 50 x)"
    printf 'const char *b = "http://%s";\n' "$(repeat 100 x)"
    printf 'int f(int /*unused*/, %s);\n' "$(repeat 20 'int, ')"
    printf 'int f(%sint /*unused*/);\n' "$(repeat 20 'int, ')"
    printf 'extern "C" int __f(); // NOLINT(%s)\n' "$(repeat 90 x)"
    printf 'const char *c = R"(\n// %s\n)";\n' "$(repeat 100 x)"
  } | write src/base/columns.cpp
  {
    printf 'echo "${a#b}%s"\n' "$(repeat 100 x)"
    printf 'cat <<'"'END'"'\n# %s\n  FILE # %s\nEND\ntrue\n' "$(repeat 100 x)" "$(repeat 100 x)"
  } | write tests/run.sh
}

# expect WHAT PATH [PART]: checks the tree with the file PATH from standard input. The output must
# be one violation in PATH that starts with PART, or nothing without PART.
expect() {
  local output status=0
  rm -rf "$tree"
  cp -r "$work/clean" "$tree"
  [[ $2 == - ]] || write "$2"
  output=$("$BASH" "$checker" "$tree" 2>&1) || status=$?
  if [[ -z ${3-} && $status$output == 0 ]] ||
    [[ -n ${3-} && $status == 1 && $output == "$2:$3"* && $output != *$'\n'* ]]; then
    return
  fi
  failures=$((failures + 1))
  printf 'FAILED: %s: exit code %s, output:\n%s\n' "$1" "$status" "$output"
}

make_tree
tree=$work/tree
expect 'a clean tree' - </dev/null

expect 'a public header that reaches into src' include/avrankmap/status.h '1: include may not include src/base/memory.h' \
  <<<'#include "base/memory.h"'
expect 'a header of the component with one of the device' include/avrankmap/status.h \
  '1: include may not include include/avrankmap/device.h' <<<'#include <avrankmap/device.h>'
expect 'a room that includes one above it' src/base/memory.h '2: src/base may not include src/comm/comm.h' \
  <<<$'\n#include "comm/comm.h"'
expect 'creation that includes the core' src/comm/comm.h '1: src/comm may not include src/core/device.h' \
  <<<'  #  include "core/device.h"'
expect 'the component with a header of the device' src/av/av.cpp '1: src/av may not include include/avrankmap/device.h' \
  <<<'#include "avrankmap/device.h"'
expect 'the core with what is above it' src/core/device.h '1: src/core may not include src/p2p/send.h' \
  <<<'#include "p2p/send.h"'
expect 'another file than the registry with a netmod' src/core/open.cpp '1: src/core may not include netmod/ofi/ofi.h' \
  <<<'#include "ofi/ofi.h"'
expect 'another file than the registry with its list' src/core/open.cpp '1: only src/core/transports.cpp' \
  <<<'#include "transport_list.h"'
expect 'a netmod with the core' netmod/ofi/ofi.h '1: netmod/ofi may not include src/core/device.h' \
  <<<'#include "core/device.h"'
expect 'a netmod with a netmod' netmod/ucx/ucx.h '1: netmod/ucx may not include netmod/ofi/ofi.h' \
  <<<'#include "../ofi/ofi.h"'
expect 'libfabric outside of its netmod' src/core/open.cpp '1: src/core may not include <rdma/fabric.h>' \
  <<<'#include <rdma/fabric.h>'
expect 'the library with the benchmarks' src/core/open.cpp '1: src/core may not include bench/harness/run.cpp' \
  <<<'#include "bench/harness/run.cpp"'
expect 'the benchmarks with the tests' bench/harness/run.cpp '1: bench may not include tests/support/seed.h' \
  <<<'#include "tests/support/seed.h"'
expect 'tests with the benchmarks' tests/device/send_test.cc '1: tests may not include bench/harness/run.cpp' \
  <<<'#include "harness/run.cpp"'
expect 'a folder without a row' src/other/other.h '1: belongs to no room' <<<'int other;'
expect 'a header that is nowhere' src/core/open.cpp '1: there is no file core/none.h' <<<'#include "core/none.h"'

repeat 601 $'int a;\n' | expect 'a long source' src/base/lines.h '601: more than 600 lines'
repeat 601 $'true\n' | expect 'a long script' tests/long.sh '601: more than 600 lines'
write_function ../long 61
expect 'a long function' src/base/longest.cpp '67: a function of 61 lines, which starts in line 7' <"$work/long"
expect 'a long function in a class' include/avrankmap/status.h '65: a function of 64 lines, which starts in line 2' \
  <<<$'class alignas(8) A final : public B {\n  A(int x)\n      : x_{x} {'"$(repeat 61 $'\n    ++x;')"$'\n  }\n};'
expect 'a long function in C' src/base/c.c '64: a function of 63 lines, which starts in line 2' \
  <<<$'\nstruct s *f(void) {'"$(repeat 61 $'\n  g();')"$'\n}'

expect 'a wide comment' src/base/c.c '1: a comment ends behind column 100' <<<"// $(repeat 98 x)"
expect 'a wide comment behind code' src/base/c.c '1: a comment ends behind column 100' <<<"int a[2]; // $(repeat 88 x)"
expect 'a wide comment behind a number' src/base/c.c '1: a comment ends behind column 100' \
  <<<"int a = 1'000; // it's $(repeat 90 x)"
expect 'a wide comment of several lines' src/base/c.c '2: a comment ends behind column 100' \
  <<<$'/* a\n'"$(repeat 101 x)"$'\n*/'
expect 'a wide comment in a script' tests/run.sh '1: a comment ends behind column 100' <<<"true # $(repeat 95 x)"
expect 'a wide comment behind a text' tests/run.sh '4: a comment ends behind column 100' \
  <<<$'cat <<END\nEND\ncat <<<"END"\n'"# $(repeat 99 x)"
expect 'a wide comment in a macro' src/base/c.c '1: a comment ends behind column 100' \
  <<<"#define A 1 /* $(repeat 84 x) */ \\"
expect 'a wide comment in CMake' CMakeLists.txt '1: a comment ends behind column 100' <<<"# $(repeat 99 x)"

expect 'the environment, read elsewhere' src/av/av.cpp '1: reads the environment' <<<'auto a = getenv("A");'
expect 'a codec, distinguished elsewhere' src/av/av.cpp '1: distinguishes codecs' \
  <<<'auto a = codec == AVRM_CODEC_UCX ? f() : g();'

expect 'a test that no program has' tests/device/lost_send_test.cc ' is in no program' <<<'int a;'

expect 'a quotation of another line' include/avrankmap/device.h '1: this is not what stands in tests/tour/a.c' \
  <<<$'// So (tests/tour/a.c):\n//\n//     return 1;\n//   return 2;\n//\n'
expect 'a quotation that is indented otherwise' include/avrankmap/device.h '1: this is not what stands in' \
  <<<$'/// So (tests/tour/a.c):\n///\n///   if (f())\n///\n///   return 1;\n// Text'
expect 'a quotation of nothing' include/avrankmap/device.h '1: this is not what stands in' \
  <<<$'// So (tests/tour/a.c):\n\n'
expect 'a quotation of an example that is nowhere' include/avrankmap/device.h '1: there is no file tests/tour/b.c' \
  <<<$'// So (tests/tour/b.c):\n//\n//   return 1;\n\n'
expect 'a quotation of other text in a page' README.md '2: this is not what stands in tests/tour/a.c' \
  <<<$'\nSo (tests/tour/a.c):\n\n```c\nreturn 3;\n```'

((failures == 0)) || exit 1
