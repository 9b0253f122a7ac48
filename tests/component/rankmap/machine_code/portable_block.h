// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The division of ranks as it is on machines without 128-bit integers. C, because there the inline
// functions are static and cannot meet those of the other sources.
#ifndef AVRANKMAP_TESTS_RANKMAP_MACHINE_CODE_PORTABLE_BLOCK_H
#define AVRANKMAP_TESTS_RANKMAP_MACHINE_CODE_PORTABLE_BLOCK_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

int64_t avrm_test_portable_block_of(int64_t rank, uint64_t reciprocal);

// 1 if it was compiled as the comment above says.
int avrm_test_portable_is_portable(void);

AVRM_END_DECLS

#endif
