// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same translation from a C and two C++ translation units of one program.
#ifndef AVRANKMAP_TESTS_TWO_UNITS_H
#define AVRANKMAP_TESTS_TWO_UNITS_H

#include <avrankmap/avrankmap.h>

AVRM_BEGIN_DECLS

typedef uint64_t (*translate_t)(const avrm_rankmap_t *map, int32_t rank);

uint64_t translate_in_c(const avrm_rankmap_t *map, int32_t rank);
uint64_t translate_in_cpp_a(const avrm_rankmap_t *map, int32_t rank);
uint64_t translate_in_cpp_b(const avrm_rankmap_t *map, int32_t rank);

AVRM_END_DECLS

#endif
