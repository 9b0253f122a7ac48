// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/component/instructions/translation_probes.h"

uint64_t avrm_test_count_word(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_word(map, rank); }

const avrm_ave_t *avrm_test_count_ave(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_ave(map, rank); }

uint32_t avrm_test_count_node(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_node(map, rank); }

avrm_gpid_t avrm_test_count_gpid(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_gpid(map, rank); }

uint64_t avrm_test_count_ofi(const avrm_rankmap_t *map, int32_t rank) {
  const uint64_t word = avrm_rankmap_word(map, rank);
  if (AVRM_UNLIKELY(!avrm_ofi_is_network(word))) {
    return avrm_test_count_far(map, rank);
  }
  return avrm_ofi_address(word);
}

uint64_t avrm_test_count_ucx(const avrm_rankmap_t *map, int32_t rank) {
  const uint64_t word = avrm_rankmap_word(map, rank);
  if (AVRM_UNLIKELY(!avrm_ucx_is_network(word))) {
    return avrm_test_count_far(map, rank);
  }
  return (uint64_t)(uintptr_t)avrm_ucx_endpoint(word);
}

int avrm_test_count_is_optimised(void) {
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
  return 1;
#else
  return 0;
#endif
}

int avrm_test_count_is_position_independent(void) {
#if defined(__PIC__)
  return 1;
#else
  return 0;
#endif
}
