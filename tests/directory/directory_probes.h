// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions whose instructions are counted: a question with the directory and the rank in
// registers, and what such a function takes without it.
#ifndef AVRANKMAP_TESTS_DIRECTORY_DIRECTORY_PROBES_H
#define AVRANKMAP_TESTS_DIRECTORY_DIRECTORY_PROBES_H

#include "avrankmap/directory.h"

AVRM_BEGIN_DECLS

/// What a put needs, in two registers.
typedef struct avrm_test_target {
  uint64_t base;
  uint64_t key;
} avrm_test_target_t;

avrm_test_target_t avrm_test_count_target(const avrm_directory_t *directory, int32_t rank);
/// The return alone.
void avrm_test_count_return(void);

AVRM_END_DECLS

#endif
