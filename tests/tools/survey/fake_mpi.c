// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A library that a program may take for an MPI library and the survey must not: it reports the name
// FAKE_MPI_VERSION or, with AVRM_FAKE_OLD, predates MPI_Get_library_version.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int MPI_Init(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

// Handles as wide as a pointer, all bits of which matter.
EXPORT int MPI_Comm_split(uintptr_t comm, int color, int key, uintptr_t *result) {
  *result = comm + (uintptr_t)color + (uintptr_t)key;
  return 0;
}

EXPORT int MPI_Comm_free(uintptr_t *comm) {
  *comm = 0;
  return 0;
}

EXPORT int MPI_Finalize(void) { return 0; }

#ifndef AVRM_FAKE_OLD
EXPORT int PMPI_Get_library_version(char *text, int *length) {
  const char *const name = getenv("FAKE_MPI_VERSION");
  *length = snprintf(text, 256, "%s", name != NULL ? name : "");
  return 0;
}
#endif
