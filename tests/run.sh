#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/deps.sh
. tests/quarantine.sh

usage() {
  cat <<'END'
Usage: tests/run.sh [OPTION]...
Builds avrankmap and runs its tests. Installs missing packages first (Debian, Ubuntu; as root or with sudo).
The default build is gcc with the default flags. Several builds run one after the other.

  --asan     clang, address and undefined behaviour sanitizers, assertions on; without benchmarks
  --clang    clang: compiles the benchmarks and the tools
  --bench    the default build, with the benchmarks, the tools and the experiments of the papers
  --tsan     gcc, thread sanitizer, assertions on
  --format   no build: checks the formatting (clang-format 14) and the structure (structure.sh)
  --all      all of the above
  --long     also tests that take long: a billion random checks, tests with label slow, and every
             libfabric provider in every build. Otherwise only the default build tests more than tcp.
  -h         this help

Build folders are build/tests and build/tests-asan, -tsan. A random test that fails prints its
seed; AVRM_TEST_SEED=<seed> in the environment repeats it.
END
}

variants=()
jobs=$(nproc)
# More than processors, since processes of some tests mostly wait for each other, and programs that
# have libfabric for a fifth of a second before they begin: its libinfinipath measures the clock.
ctest_options=(--output-on-failure --test-output-size-passed 1000000 --no-tests=error --parallel "$((jobs + 3))")
long=0
for option in "$@"; do
  case $option in
  --asan | --bench | --clang | --tsan | --format) variants+=("${option#--}") ;;
  --all) variants=(format asan clang tsan bench) ;;
  --long) long=1 ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
done
((${#variants[@]})) || variants=(gcc)
if ((long)); then
  export AVRM_TEST_LONG=1
else
  ctest_options+=(--label-exclude '^slow$')
fi

# Tests that fail by a defect of another library run last.
not_counted=$(avrm_quarantined tests/quarantine.txt)
left_out=$not_counted

# leave_out FILTER...: tests that add nothing in a variant, except with --long. Filters of
# GoogleTest's.
leave_out() {
  ((long)) || left_out=$(IFS=: && echo "${left_out:+$left_out:}$*")
}
# All of libfabric's providers but tcp, and UCX over shared memory: our code is the same for all,
# and the default build tests them.
other_providers=({Every,Over,Providers}/*?{ofi_{net,sockets,shm,udp},ucx_shm}*)
# With the thread sanitizer, faults over networks, whose processes have one thread.
other_faults=(Every/KilledPeer.*{ofi,ucx}_*)
# With the address sanitizer, a network beside shared memory is tested over libfabric only.
other_mixture=({Every,Over}/*ucx_tcp_and_posix*)
# There, too: large jobs.
large_jobs=('ManyDeaths*')

need_packages() {
  avrm_need cmake=cmake ninja-build=ninja gcc=gcc g++=g++ binutils=readelf pkg-config=pkg-config valgrind=valgrind \
    libsodium-dev libgtest-dev libfmt-dev libfabric-dev libucx-dev libpmix-dev \
    libpmi2-0-dev hydra=mpiexec.hydra slurm-client=srun slurmctld slurmd openmpi-bin=mpirun.openmpi libopenmpi-dev \
    iproute2=ip util-linux=unshare
}

# pattern FILTER: the expression of ctest's for what a filter of GoogleTest's names. No groups, since
# ctest allows nine.
pattern() { sed 's/[.]/[.]/g; s/[*]/.*/g; s/?/./g; s/:/$|^/g; s/.*/^&$/' <<<"$1"; }

# programs FOLDER FILTER: what to append to such an expression for the programs that contain the names
# of the filter's suites.
programs() {
  local suites
  suites=$(tr : '\n' <<<"$2" | sed 's/[.].*//; s,.*/,,')
  grep -l -F "$suites" "$1"/tests/*_tests | sed 's,.*/\(.*\),|^\1[.],' | tr -d '\n'
}

# run_build FOLDER CMAKE_OPTION...
# Configures, builds and tests. Keeps ctest's output in FOLDER/ctest.log, and tells how many tests
# were skipped. Runs the command in launcher.
launcher=()
run_build() {
  local folder=$1
  shift
  rm -f "$folder/ctest.log"
  need_packages &&
    cmake -G Ninja -S . -B "$folder" "$@" &&
    "${launcher[@]}" cmake --build "$folder" --parallel "$jobs" || return 1
  local status=0
  # Programs whose tests share a test of ctest read the filter; the other tests have names.
  GTEST_FILTER=*${left_out:+-$left_out} "${launcher[@]}" ctest --test-dir "$folder" "${ctest_options[@]}" \
    ${left_out:+--exclude-regex "$(pattern "$left_out")"} --output-log "$PWD/$folder/ctest.log" || status=1
  local all=$folder/Testing/Temporary/LastTest.log skipped
  skipped=$(grep -c '^\[  SKIPPED \].* ms)$' "$all") || true
  echo "$skipped tests were skipped. They and their reasons are in $all"
  if [[ $not_counted ]]; then
    echo "Not counted (tests/quarantine.txt):"
    GTEST_FILTER=$not_counted "${launcher[@]}" ctest --test-dir "$folder" --output-on-failure \
      --tests-regex "$(pattern "$not_counted")$(programs "$folder" "$not_counted")" || true
  fi
  return "$status"
}

# run_gcc [ON]: the default flags; with benchmarks, tools and papers if ON.
run_gcc() {
  local bench=${1-OFF}
  avrm_need doxygen=doxygen python3=python3 man-db=man groff-base=groff &&
    run_build build/tests -D CMAKE_C_COMPILER=gcc -D CMAKE_CXX_COMPILER=g++ \
      -D AVRM_BUILD_BENCH="$bench" -D AVRM_BUILD_TOOLS="$bench" -D AVRM_BUILD_PAPERS="$bench" -D AVRM_CHECK_BENCH=ON
}

# One build of the tools and the papers is enough: the survey is preloaded into programs of any
# compiler, and nothing else depends on the papers.
run_bench() {
  need_bench && avrm_need mpich=mpirun.mpich libmpich-dev gfortran=gfortran gnuplot-nox=gnuplot libfftw3-dev &&
    run_gcc ON
}
need_bench() { avrm_need libpapi-dev libbenchmark-dev libcli11-dev nlohmann-json3-dev; }

# Another compiler than the default build's, so that both see all of the code.
run_asan() {
  local left_out=$left_out
  leave_out "${other_providers[@]}" "${other_mixture[@]}" "${large_jobs[@]}"
  local bench=OFF # half as much again to compile, and the default build tests it
  ((long)) && bench=ON
  avrm_need clang=clang++ && need_sanitizers &&
    run_build build/tests-asan -C cmake/profiles/asan.cmake -D AVRM_PRECOMPILE=ON \
      -D AVRM_BUILD_BENCH="$bench" \
      -D CMAKE_C_COMPILER=clang -D CMAKE_CXX_COMPILER=clang++
}

# For clang's warnings, so no code is made. The build with the address sanitizer has those of all but
# the benchmarks.
run_clang() {
  local folder=build/tests-clang objects
  need_packages && need_bench && avrm_need clang=clang++ libopenmpi-dev libmpich-dev &&
    cmake -G Ninja -S . -B "$folder" -D CMAKE_C_COMPILER=clang -D CMAKE_CXX_COMPILER=clang++ -D AVRM_BUILD_TESTS=OFF \
      -D AVRM_BUILD_BENCH=ON -D AVRM_BUILD_TOOLS=ON -D CMAKE_C_FLAGS_RELEASE="-Xclang -fsyntax-only" \
      -D CMAKE_CXX_FLAGS_RELEASE="-Xclang -fsyntax-only" &&
    objects=$(cmake --build "$folder" -- -t targets all | sed -n 's/^\(bench[^:]*\.o\): .*/\1/p') &&
    [[ $objects ]] && xargs cmake --build "$folder" --parallel "$jobs" --target <<<"$objects"
}

# Clang's sanitizers are a package of their own on some systems.
need_sanitizers() {
  local version
  [[ -e $(clang -print-file-name="libclang_rt.asan-$(uname -m).a") ]] && return
  version=$(clang -dumpversion)
  avrm_need "libclang-rt-${version%%.*}-dev"
}

run_tsan() {
  local left_out=$left_out
  leave_out "${other_providers[@]}" "${other_faults[@]}"
  # With gcc 12's thread sanitizer a program does not start if the kernel randomises more address
  # bits than it knows. Where a container forbids to turn that off, we try all the same.
  if setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
    local launcher=(setarch "$(uname -m)" --addr-no-randomize)
  fi
  run_build build/tests-tsan -C cmake/profiles/tsan.cmake -D AVRM_PRECOMPILE=ON \
    -D CMAKE_C_COMPILER=gcc -D CMAKE_CXX_COMPILER=g++
}

run_format() {
  avrm_need clang-format-14=clang-format-14 &&
    find . \( -path ./build -o -path ./.git \) -prune -o -regex '.*\.\(h\|c\|cpp\|cc\)' -print0 |
    xargs -0 clang-format-14 --dry-run --Werror || {
    echo "To format a file: clang-format-14 -i FILE"
    return 1
  }
  tests/structure.sh
}

# All variants run, even if one fails.
status=0
verdicts=()
failed=()
for variant in "${variants[@]}"; do
  echo "== $variant"
  log=build/tests-$variant/ctest.log
  [[ $variant != gcc && $variant != bench ]] || log=build/tests/ctest.log
  if "run_$variant"; then
    verdicts+=("$variant: passed")
  else
    status=1
    verdicts+=("$variant: FAILED")
    [[ ! -e $log ]] || failed+=("$log")
  fi
done

# show_failed LOG: the last lines that each failed test of that run has printed, without those of
# the facts that hold.
show_failed() {
  awk '/^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ { show() ; failed = /\*\*\*/ && !/\*\*\*Skipped/ ; count = 0 }
    /% tests passed/ { show() ; failed = 0 }
    failed && !/^ *Start +[0-9]+:/ { lines[count++] = $0 }
    /^\[ RUN / { begin = count - 1 }
    failed && /^\[  (     OK|SKIPPED) \].* ms\)$/ { count = begin }
    function show(i) {
      for (i = count > 60 ? count - 60 : 0; failed && i < count; ++i) print lines[i]
      count = 0
    }' "$1"
}

# Ends with the summary that ctest prints of the first variant with a failed test, or of the last
# variant; without the names of the tests that were skipped.
if ((${#variants[@]} > 1)) || [[ $not_counted ]]; then
  summary=${failed[0]:-$log}
  for log in "${failed[@]}"; do
    printf '\nFailed in %s:\n' "$log"
    show_failed "$log"
  done
  printf '\n%s\n' "${verdicts[@]}"
  [[ ! -e $summary ]] || sed -n 's/^\[ERROR_MESSAGE\] *//; /(Skipped)$/d; /% tests passed/,$p' "$summary"
fi
exit "$status"
