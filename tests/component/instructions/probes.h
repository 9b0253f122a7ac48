// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that component_test.cc counts: each is one inline query. Compiled as C with -O2
// -fPIC whatever the build type, which is how the inline functions end up inside a libmpi.so.
#ifndef AVRANKMAP_TESTS_INSTRUCTIONS_PROBES_H
#define AVRANKMAP_TESTS_INSTRUCTIONS_PROBES_H

#include "avrankmap/addresses.h"
#include "avrankmap/directory.h"
#include "avrankmap/hierarchy.h"

AVRM_BEGIN_DECLS

// Word k of a peer, from its word 0.
uint64_t avrm_test_count_further(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k);

// From an address word to a network address, or to the local rank of a peer on the local node, each
// of which is passed to a function that is defined elsewhere.
int avrm_test_count_ofi_send(uint64_t word);
int avrm_test_count_ucx_send(uint64_t word);
int avrm_test_count_network(uint64_t address);
int avrm_test_count_local(uint32_t local_rank);

/// What a put needs, in two registers.
typedef struct avrm_test_target {
  uint64_t base;
  uint64_t key;
} avrm_test_target_t;
avrm_test_target_t avrm_test_count_target(const avrm_directory_t *directory, int32_t rank);

int32_t avrm_test_count_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank);
int32_t avrm_test_count_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank);
int32_t avrm_test_count_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t rank);
int32_t avrm_test_count_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node);
int32_t avrm_test_count_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local);
int32_t avrm_test_count_hierarchy_leader(const avrm_hierarchy_t *hierarchy, int32_t node);

AVRM_END_DECLS

#endif
