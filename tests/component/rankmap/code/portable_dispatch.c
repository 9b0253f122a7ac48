// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/component/rankmap/code/portable_dispatch.h"

uint64_t avrm_test_portable_word(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_word(map, rank); }

const avrm_ave_t *avrm_test_portable_ave(const avrm_rankmap_t *map, int32_t rank) {
  return avrm_rankmap_ave(map, rank);
}

uint32_t avrm_test_portable_node(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_node(map, rank); }

avrm_gpid_t avrm_test_portable_gpid(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_gpid(map, rank); }

int64_t avrm_test_portable_block_of(int64_t rank, uint64_t reciprocal) { return avrm_i_block_of(rank, reciprocal); }

int avrm_test_portable_is_portable(void) {
#if defined(__SIZEOF_INT128__)
  return 0;
#else
  return AVRM_I_ASM_DISPATCH == 0;
#endif
}
