#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
top=$PWD
. tests/deps.sh

usage() {
  cat <<'END'
Usage: bench/survey.sh [OPTION]... -- LAUNCHER [LAUNCHER OPTION]... PROGRAM [ARGUMENT]...
   or: bench/survey.sh [OPTION]... -- PROGRAM [ARGUMENT]...
Runs an MPI program of the installed MPICH or Open MPI and surveys its communicators: each is rebuilt with the component, and
compared member by member with what the MPI library says. Ends with a table of what all its processes report, on stderr.
The output and the exit status are the program's, but a difference makes a status of 0 a 1. LAUNCHER is mpirun, mpiexec or srun.

  --mpi mpich|openmpi  the MPI that the program was built for; else that of the launcher
  --project N          also tell what the bytes would be among N processes
  --out PREFIX         keep the reports of the processes: PREFIX.<rank>.<pid>.txt and .json
  --json FILE          also write what all processes report to FILE, as JSON
  --row NAME           also print a row of a Markdown table to stdout, with NAME in its first cell
  --yield              for MPICH with more processes than cores: those that wait give their core away
  -h, --help           this help

The build folder is build/survey; what is missing is installed (Debian, Ubuntu; as root or with sudo).
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

# What starts the processes, by the file behind the name.
launcher=none
command=$(cd "$here" && command -v -- "$1") || { echo "survey.sh: $1 is not a command" >&2 && exit 2; }
case $(cd "$here" && readlink -f -- "$command") in
*/orterun | */prterun | */*.openmpi) launcher=openmpi ;;
*/*hydra* | */*.mpich) launcher=mpich ;;
esac
if [[ -z $mpi ]]; then
  mpi=$launcher
  if [[ $mpi == none ]]; then
    echo "survey.sh: $1 is no launcher of MPICH or Open MPI; --mpi says which MPI the program was built for" >&2
    exit 2
  fi
fi

packages=(cmake=cmake ninja-build=ninja gcc=gcc g++=g++ libfmt-dev libcli11-dev nlohmann-json3-dev)
if [[ $mpi == mpich ]]; then packages+=(libmpich-dev); else packages+=(libopenmpi-dev); fi
avrm_need "${packages[@]}" >&2

# Runs of this script may be under way side by side.
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

folder=$top/build/survey/bench/survey
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
  echo "survey.sh: no process has reported. Does the program call MPI_Init, is it linked with the MPI dynamically, and does it" \
    "end by itself?" >&2
else
  "$folder/avrm_survey_table" "${files[@]}" >&2 || ((status)) || status=1
  [[ -z $json ]] || "$folder/avrm_survey_table" --json "${files[@]}" >"$json" || true
  [[ -z $row ]] || "$folder/avrm_survey_table" --row "$row" "${files[@]}" || true
  if [[ -n $out ]]; then
    for file in "$reports"/report.*; do cp "$file" "$out${file#"$reports/report"}"; done
  fi
fi
exit "$status"
