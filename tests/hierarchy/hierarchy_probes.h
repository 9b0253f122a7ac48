// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that hierarchy_instructions_test.cc counts: each is one inline question. Compiled
// as C with -O2 -fPIC whatever the build type.
#ifndef AVRANKMAP_TESTS_HIERARCHY_HIERARCHY_PROBES_H
#define AVRANKMAP_TESTS_HIERARCHY_HIERARCHY_PROBES_H

#include "avrankmap/hierarchy.h"

AVRM_BEGIN_DECLS

int32_t avrm_test_count_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank);
int32_t avrm_test_count_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank);
int32_t avrm_test_count_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t rank);
int32_t avrm_test_count_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node);
int32_t avrm_test_count_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local);
int32_t avrm_test_count_hierarchy_leader(const avrm_hierarchy_t *hierarchy, int32_t node);

AVRM_END_DECLS

#endif
