// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of addresses.h. tests/component/instructions/component_test.cc checks their instruction
// counts.
#ifndef AVRANKMAP_ADDRESSES_INL_H
#define AVRANKMAP_ADDRESSES_INL_H

#include "avrankmap/addresses.h"

AVRM_BEGIN_DECLS

/// Out-of-line version of avrm_addresses_word, for words that are not computed inline.
uint64_t avrm_i_addresses_word(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k) AVRM_NOEXCEPT;

/// Loads a limit, which may change at any time, before the deltas below it.
AVRM_INLINE uint64_t avrm_i_further_limit(const uint64_t *limit) AVRM_NOEXCEPT {
  return __atomic_load_n(limit, __ATOMIC_ACQUIRE);
}

AVRM_INLINE uint64_t avrm_addresses_word(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k) AVRM_NOEXCEPT {
  // The limits are loaded after word 0. A writer lowers them before it changes word 0, and all
  // threads pass a barrier in between, so it is sufficient that the compiler keeps this order.
  __atomic_signal_fence(__ATOMIC_ACQUIRE);
  const uint64_t *const deltas = __atomic_load_n(&av->further, __ATOMIC_ACQUIRE);
  const avrm_further_t *const further = (const avrm_further_t *)(const void *)deltas - 1;
  if (AVRM_LIKELY(k < avrm_i_further_limit(&further->after_first))) {
    return word0 + deltas[k];
  }
  if (AVRM_LIKELY(k < avrm_i_further_limit(&further->by_lpid))) {
    return deltas[k] + (uint64_t)(int64_t)lpid * (uint64_t)further->step;
  }
  return avrm_i_addresses_word(av, lpid, word0, k);
}

AVRM_END_DECLS

#endif
