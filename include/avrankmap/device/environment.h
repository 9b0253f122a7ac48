// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The environment variables that the device reads, so that an MPI library can list them among its
// own settings. ../../ENVIRONMENT.md has the same table. The component reads no environment
// variables.
//
// Print the variables that a user sets (tests/tour/instances.c):
//
//   const avrm_variable_t *row = avrm_environment_list(&count);
//   for (const avrm_variable_t *end = row + count; row != end; ++row)
//     if (row->kind == AVRM_VARIABLE_OWN) {
//       printf("%s: %s. Default: %s\n", row->name, row->values, row->default_value);
#ifndef AVRANKMAP_DEVICE_ENVIRONMENT_H
#define AVRANKMAP_DEVICE_ENVIRONMENT_H

#include "avrankmap/base.h"

AVRM_BEGIN_DECLS

/// Kinds of variables, by who sets them.
typedef enum avrm_variable_kind {
  AVRM_VARIABLE_OWN = 0,      ///< the user, to change a default of avrankmap
  AVRM_VARIABLE_FOREIGN = 1,  ///< the user or a launcher, for another library or the system
  AVRM_VARIABLE_INTERNAL = 2, ///< avrankmap, for the processes that it spawns
} avrm_variable_kind_t;

/// One environment variable. The texts are constants.
typedef struct avrm_variable {
  const char *name;
  avrm_variable_kind_t kind;
  const char *values;        ///< the values that it can have
  const char *default_value; ///< what applies if it is not set
  const char *meaning;
} avrm_variable_t;

/// Returns the table of variables, which is constant and the same in every build. Thread-safe.
/// @param count_p  receives the number of rows; must not be null
const avrm_variable_t *avrm_environment_list(size_t *count_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
