#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/../.."
top=$PWD
. tests/deps.sh

usage() {
  cat <<'END'
Usage: bench/tools/survey.sh [OPTION]... -- LAUNCHER [LAUNCHER OPTION]... PROGRAM [ARGUMENT]...
   or: bench/tools/survey.sh [OPTION]... -- PROGRAM [ARGUMENT]...
Runs an MPI program with the installed MPICH or Open MPI and surveys its communicators: rebuilds each
with the component and compares every member with the MPI library's translation. Prints a table of the
reports of all processes on stderr at the end. Output and exit status are the program's; if a member
differs, status 0 becomes 1. LAUNCHER is mpirun, mpiexec or srun.

  --mpi mpich|openmpi  the MPI that the program was built for (default: that of the launcher)
  --project N          also projects the bytes to N processes
  --out PREFIX         keeps the reports of the processes: PREFIX.<rank>.<pid>.txt and .json
  --json FILE          also writes the report of the whole job to FILE, as JSON
  --row NAME           also prints a row of a Markdown table to stdout, with NAME in its first cell
  --yield              for MPICH with more processes than cores: waiting processes yield their core
  -h, --help           this help

The build folder is build/survey. Missing packages are installed (Debian, Ubuntu; as root or with sudo).
END
}

mpi= project= out= json= row= yield=0
while (($#)); do
  case $1 in
  --mpi | --project | --out | --json | --row)
    (($# > 1)) || { echo "survey.sh: $1 needs a value" >&2 && exit 2; }
    printf -v "${1#--}" %s "$2"
    shift
    ;;
  --yield) yield=1 ;;
  -h | --help) usage && exit 0 ;;
  --) shift && break ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done
(($#)) || { usage >&2 && exit 2; }
[[ $mpi == "" || $mpi == mpich || $mpi == openmpi ]] || { echo "survey.sh: --mpi is mpich or openmpi" >&2 && exit 2; }
[[ $project == "" || $project =~ ^[1-9][0-9]{0,9}$ ]] || { echo "survey.sh: --project needs a number of processes" >&2 && exit 2; }

# The launcher's MPI, by the file behind its name.
launcher=none
command=$(cd "$here" && command -v -- "$1") || { echo "survey.sh: $1 is not a command" >&2 && exit 2; }
case $(cd "$here" && readlink -f -- "$command") in
*/orterun | */prterun | */*.openmpi) launcher=openmpi ;;
*/*hydra* | */*.mpich) launcher=mpich ;;
esac
if [[ -z $mpi ]]; then
  mpi=$launcher
  if [[ $mpi == none ]]; then
    echo "survey.sh: $1 is no launcher of MPICH or Open MPI: name the program's MPI with --mpi" >&2
    exit 2
  fi
fi

packages=(cmake=cmake ninja-build=ninja gcc=gcc g++=g++ libfmt-dev libcli11-dev nlohmann-json3-dev)
if [[ $mpi == mpich ]]; then packages+=(libmpich-dev); else packages+=(libopenmpi-dev); fi
avrm_need "${packages[@]}" >&2

# Several runs of this script may build at the same time.
mkdir -p build/survey
log=build/survey/build.$$.log
targets=("avrm_survey_$mpi" avrm_survey_table avrm_survey_yield)
if ! (
  flock 9
  cmake -G Ninja -D AVRM_BUILD_SURVEY=ON -D AVRM_BUILD_TESTS=OFF -D AVRM_BUILD_DEVICE=OFF -D AVRM_WERROR=OFF \
    -S . -B build/survey && cmake --build build/survey --parallel "$(nproc)" --target "${targets[@]}"
) 9>build/survey/lock >"$log" 2>&1; then
  cat "$log" >&2
  rm -f "$log"
  exit 1
fi
rm -f "$log"

folder=$top/build/survey/bench/tools/survey
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
preload=$folder/libavrm_survey_$mpi.so
((!yield)) || preload+=:$folder/libavrm_survey_yield.so
preload+=${LD_PRELOAD:+:$LD_PRELOAD}
settings=(LD_PRELOAD="$preload" AVRM_SURVEY_OUT="$reports/report")
[[ -z $project ]] || settings+=(AVRM_SURVEY_PROJECT="$project")

words=("$@")
case $launcher in
openmpi)
  options=()
  for setting in "${settings[@]}"; do options+=(-x "$setting"); done
  words=("$1" "${options[@]}" "${@:2}")
  ;;
mpich)
  options=()
  for setting in "${settings[@]}"; do options+=(-genv "${setting%%=*}" "${setting#*=}"); done
  words=("$1" "${options[@]}" "${@:2}")
  ;;
none) words=(env "${settings[@]}" "$@") ;;
esac
cd "$here"
status=0
"${words[@]}" || status=$?

shopt -s nullglob
files=("$reports"/report.*.json)
if ((${#files[@]} == 0)); then
  echo "survey.sh: no process wrote a report. Does the program call MPI_Init, is it linked with the MPI dynamically," \
    "and does it end by itself?" >&2
else
  "$folder/avrm_survey_table" "${files[@]}" >&2 || ((status)) || status=1
  [[ -z $json ]] || "$folder/avrm_survey_table" --json "${files[@]}" >"$json" || true
  [[ -z $row ]] || "$folder/avrm_survey_table" --row "$row" "${files[@]}" || true
  if [[ -n $out ]]; then
    for file in "$reports"/report.*; do cp "$file" "$out${file#"$reports/report"}"; done
  fi
fi
exit "$status"
