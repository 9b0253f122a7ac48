// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Poisson's equation on a square of 40 by 40 points with PETSc. The preconditioner on the command
// line decides which communicators are created.
#include <petscksp.h>

int main(int argc, char **argv) {
  const PetscInt side = 40;
  Mat matrix;
  Vec right, solution;
  KSP solver;
  PetscInt first, last;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(
      MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, side * side, side * side, 5, NULL, 4, NULL, &matrix));
  PetscCall(MatGetOwnershipRange(matrix, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt x = row % side, y = row / side;
    PetscCall(MatSetValue(matrix, row, row, 4.0, INSERT_VALUES));
    if (x > 0)
      PetscCall(MatSetValue(matrix, row, row - 1, -1.0, INSERT_VALUES));
    if (x < side - 1)
      PetscCall(MatSetValue(matrix, row, row + 1, -1.0, INSERT_VALUES));
    if (y > 0)
      PetscCall(MatSetValue(matrix, row, row - side, -1.0, INSERT_VALUES));
    if (y < side - 1)
      PetscCall(MatSetValue(matrix, row, row + side, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(matrix, &solution, &right));
  PetscCall(VecSet(right, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, matrix, matrix));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, right, solution));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&right));
  PetscCall(VecDestroy(&solution));
  PetscCall(MatDestroy(&matrix));
  PetscCall(PetscFinalize());
  return 0;
}
