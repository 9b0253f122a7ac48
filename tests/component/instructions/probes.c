// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/component/instructions/probes.h"

uint64_t avrm_test_count_further(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k) {
  return avrm_addresses_word(av, lpid, word0, k);
}

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

avrm_test_target_t avrm_test_count_target(const avrm_directory_t *directory, int32_t rank) {
  avrm_test_target_t target;
  if (!avrm_directory_target(directory, rank, &target.base, &target.key)) {
    target.base = 0;
    target.key = 0;
  }
  return target;
}

int32_t avrm_test_count_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank) {
  return avrm_hierarchy_node(hierarchy, rank);
}
int32_t avrm_test_count_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank) {
  return avrm_hierarchy_local(hierarchy, rank);
}
int32_t avrm_test_count_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t rank) {
  return avrm_hierarchy_local_on(hierarchy, node, rank);
}
int32_t avrm_test_count_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node) {
  return avrm_hierarchy_node_size(hierarchy, node);
}
int32_t avrm_test_count_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local) {
  return avrm_hierarchy_rank(hierarchy, node, local);
}
int32_t avrm_test_count_hierarchy_leader(const avrm_hierarchy_t *hierarchy, int32_t node) {
  return avrm_hierarchy_leader(hierarchy, node);
}
