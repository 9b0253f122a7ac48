// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/directory/directory_probes.h"

avrm_test_target_t avrm_test_count_target(const avrm_directory_t *directory, int32_t rank) {
  avrm_test_target_t target;
  if (!avrm_directory_target(directory, rank, &target.base, &target.key)) {
    target.base = 0;
    target.key = 0;
  }
  return target;
}

void avrm_test_count_return(void) {}
