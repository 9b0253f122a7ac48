// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The address words of the fast path (fastpath_inl.h) for ranks of the world.
#ifndef AVRANKMAP_DEVICE_FASTPATH_WORD_INL_H
#define AVRANKMAP_DEVICE_FASTPATH_WORD_INL_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

/// Returns the address word of a process of the own world from the table of AVEs.
AVRM_INLINE uint64_t avrm_i_fp_world_word(uintptr_t table, int64_t lpid) AVRM_NOEXCEPT {
  return avrm_ave_word((const avrm_ave_t *)table + lpid);
}

/// The same where the table is implicit. 0 in the hole, "not connected".
AVRM_INLINE_ALWAYS uint64_t avrm_i_fp_world_line(uintptr_t world, int64_t lpid) AVRM_NOEXCEPT {
  uint64_t word;
  return avrm_i_word_on(avrm_i_line_at(world), lpid, &word) ? word : 0;
}

AVRM_END_DECLS

#endif
