// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inline translation as it is on other machines: portable_dispatch.c is compiled without
// hand-written assembly and without 128-bit integers. C, because there the inline functions are
// static and cannot meet those of the other sources.
#ifndef AVRANKMAP_TESTS_RANKMAP_CODE_PORTABLE_DISPATCH_H
#define AVRANKMAP_TESTS_RANKMAP_CODE_PORTABLE_DISPATCH_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

uint64_t avrm_test_portable_word(const avrm_rankmap_t *map, int32_t rank);
const avrm_ave_t *avrm_test_portable_ave(const avrm_rankmap_t *map, int32_t rank);
uint32_t avrm_test_portable_node(const avrm_rankmap_t *map, int32_t rank);
avrm_gpid_t avrm_test_portable_gpid(const avrm_rankmap_t *map, int32_t rank);
int64_t avrm_test_portable_block_of(int64_t rank, uint64_t reciprocal);

// 1 if it was compiled as the comment above says.
int avrm_test_portable_is_portable(void);

AVRM_END_DECLS

#endif
