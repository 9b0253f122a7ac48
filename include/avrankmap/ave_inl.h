// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of ave.h.
#ifndef AVRANKMAP_AVE_INL_H
#define AVRANKMAP_AVE_INL_H

#include <string.h>

#include "avrankmap/ave.h"

AVRM_BEGIN_DECLS

// 1 if compilers load 8 bytes from a 4-aligned address with one instruction.
#if defined(__x86_64__) || defined(__aarch64__) || defined(__s390x__) || defined(__powerpc64__)
#define AVRM_I_ONE_LOAD 1
#else
#define AVRM_I_ONE_LOAD 0
#endif

// Other threads may read an element while its peer is being connected. avrm_av_set orders its
// stores so that any mix of old and new halves that one load can see reads as "not yet connected"
// (src/component/av/publish.h). ThreadSanitizer knows neither this protocol nor loads that are only
// 4-aligned, so it is disabled for this function.
#if AVRM_I_TSAN
__attribute__((no_sanitize("thread")))
#endif
AVRM_INLINE uint64_t
avrm_ave_word(const avrm_ave_t *ave) AVRM_NOEXCEPT {
  uint64_t word;
#if AVRM_I_ONE_LOAD
  memcpy(&word, ave->w, sizeof word);
#else
  // Two loads may see halves of two values, so both halves are read until they are the same twice
  // in a row. A mix could still pass if avrm_av_set wrote the element three times in between, each
  // time at the right moment; the device writes once to connect a peer and once to disconnect it.
  uint32_t halves[2];
  uint32_t again[2];
  do {
    halves[0] = __atomic_load_n(&ave->w[0], __ATOMIC_ACQUIRE);
    halves[1] = __atomic_load_n(&ave->w[1], __ATOMIC_ACQUIRE);
    again[0] = __atomic_load_n(&ave->w[0], __ATOMIC_ACQUIRE);
    again[1] = __atomic_load_n(&ave->w[1], __ATOMIC_ACQUIRE);
  } while (halves[0] != again[0] || halves[1] != again[1]);
  memcpy(&word, halves, sizeof word);
#endif
  return word;
}

AVRM_INLINE uint32_t avrm_ave_node(const avrm_ave_t *ave) AVRM_NOEXCEPT {
  return __atomic_load_n(&ave->w[2], __ATOMIC_RELAXED);
}

AVRM_INLINE bool avrm_ofi_is_network(uint64_t word) AVRM_NOEXCEPT { return (int64_t)(word - 1) >= 0; }

AVRM_INLINE uint64_t avrm_ofi_address(uint64_t word) AVRM_NOEXCEPT { return word - 1; }

// The bits that mark the two halves of an endpoint's word. A word is the pointer minus this number.
#define AVRM_I_UCX_MARKS ((UINT64_C(1) << 63) + 1)

AVRM_INLINE bool avrm_ucx_is_network(uint64_t word) AVRM_NOEXCEPT {
  return ((word + AVRM_I_UCX_MARKS) & AVRM_I_UCX_MARKS) == 0;
}

AVRM_INLINE void *avrm_ucx_endpoint(uint64_t word) AVRM_NOEXCEPT {
  const uintptr_t place = word + AVRM_I_UCX_MARKS;
  return (void *)place;
}

// The kind of a local word is 1 or 2. The high half of 0, or of a word that another thread is
// writing, compares greater: none or all of its bits are set. One comparison is enough, and
// compilers can apply it directly to the word in memory.
AVRM_INLINE bool avrm_ofi_is_local(uint64_t word) AVRM_NOEXCEPT {
  return (int32_t)(uint32_t)(word >> 32) < INT32_MIN + (3 << 28);
}

AVRM_INLINE uint32_t avrm_ofi_local_rank(uint64_t word) AVRM_NOEXCEPT {
  return (uint32_t)(word >> 32) & (AVRM_LOCAL_RANKS - 1);
}

// The low half of any other word, even of one that another thread is writing, is 0 or odd.
AVRM_INLINE bool avrm_ucx_is_local(uint64_t word) AVRM_NOEXCEPT { return (word & 3) == 2; }

AVRM_INLINE uint32_t avrm_ucx_local_rank(uint64_t word) AVRM_NOEXCEPT { return (uint32_t)word >> 4; }

AVRM_INLINE bool avrm_word_is_network(avrm_codec_t codec, uint64_t word) AVRM_NOEXCEPT {
  return codec == AVRM_CODEC_UCX ? avrm_ucx_is_network(word) : avrm_ofi_is_network(word);
}

AVRM_INLINE uint64_t avrm_word_address(avrm_codec_t codec, uint64_t word) AVRM_NOEXCEPT {
  return word + (codec == AVRM_CODEC_UCX ? AVRM_I_UCX_MARKS : UINT64_MAX);
}

AVRM_INLINE bool avrm_word_is_local(avrm_codec_t codec, uint64_t word) AVRM_NOEXCEPT {
  return codec == AVRM_CODEC_UCX ? avrm_ucx_is_local(word) : avrm_ofi_is_local(word);
}

AVRM_INLINE uint32_t avrm_word_local_rank(avrm_codec_t codec, uint64_t word) AVRM_NOEXCEPT {
  return codec == AVRM_CODEC_UCX ? avrm_ucx_local_rank(word) : avrm_ofi_local_rank(word);
}

/// Returns an element with this address word and node id.
AVRM_INLINE avrm_ave_t avrm_i_ave_of(uint64_t word, uint32_t node) AVRM_NOEXCEPT {
  avrm_ave_t ave;
  memcpy(ave.w, &word, sizeof word);
  ave.w[2] = node;
  return ave;
}

AVRM_END_DECLS

#endif
