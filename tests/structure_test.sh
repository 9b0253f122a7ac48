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

# write PATH TEXT: a file of the tree; the text may contain escapes.
write() { mkdir -p "$tree/$(dirname "$1")" && printf '%b' "$2" >"$tree/$1"; }

# repeat NUMBER TEXT
repeat() { local blanks && printf -v blanks '%*s' "$1" '' && printf '%s' "${blanks// /"$2"}"; }

# finds WHAT PATH TEXT VIOLATION: the only violation of the tree with this file starts so.
finds() {
  local output status=0
  tree=$work/tree
  rm -rf "$tree" && cp -r "$work/clean" "$tree"
  write "$2" "$3"
  output=$("$BASH" "$checker" "$tree" 2>&1) || status=$?
  [[ -n $4 || $status$output != 0 ]] || return 0
  [[ -z $4 || $status != 1 || $output != "$2:$4"* || $output == *$'\n'* ]] || return 0
  failures=$((failures + 1))
  printf 'FAILED: %s: exit code %s, output:\n%s\n' "$1" "$status" "$output"
}
# forbids PATH FILE: the file may not include the other one.
forbids() { finds "$1 with $2" "$1" "\n  #  include $2\n" "2: ${3:-$(dirname "$1") may not include }"; }

write CMakeLists.txt 'project(tree)\n'
write tests/CMakeLists.txt 'add_executable(device_tests bench/run_test.cc device/send_test.cc)\n'
write include/avrankmap/status.h 'int avrm_status;\n'
write include/avrankmap/device/device.h '// (tests/tour/a.c):\n//\n//       return 1;\n//     return 0;\n//\n// Text\n#include "avrankmap/status.h"\n'
write src/component/base/memory.h '#include "avrankmap/status.h"\n'
write src/device/base/environment.cpp 'const char *f() { return std::getenv("AVRM_X"); }\n'
write src/component/av/av.cpp '#include "base/memory.h"\n'
write src/device/comm_algorithms/comm.h '#include "avrankmap/device/device.h"\n'
write src/device/core/device.h '#include "comm_algorithms/comm.h"\n'
write src/device/core/transports.cpp '#include "transport_list.h"\n'
write src/device/p2p/send.h '#include "core/device.h"\n'
write netmod/ofi/ofi.h '#include <rdma/fabric.h>\n'
write netmod/ofi/wire.cpp '#include "../ofi/ofi.h"\n'
write bench/counters/step.h 'int step;\n'
write bench/papers/driver/driver.h '#include "harness/run.cpp"\n'
write bench/harness/run.cpp '#include "src/device/p2p/send.h"\n'
write tests/support/seed.h '#include <gtest/gtest.h>\n'
write tests/device/core/send_test.cc '#include "tests/support/seed.h"\n#include "counters/step.h"\n'
write tests/bench/run_test.cc '#include "harness/run.cpp"\n'
write tests/tour/a.c 'int main(void) {\n  if (f())\n\n    return 1;\n  return 0;\n}\n'
write README.md 'Text (tests/tour/a.c):\n\n```c\nif (f())\n\n  return 1;\n```\n\nMore text\n'
write src/component/base/most_lines.h "$(repeat 600 'int a;\n')"
write src/component/base/comment.cpp "int b[2]; // getenv(\"HOME\")\nauto a = \"getenv()//$(repeat 90 x)\";\n// $(repeat 97 x)\n"
finds 'nothing in a clean tree' README.md "$(<"$tree/README.md")" ''

forbids include/avrankmap/status.h '<avrankmap/device/device.h>' 'include may not include include/avrankmap/device/device.h'
forbids src/device/comm_algorithms/comm.h '"core/device.h"'
forbids src/component/av/av.cpp '"avrankmap/device/device.h"'
forbids src/device/core/device.h '"p2p/send.h"'
forbids src/device/core/open.cpp '"ofi/ofi.h"'
forbids src/device/core/open.cpp '<rdma/fabric.h>'
forbids src/device/p2p/open.cpp '"transport_list.h"' 'src/device/p2p may not include <transport_list.h>'
forbids src/device/core/open.cpp '"bench/harness/run.cpp"'
forbids netmod/ofi/ofi.h '"core/device.h"'
forbids netmod/ucx/ucx.h '"../ofi/ofi.h"'
forbids bench/harness/run.cpp '"tests/support/seed.h"' 'bench may not include'
forbids bench/harness/run.cpp '"papers/driver/driver.h"' 'bench may not include'
forbids tests/device/core/send_test.cc '"harness/run.cpp"' 'tests may not include'
finds 'a folder without a row' src/other/other.h 'int a;\n' '1: belongs to no room'

finds 'a long source' src/component/base/lines.h "$(repeat 601 'int a;\n')" '601: more than 600 lines'
finds 'a long script' tests/long.sh "$(repeat 601 'true\n')" '601: more than 600 lines'
finds 'a wide comment' src/component/base/c.c "\n// $(repeat 98 x)\n" '2: a comment ends behind column 100'
finds 'a wide comment behind code' src/component/base/c.c "\nint a[2]; // $(repeat 88 x)\n" '2: a comment ends behind column 100'
finds 'the environment, read elsewhere' src/component/av/av.cpp 'auto a = getenv("A");\n' '1: reads the environment'
finds 'a codec, distinguished elsewhere' src/component/av/av.cpp 'auto a = codec == AVRM_CODEC_UCX ? f() : g();\n' '1: distinguishes codecs'
finds 'a test that no program has' tests/device/core/lost_send_test.cc 'int a;\n' ' is in no program'

for quote in '//     return 1;\n//   return 2;' '//   if (f())\n//\n//   return 1;' ''; do
  finds "a quotation of $quote" include/avrankmap/device/device.h "// (tests/tour/a.c):\n//\n$quote\n//\n\n" '1: this is not what stands in'
done
finds 'a quotation of an example that is nowhere' include/avrankmap/device/device.h '// (tests/tour/b.c):\n//\n//   return 1;\n\n' \
  '1: this is not what stands in tests/tour/b.c'
finds 'a quotation of other text in a page' README.md '\n(tests/tour/a.c):\n\n```c\nreturn 3;\n```\n' '2: this is not what stands in'

((failures == 0)) || exit 1
