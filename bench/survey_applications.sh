#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
. tests/deps.sh
. bench/survey/inputs.sh

usage() {
  cat <<'END'
Usage: bench/survey_applications.sh [--only REGEX] [--project N] [--out FILE]
Surveys the communicators of real MPI applications in small runs (bench/survey.sh), and writes a table in Markdown. The
applications are Debian packages, installed as they are needed: about 2 GB in all. One that cannot be installed or that
fails is listed as such.

  --only REGEX  only the runs whose name matches; see the first column of bench/survey/RESULTS.md
  --project N   number of processes to project to (default 786432)
  --out FILE    where the table goes (default bench/survey/RESULTS.md)
  -h, --help    this help
END
}

only=. project=786432 out=bench/survey/RESULTS.md
while (($#)); do
  case $1 in
  --only | --project | --out)
    (($# > 1)) || { echo "$0: $1 needs a value" >&2 && exit 2; }
    printf -v "${1#--}" %s "$2"
    shift
    ;;
  -h | --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
  shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$work/rows notes=$work/notes
: >"$rows"
: >"$notes"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 CP2K_DATA_DIR=/usr/share/cp2k
openmpi=(mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
mpich=(mpirun.mpich)

version() { dpkg-query -W -f='${Version}' "$1" 2>/dev/null | sed 's/^[0-9]*://; s/[-+~].*//'; }

# survey NAME PACKAGES MPI PROCESSES PREPARATION [WORD]...
# Runs a program in a folder of its own, after PREPARATION (a function with arguments) has made its input there. Its standard
# input is the file input, if there is one. What it prints is kept, and shown if it fails.
survey() {
  local name=$1 packages=$2 mpi=$3 processes=$4 preparation=$5
  shift 5
  local title
  [[ $name =~ $only ]] || return 0
  local folder=$work/${name//[^A-Za-z0-9]/_}_${mpi}_$processes
  mkdir -p "$folder"
  # shellcheck disable=SC2086
  if ! avrm_need $packages "${mpi/openmpi/openmpi-bin}" >"$folder/apt.log" 2>&1; then
    echo "- $name: $packages cannot be installed." >>"$notes"
    return 0
  fi
  title="$name $(version "${packages%% *}")"
  echo "== $title, $processes processes" >&2
  if ! (cd "$folder" && $preparation) >&2; then
    echo "- $title: its input could not be made." >>"$notes"
    return 0
  fi
  local -n launcher=$mpi
  local options=(--project "$project" --row "$title")
  [[ $mpi != mpich ]] || options+=(--yield)
  local input=/dev/null status=0 seconds=$SECONDS
  [[ ! -e $folder/input ]] || input=$folder/input
  (cd "$folder" && timeout 600 "$top/bench/survey.sh" "${options[@]}" -- "${launcher[@]}" -n "$processes" "$@") \
    <"$input" >"$folder/stdout" 2>"$folder/stderr" || status=$?
  if ! grep "^| $name" "$folder/stdout" >>"$rows"; then
    tail -n 20 "$folder/stdout" "$folder/stderr" >&2
    echo "- $title, $processes processes, $mpi: no report (exit status $status)." >>"$notes"
  elif ((status)); then
    tail -n 5 "$folder/stdout" "$folder/stderr" >&2
    echo "- $title, $processes processes, $mpi: the program's exit status was $status." >>"$notes"
  fi
  echo "   $((SECONDS - seconds)) s" >&2
}

# Where the programs of the ScaLAPACK tests are, and their input: the current folder.
scalapack=/usr/lib/x86_64-linux-gnu/scalapack
input_scalapack() { cp /usr/share/scalapack/*.dat .; }
input_blacs() { cp -r /usr/share/scalapack/BLACS/. .; }
input_mumps() { cp /usr/lib/mumps/input_simpletest_real input; }

survey 'HPCC' hpcc openmpi 4 'input_hpcc 2 2' hpcc
survey 'HPCC' hpcc openmpi 16 'input_hpcc 4 4' hpcc
survey 'ScaLAPACK xdsep' 'scalapack-mpi-test scalapack-test-common' openmpi 16 input_scalapack "$scalapack/openmpi-tests/xdsep"
survey 'ScaLAPACK xdsep' 'scalapack-mpi-test scalapack-test-common' mpich 16 input_scalapack "$scalapack/mpich-tests/xdsep"
survey 'ScaLAPACK xdlu' 'scalapack-mpi-test scalapack-test-common' openmpi 8 input_scalapack "$scalapack/openmpi-tests/xdlu"
survey 'ScaLAPACK xdlu' 'scalapack-mpi-test scalapack-test-common' mpich 4 input_scalapack "$scalapack/mpich-tests/xdlu"
survey 'BLACS xCbtest' 'scalapack-mpi-test scalapack-test-common' openmpi 4 input_blacs "$scalapack/openmpi-tests/xCbtest"
survey 'NWChem' 'nwchem-openmpi nwchem-data' openmpi 4 input_nwchem nwchem.openmpi h2o.nw
survey 'NWChem' 'nwchem-openmpi nwchem-data' openmpi 8 input_nwchem nwchem.openmpi h2o.nw
survey 'NWChem' 'nwchem-mpich nwchem-data' mpich 4 input_nwchem env MPIR_CVAR_NOLOCAL=1 nwchem.mpich h2o.nw
survey 'Quantum Espresso pw.x -nk 2 -nd 1' 'quantum-espresso quantum-espresso-data' openmpi 4 input_quantum_espresso pw.x -i si.in -nk 2 -nd 1
survey 'Quantum Espresso pw.x -nk 2 -nb 2' 'quantum-espresso quantum-espresso-data' openmpi 8 input_quantum_espresso \
  pw.x -i si.in -nk 2 -nb 2 -nd 1
survey 'CP2K' 'cp2k cp2k-data' openmpi 4 input_cp2k cp2k.psmp -i h2o.inp
survey 'CP2K' 'cp2k cp2k-data' openmpi 8 input_cp2k cp2k.psmp -i h2o.inp
survey 'ABINIT paral_kgb' 'abinit abinit-data' openmpi 4 input_abinit abinit si.abi
survey 'GROMACS -npme 1' 'gromacs gromacs-data' openmpi 4 input_gromacs gmx_mpi mdrun -s water.tpr -npme 1 -ntomp 1
survey 'GROMACS -npme 4' 'gromacs gromacs-data' openmpi 16 input_gromacs gmx_mpi mdrun -s water.tpr -npme 4 -ntomp 1
survey 'LAMMPS melt' 'lammps lammps-examples lammps-data' openmpi 8 'input_lammps melt' lmp -in in.melt
survey 'LAMMPS peptide' 'lammps lammps-examples lammps-data' openmpi 8 'input_lammps peptide' lmp -in in.peptide
survey 'LAMMPS neb 4x2' 'lammps lammps-examples lammps-data' openmpi 8 'input_lammps neb' lmp -partition 4x2 -in in.neb.hop1
survey 'LAMMPS prd 4x1' 'lammps lammps-examples lammps-data' openmpi 4 'input_lammps prd' lmp -partition 4x1 -in in.prd
survey 'LAMMPS tad 6x1' 'lammps lammps-examples lammps-data' openmpi 6 'input_lammps tad' lmp -partition 6x1 -in in.tad
survey 'PETSc gamg' 'petsc-dev libopenmpi-dev' openmpi 8 input_petsc ./poisson -pc_type gamg
survey 'PETSc hypre' 'petsc-dev libopenmpi-dev' openmpi 8 input_petsc ./poisson -pc_type hypre
survey 'PETSc asm' 'petsc-dev libopenmpi-dev' openmpi 8 input_petsc ./poisson -pc_type asm
survey 'PETSc mumps' 'petsc-dev libopenmpi-dev' openmpi 8 input_petsc ./poisson -pc_type lu -pc_factor_mat_solver_type mumps
survey 'PETSc telescope' 'petsc-dev libopenmpi-dev' openmpi 8 input_petsc ./poisson -pc_type telescope -pc_telescope_reduction_factor 4
survey 'PETSc superlu_dist' 'petsc-dev libopenmpi-dev' openmpi 8 input_petsc ./poisson -pc_type lu -pc_factor_mat_solver_type superlu_dist
survey 'PETSc redundant' 'petsc-dev libopenmpi-dev' openmpi 8 input_petsc ./poisson -pc_type redundant
survey 'MUMPS dsimpletest' mumps-test openmpi 4 input_mumps /usr/lib/mumps/dsimpletest
survey 'mpi4py' python3-mpi4py openmpi 8 input_mpi4py /usr/bin/python3 comms.py

if [[ ! -x build/survey/bench/survey/avrm_survey_table ]]; then
  echo "$0: nothing was run" >&2
  exit 1
fi
{
  cat <<'END'
# Communicators of real applications

Written by `bench/survey_applications.sh`: our own Table I, from small runs on this machine. Each communicator that a process
made was rebuilt with the component, detected from its members and composed as a child of its parent, strict and extended, and
compared member by member with the MPI library's `MPI_Group_translate_ranks`.

*made*: by the process that made most, and the most that one had at once, `MPI_COMM_WORLD` and `MPI_COMM_SELF` included; *by
call* and *modes* are of that process. *Bytes*: the most that one process held at once, addresses of all processes included,
in our strict instance (Table II of the paper), our extended one, and the structures of VC-VCRT and MPICH 5. MPICH 5 begins with a
directory of 8,192 bytes. *Projected*: regular modes stay as they are, tables grow with their share of the world, and a process has as
many communicators as here; an application that makes more of them at scale is not described by that, and an order of four
processes may have a pattern where one of sixteen has none (HPCC's random rings). *Compared*: members, in all maps of all processes;
*differ*: those where a map and the MPI library disagree.

END
  build/survey/bench/survey/avrm_survey_table --head "$project"
  cat "$rows"
  if [[ -s $notes ]]; then
    printf '\n'
    cat "$notes"
  fi
} >"$work/table"
cp "$work/table" "$out"
echo "$out: $(grep -c . "$rows" || true) runs" >&2
if awk -F '|' '$(NF - 1) + 0 != 0 { bad = 1 } END { exit !bad }' "$rows"; then
  echo "$0: a map and an MPI library disagree; see the column differ" >&2
  exit 1
fi
