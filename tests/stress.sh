#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/deps.sh

usage() {
  cat <<'END'
Usage: tests/stress.sh [--minutes N] [--seed N] [KIND]...
Repeats random tests for some time, each round with another seed, and checks that no process leaks a
byte, a context id or a descriptor. Builds the tests in build/tests, as tests/run.sh does. Installs missing
packages first (Debian, Ubuntu; as root or with sudo). Stops at the first failure, and prints the seed and
the filter that repeat it.

  --minutes N  time per kind; default 10. From 30 on rounds are long, as with AVRM_TEST_LONG=1: 5,000
               random creations in a row, a million messages, 2,000 worlds.
  --seed N     seed of the first round; random by default. Each round adds 1.

Kinds; default all:
  creation  processes, and several threads at once, create and free communicators of all kinds
  traffic   random messages over each transport, and puts and messages of several threads
  growth    process groups are created and released while threads translate; tables and inverses are
            shared and freed; worlds connect and disconnect
END
}

minutes=10
seed=$((RANDOM << 15 | RANDOM))
kinds=()
while (($#)); do
  case $1 in
  --minutes) minutes=$2 && shift ;;
  --seed) seed=$2 && shift ;;
  -h | --help) usage && exit 0 ;;
  creation | traffic | growth) kinds+=("$1") ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done
((${#kinds[@]})) || kinds=(creation traffic growth)

# Program and filter, by kind.
creation=(
  comm_tests 'Over/RandomCreation.*:Over/ManyComms.ManyComeAndGo/*:CommThreads.*'
)
traffic=(
  device_tests 'Every/Device.Does/*RandomTrafficArrivesIntact*:Every/FastpathThreads.*'
)
growth=(
  av_tests 'Worlds.*:ConcurrentWrite*:*/Accounting.*:ManyProcessGroups.*'
  create_tests 'Intern*.MapsMayComeAndGoInManyThreads*'
  rankmap_tests '*RankmapThreads*:Inverse.IsSafeToAskDropAndForgetFromManyThreads'
  dynamic_tests '*.WorldsComeAndGoWithoutGrowth/*:*.NewWorldsComeAndGoWithoutGrowth/*'
)

avrm_need cmake=cmake ninja-build=ninja gcc=gcc g++=g++ pkg-config=pkg-config libgtest-dev libfabric-dev libucx-dev libsodium-dev
programs=()
for kind in "${kinds[@]}"; do
  declare -n pairs=$kind
  for ((i = 0; i < ${#pairs[@]}; i += 2)); do
    programs+=("${pairs[i]}")
  done
done
mkdir -p build
cmake -G Ninja -S . -B build/tests -D CMAKE_C_COMPILER=gcc -D CMAKE_CXX_COMPILER=g++ >build/stress.log 2>&1 ||
  { cat build/stress.log; exit 1; }
cmake --build build/tests --parallel "$(nproc)" --target "${programs[@]}" >build/stress.log 2>&1 ||
  { cat build/stress.log; exit 1; }

((minutes < 30)) || export AVRM_TEST_LONG=1
for kind in "${kinds[@]}"; do
  declare -n pairs=$kind
  end=$((SECONDS + 60 * minutes))
  rounds=0
  while ((rounds == 0 || SECONDS < end)); do
    export AVRM_TEST_SEED=$((seed + rounds))
    for ((i = 0; i < ${#pairs[@]}; i += 2)); do
      "build/tests/tests/${pairs[i]}" --gtest_filter="${pairs[i + 1]}" --gtest_brief=1 >build/stress.log 2>&1 || {
        cat build/stress.log
        echo "$kind: FAILED in round $((rounds + 1)): AVRM_TEST_SEED=$AVRM_TEST_SEED ${pairs[i]} '${pairs[i + 1]}'"
        exit 1
      }
      # A filter that matches no test could not fail.
      if grep -q '^\[==========\] 0 tests' build/stress.log; then
        echo "$kind: no test of ${pairs[i]} is called '${pairs[i + 1]}'"
        exit 1
      fi
    done
    rounds=$((rounds + 1))
  done
  echo "$kind: $rounds rounds, seeds $seed to $((seed + rounds - 1)): passed"
done
