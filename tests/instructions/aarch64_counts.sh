#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: aarch64_counts.sh INCLUDE_DIR...
# The exact numbers of instructions of the hot path on aarch64, compiled by gcc 12 and counted under
# emulation. Exits with 77, which ctest shows as skipped, if a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
cc=aarch64-linux-gnu-gcc qemu=qemu-aarch64

for tool in "$cc" "$qemu"; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
version=$("$cc" -dumpversion)
[[ ${version%%.*} == 12 ]] || { echo "skipped: the counts are those of gcc 12, not of $version"; exit 77; }

# With all forms inline: to the word, to the libfabric address. With affine and lut: to the word;
# Isend and Put beyond those to a constant address.
pins=(
  'affine 8 15 8 8 8'
  'lut 15 23 13 12 13'
  'mlut 24 32 0 0 0'
  'blocked 19 27 0 0 0'
  'cart 24 33 0 0 0'
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c11 -O2 -fPIC -I. -Isrc "${@/#/-I}")
"$cc" "${flags[@]}" -DAVRM_FORMS_INLINE=AVRM_FORMS_ALL -c tests/instructions/translation_probes.c -o "$work/probes.o"
"$cc" "${flags[@]}" -DAVRM_TEST_MODEL=affine_lut -c tests/rankmap/code/send_model.c -o "$work/model.o"
"$cc" "${flags[@]}" tests/instructions/aarch64_counts.c tests/rankmap/code/send_network.c "$work/probes.o" "$work/model.o" -static -o "$work/counts"

# Each instruction is a block, and the log has a line for each block, which ends in the name of the
# function.
step=-singlestep
! "$qemu" -h | grep -q one-insn-per-tb || step=-one-insn-per-tb
bad=0
for pin in "${pins[@]}"; do
  form=${pin%% *}
  "$qemu" "$step" -d exec,nochain -D "$work/log" "$work/counts" "$form"
  counted=$(awk '{ ++count[$NF] }
    END {
      print count["avrm_test_count_word"], count["avrm_test_count_ofi"], count["word"] + 0,
        count["isend"] - count["isend_to_constant"], count["put"] - count["put_to_constant"]
    }' "$work/log")
  if [[ "$form $counted" != "$pin" ]]; then
    echo "$form $counted, and not $pin"
    bad=1
  fi
done
exit "$bad"
