// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program of the library in fake_mpi.c.
#include <stdint.h>
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Comm_split(uintptr_t comm, int color, int key, uintptr_t *result);
int MPI_Comm_free(uintptr_t *comm);
int MPI_Finalize(void);

int main(int argc, char **argv) {
  uintptr_t comm = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_split(UINTPTR_MAX / 3, 1, 2, &comm);
  printf("%ju\n", (uintmax_t)comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return comm == 0 ? 7 : 8;
}
