// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/av/address_probes.h"

uint64_t avrm_test_count_further(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k) {
  return avrm_addresses_word(av, lpid, word0, k);
}

uint64_t avrm_test_count_only(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k) {
  (void)av;
  (void)lpid;
  (void)k;
  return word0;
}

uint64_t avrm_test_count_element(const avrm_av_t *av, int32_t lpid) { return avrm_ave_word(avrm_av_ave(av, lpid)); }

int avrm_test_count_ofi_send(uint64_t word) {
  if (AVRM_LIKELY(avrm_ofi_is_network(word))) {
    return avrm_test_count_network(avrm_ofi_address(word));
  }
  return AVRM_LIKELY(avrm_ofi_is_local(word)) ? avrm_test_count_local(avrm_ofi_local_rank(word)) : 0;
}

int avrm_test_count_ucx_send(uint64_t word) {
  if (AVRM_LIKELY(avrm_ucx_is_network(word))) {
    return avrm_test_count_network((uint64_t)(uintptr_t)avrm_ucx_endpoint(word));
  }
  return AVRM_LIKELY(avrm_ucx_is_local(word)) ? avrm_test_count_local(avrm_ucx_local_rank(word)) : 0;
}
