#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/deps.sh

usage() {
  cat <<'END'
Usage: tests/run.sh [OPTION]...
Builds avrankmap and runs its tests, after installing what is missing for that (Debian, Ubuntu; as root or with sudo).
Without an option that chooses a build: gcc with the default flags. Several are run one after the other.

  --clang    clang, no optimisation, assertions on
  --asan     gcc, address and undefined behaviour sanitizers, assertions on
  --tsan     gcc, thread sanitizer, assertions on
  --format   only check the formatting (clang-format 14)
  --all      all of the above, then gcc with the default flags
  --long     also what takes long: a billion random checks, the tests labelled slow, and every libfabric provider in every
             build, of which else the one by gcc with the default flags alone tests others than tcp
  -h         this help

The build folders are build/tests and build/tests-clang, -asan, -tsan. A random test that fails prints its seed; with
AVRM_TEST_SEED=<seed> in the environment it runs again as it was.
END
}

variants=()
jobs=$(nproc)
# Tests of processes that wait for each other leave room for one more.
ctest_options=(--output-on-failure --no-tests=error --parallel "$((jobs + 1))")
long=0
for option in "$@"; do
  case $option in
  --clang | --asan | --tsan | --format) variants+=("${option#--}") ;;
  --all) variants=(format clang asan tsan gcc) ;;
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

# leave_out REGEX: tests that have nothing to add in a variant; --long takes them along. ctest knows nine groups, and leaves
# nothing out if there are more.
leave_out() {
  ((long)) || ctest_options+=(--exclude-regex "$1")
}
# All of libfabric's providers but tcp. They are tested with gcc; our code is the same for all of them.
other_providers='^Every/.*[/.]ofi_(net|sockets|shm|udp)|^Providers/.*/(Net|Sockets|Shm|UdpRxd)$'
# What happens between processes of one thread each, which the thread sanitizer cannot see. With clang, too, those that share
# memory are enough: gcc builds them twice, with and without assertions.
other_processes='^Every/Device.*(ofi|ucx)_|^(Providers|Transports)/|^Over/(DeviceUnderMpirun|RandomCreation|Comm(Crowds|Grids)?\.|Dynamic|Spawn|CreationCalls|MeetingCalls)|^MeetingUnderMpirun|^SpawnUnderMpirun|^SpawnCalls\.|^Ports\.|^Letters\.|^Ways/BootDeath'

# What bench makes of its measurements: the same with either compiler.
bench_output='^TorusSplit|^ReportJson|^ReportBudgets|^Valgrind|^BaselineScheme|^Ways/DispatchStudy|^Every/EachExperiment'
# Simulated processes have one thread.
simulated='^SimulatedSplitAtScale|^By/SimulatedSplit'
# A network beside shared memory: the address sanitizer looks at libfabric's, and at UCX's alone.
other_mixture='^Every/.*ucx_tcp_and_posix'

# run_build FOLDER CMAKE_OPTION...
# Configures, builds and tests. The output of ctest is kept in FOLDER/ctest.log. Runs below the command in launcher.
launcher=()
run_build() {
  local folder=$1
  shift
  rm -f "$folder/ctest.log"
  avrm_need cmake=cmake ninja-build=ninja gcc=gcc g++=g++ binutils=readelf pkg-config=pkg-config valgrind=valgrind \
    gnuplot-nox=gnuplot \
    libgtest-dev libbenchmark-dev libpapi-dev libfmt-dev libcli11-dev nlohmann-json3-dev \
    libfabric-dev libucx-dev libpmix-dev openmpi-bin=mpirun.openmpi libopenmpi-dev iproute2=ip util-linux=unshare &&
    cmake -G Ninja -S . -B "$folder" "$@" &&
    "${launcher[@]}" cmake --build "$folder" --parallel "$jobs" &&
    "${launcher[@]}" ctest --test-dir "$folder" "${ctest_options[@]}" --output-log "$PWD/$folder/ctest.log"
}

run_gcc() {
  # The default flags but for -g, which changes no code and takes a third of the time to compile. The survey preloads itself
  # into programs of other compilers anyway: one build of it is enough.
  avrm_need doxygen=doxygen mpich=mpirun.mpich libmpich-dev gfortran=gfortran &&
    run_build build/tests -D CMAKE_C_COMPILER=gcc -D CMAKE_CXX_COMPILER=g++ -D AVRM_BUILD_SURVEY=ON \
      -D CMAKE_C_FLAGS_RELEASE="-O2 -DNDEBUG" -D CMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG"
}

run_clang() {
  local ctest_options=("${ctest_options[@]}")
  leave_out "$other_providers|$other_processes|$bench_output"
  avrm_need clang=clang++ &&
    run_build build/tests-clang -C cmake/profiles/dev.cmake -D AVRM_SHARE_TESTS=ON -D CMAKE_C_COMPILER=clang \
      -D CMAKE_CXX_COMPILER=clang++ -D CMAKE_C_FLAGS_DEBUG= -D CMAKE_CXX_FLAGS_DEBUG=
}

run_asan() {
  local ctest_options=("${ctest_options[@]}")
  leave_out "$other_providers|$other_mixture"
  run_build build/tests-asan -C cmake/profiles/asan.cmake -D AVRM_SHARE_TESTS=ON -D CMAKE_C_COMPILER=gcc -D CMAKE_CXX_COMPILER=g++
}

run_tsan() {
  local ctest_options=("${ctest_options[@]}")
  leave_out "$other_providers|$other_processes|$simulated"
  # A program with gcc 12's thread sanitizer does not start where the kernel randomises addresses by more bits than it
  # knows of. Some containers forbid to turn that off; then it is tried as it is.
  if setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
    local launcher=(setarch "$(uname -m)" --addr-no-randomize)
  fi
  run_build build/tests-tsan -C cmake/profiles/tsan.cmake -D AVRM_SHARE_TESTS=ON -D CMAKE_C_COMPILER=gcc -D CMAKE_CXX_COMPILER=g++
}

run_format() {
  avrm_need clang-format-14=clang-format-14 &&
    find . \( -path ./build -o -path ./.git \) -prune -o -regex '.*\.\(h\|c\|cpp\|cc\)' -print0 |
    xargs -0 clang-format-14 --dry-run --Werror || {
    echo "To format a file: clang-format-14 -i FILE"
    return 1
  }
}

# A variant that fails does not keep the others from being run.
status=0
verdicts=()
summary=
for variant in "${variants[@]}"; do
  echo "== $variant"
  log=build/tests-$variant/ctest.log
  [[ $variant != gcc ]] || log=build/tests/ctest.log
  if "run_$variant"; then
    verdicts+=("$variant: passed")
  else
    status=1
    verdicts+=("$variant: FAILED")
    [[ -n $summary || ! -e $log ]] || summary=$log
  fi
done

# The last lines are ctest's own summary: of the first variant with a failed test, else of the last one.
if ((${#variants[@]} > 1)); then
  printf '\n'
  printf '%s\n' "${verdicts[@]}"
  summary=${summary:-$log}
  [[ ! -e $summary ]] || sed -n 's/^\[ERROR_MESSAGE\] *//; /% tests passed/,$p' "$summary"
fi
exit "$status"
