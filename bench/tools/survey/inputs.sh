#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by survey_applications.sh: functions that write small inputs of the applications to the
# current folder.

input_nwchem() {
  cat >h2o.nw <<'END'
start h2o
geometry units angstrom
  O 0.0  0.000  0.117
  H 0.0  0.757 -0.469
  H 0.0 -0.757 -0.469
end
basis
  * library 6-31g
end
task scf energy
END
}

# input_hpcc ROWS COLUMNS
input_hpcc() {
  sed -e "s/^1000  /400  /; s/^80  /20  /; s/^2            Ps/$1            Ps/; s/^2            Qs/$2            Qs/" \
    /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
}

input_quantum_espresso() {
  cat >si.in <<'END'
&control
  calculation = 'scf', prefix = 'si', pseudo_dir = '/usr/share/espresso/pseudo', outdir = './'
/
&system
  ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = 12, nbnd = 8
/
&electrons
  conv_thr = 1d-6
/
ATOMIC_SPECIES
  Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
  Si 0.00 0.00 0.00
  Si 0.25 0.25 0.25
K_POINTS automatic
  4 4 4 0 0 0
END
}

input_cp2k() {
  cat >h2o.inp <<'END'
&GLOBAL
  PROJECT h2o
  RUN_TYPE ENERGY
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME GTH_BASIS_SETS
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 100
    &END MGRID
    &SCF
      MAX_SCF 5
      SCF_GUESS ATOMIC
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 5.0 5.0 5.0
    &END CELL
    &COORD
      O 0.0  0.000  0.117
      H 0.0  0.757 -0.469
      H 0.0 -0.757 -0.469
    &END COORD
    &KIND H
      BASIS_SET SZV-GTH
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET SZV-GTH
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
END
}

input_abinit() {
  cat >si.abi <<'END'
paral_kgb 1
npkpt 2
npband 2
npfft 1
acell 3*10.217
rprim 0.0 0.5 0.5  0.5 0.0 0.5  0.5 0.5 0.0
ntypat 1
znucl 14
pp_dirpath "/usr/share/abinit/psp"
pseudos "14si.pspnc"
natom 2
typat 1 1
xred 0.00 0.00 0.00  0.25 0.25 0.25
ecut 8
nband 4
kptopt 1
ngkpt 2 2 2
shiftk 0.0 0.0 0.0
nstep 5
toldfe 1.0d-6
END
}

input_gromacs() {
  cat >md.mdp <<'END'
integrator = md
dt = 0.002
nsteps = 50
nstlist = 10
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen-vel = yes
END
  printf '%s\n' '#include "oplsaa.ff/forcefield.itp"' '#include "oplsaa.ff/spc.itp"' '[ system ]' 'water' '[ molecules ]' \
    >topol.top
  gmx solvate -cs spc216.gro -box 4 4 4 -o water.gro -p topol.top >solvate.log 2>&1 &&
    gmx grompp -f md.mdp -c water.gro -p topol.top -o water.tpr -maxwarn 5 >grompp.log 2>&1
}

# Copies the folder of a LAMMPS example, with all files that its inputs refer to.
input_lammps() {
  cp -r "/usr/share/lammps/examples/$1/." . && find . -name '*.gz' -exec gunzip -f {} +
}

input_petsc() {
  local words
  words=$(PKG_CONFIG_PATH=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real/lib/pkgconfig pkg-config --cflags --libs PETSc) ||
    return
  # shellcheck disable=SC2086
  mpicc.openmpi -o poisson "$top/bench/tools/survey/petsc_poisson.c" $words
}

input_mpi4py() {
  cat >comms.py <<'END'
from mpi4py import MPI
world = MPI.COMM_WORLD
rows = world.Split(world.rank // 2, world.rank)
columns = world.Split(world.rank % 2, world.rank)
grid = world.Create_cart(MPI.Compute_dims(world.size, 2))
line = grid.Sub([True, False])
copies = [rows.Dup() for _ in range(10)]
reverse = world.Split(0, -world.rank)
print(reverse.allreduce(world.rank))
END
}
