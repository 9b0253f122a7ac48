// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that translation_test.cc counts: each is one inline translation and nothing else.
// Compiled as C with -O2
// -fPIC whatever the build type, which is how the inline functions end up inside a libmpi.so.
#ifndef AVRANKMAP_TESTS_INSTRUCTIONS_TRANSLATION_PROBES_H
#define AVRANKMAP_TESTS_INSTRUCTIONS_TRANSLATION_PROBES_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

uint64_t avrm_test_count_word(const avrm_rankmap_t *map, int32_t rank);
const avrm_ave_t *avrm_test_count_ave(const avrm_rankmap_t *map, int32_t rank);
uint32_t avrm_test_count_node(const avrm_rankmap_t *map, int32_t rank);
avrm_gpid_t avrm_test_count_gpid(const avrm_rankmap_t *map, int32_t rank);

// From (map, rank) to the network address: the word, the test for a plain network address, the
// decoding.
uint64_t avrm_test_count_ofi(const avrm_rankmap_t *map, int32_t rank);
uint64_t avrm_test_count_ucx(const avrm_rankmap_t *map, int32_t rank);

// The far side of that test, to be defined by the includer elsewhere than the probes: a call, so
// that the test is a branch as it is in a device.
uint64_t avrm_test_count_far(const avrm_rankmap_t *map, int32_t rank);

// 1 if the probes were compiled as the comment above says.
int avrm_test_count_is_optimised(void);
int avrm_test_count_is_position_independent(void);

AVRM_END_DECLS

#endif
