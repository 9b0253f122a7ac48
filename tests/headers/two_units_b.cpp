// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "tests/headers/two_units.h"

uint64_t translate_in_cpp_b(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_word(map, rank); }
