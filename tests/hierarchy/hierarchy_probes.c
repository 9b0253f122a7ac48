// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/hierarchy/hierarchy_probes.h"

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
