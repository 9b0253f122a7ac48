#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/../.."
top=$PWD
. tests/deps.sh
. bench/tools/survey/inputs.sh

usage() {
  cat <<'END'
Usage: bench/tools/survey_applications.sh [--only REGEX] [--project N] [--out FILE]
Surveys the communicators of real MPI applications in small runs (bench/tools/avrm-survey) and writes a table
in Markdown. Installs the applications, Debian packages of about 2 GB in all, when they are needed. Lists
those that cannot be installed or that fail below the table.

  --only REGEX  only runs whose name matches; names are the first column of bench/tools/survey/RESULTS.md
  --project N   number of processes to project to (default 786432)
  --out FILE    file for the table (default bench/tools/survey/RESULTS.md)
  -h, --help    this help
END
}

only=. project=786432 out=bench/tools/survey/RESULTS.md
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
# Runs a program in its own folder, after PREPARATION (a function with arguments) wrote the
# input there. The file input, if there is one, is its standard input. Shows the end of its
# output if it fails.
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
    echo "- $title: its input could not be prepared." >>"$notes"
    return 0
  fi
  local -n launcher=$mpi
  local options=(--project "$project" --row "$title")
  [[ $mpi != mpich ]] || options+=(--yield)
  local input=/dev/null status=0 seconds=$SECONDS
  [[ ! -e $folder/input ]] || input=$folder/input
  (cd "$folder" && timeout 600 "$top/bench/tools/avrm-survey" "${options[@]}" -- "${launcher[@]}" -n "$processes" "$@") \
    <"$input" >"$folder/stdout" 2>"$folder/stderr" || status=$?
  if ! grep "^| $name" "$folder/stdout" >>"$rows"; then
    tail -n 20 "$folder/stdout" "$folder/stderr" >&2
    echo "- $title, $processes processes, $mpi: no report (exit status $status)." >>"$notes"
  elif ((status)); then
    tail -n 5 "$folder/stdout" "$folder/stderr" >&2
    echo "- $title, $processes processes, $mpi: the program ended with exit status $status." >>"$notes"
  fi
  echo "   $((SECONDS - seconds)) s" >&2
}

# The programs of the ScaLAPACK tests; they read their input from the current folder.
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

if [[ ! -x build/survey/bench/tools/survey/avrm_survey_table ]]; then
  echo "$0: no program was run" >&2
  exit 1
fi
{
  cat <<'END'
# Communicators of real applications

`bench/tools/survey_applications.sh` writes this page: Table I of the AV-Rankmap paper for applications that
Debian packages, from small runs on one machine. The survey rebuilds each communicator of each process
with the component, once from the list of its members and once as a child of its parent, in a strict
and in an extended instance. It compares every member with `MPI_Group_translate_ranks` of the MPI
library.

- *made (at once)*: communicators that one process created, and the most that it held at the same time,
  `MPI_COMM_WORLD` and `MPI_COMM_SELF` included. Of the process that created most; *by call* and the
  *modes* are those of the same process.
- *strict*, *extended*, *vc-vcrt*, *mpich5*: the most bytes that one process held at the same time, with
  the addresses of all processes. Strict has the paper's forms, extended all of ours. MPICH 5's bytes
  include a directory of 8,192 bytes.
- *projected*: the same for a larger world. Regular maps keep their size, tables grow with their share
  of the world, and the number of communicators stays the same. An application that creates more of them
  at scale needs more. Four processes in random order may form a pattern where sixteen do not, as in
  HPCC's random rings.
- *compared*: members compared, in all maps of all processes. *different*: those where a map and the MPI
  library disagree.

END
  build/survey/bench/tools/survey/avrm_survey_table --head "$project"
  cat "$rows"
  if [[ -s $notes ]]; then
    printf '\n'
    cat "$notes"
  fi
} >"$work/table"
cp "$work/table" "$out"
echo "$out: $(grep -c . "$rows" || true) runs" >&2
if awk -F '|' '$(NF - 1) + 0 != 0 { bad = 1 } END { exit !bad }' "$rows"; then
  echo "$0: a map and an MPI library disagree; see the column different" >&2
  exit 1
fi
