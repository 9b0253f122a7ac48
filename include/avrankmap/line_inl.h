// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of line.h.
#ifndef AVRANKMAP_LINE_INL_H
#define AVRANKMAP_LINE_INL_H

#include "avrankmap/line.h"

AVRM_BEGIN_DECLS

AVRM_INLINE_ALWAYS bool avrm_i_is_exception(const avrm_line_t *line, uint64_t word) AVRM_NOEXCEPT {
  return (word - line->origin) * line->factor < __atomic_load_n(&line->limit, __ATOMIC_RELAXED);
}

AVRM_INLINE_ALWAYS bool avrm_i_word_on(const avrm_line_t *line, int64_t lpid, uint64_t *word_p) AVRM_NOEXCEPT {
  const uint64_t word = line->word + (uint64_t)lpid * (uint64_t)line->step;
  *word_p = word;
  return AVRM_LIKELY(!avrm_i_is_exception(line, word));
}

AVRM_INLINE_ALWAYS bool avrm_i_is_line(uintptr_t place) AVRM_NOEXCEPT { return (place & 1) != 0; }

AVRM_INLINE_ALWAYS const avrm_line_t *avrm_i_line_at(uintptr_t place) AVRM_NOEXCEPT {
  const uintptr_t line = place - 1;
  return (const avrm_line_t *)line;
}

AVRM_END_DECLS

#endif
