// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/component/rankmap/machine_code/portable_block.h"

int64_t avrm_test_portable_block_of(int64_t rank, uint64_t reciprocal) { return avrm_i_block_of(rank, reciprocal); }

int avrm_test_portable_is_portable(void) {
#if defined(__SIZEOF_INT128__)
  return 0;
#else
  return 1;
#endif
}
