// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of rankmap.h: the hot path. Inspect the disassembly after every change;
// tests/component/instructions/translation_test.cc checks instruction counts.
//
// Affine maps, luts and mluts are inline, so each use adds these three cases to a program. All
// other classes share one call through a constant table with a row per class, which costs about a
// nanosecond. Affine maps over implicit AVs as a fourth inline case would save that call, but each
// use would exceed 168 bytes of text.
#ifndef AVRANKMAP_RANKMAP_INL_H
#define AVRANKMAP_RANKMAP_INL_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

/// The functions of a class: avrm_rankmap_word and the like, for maps of this class.
typedef struct avrm_i_translation {
  uint64_t (*word)(const avrm_rankmap_t *map, int32_t rank);
  const avrm_ave_t *(*ave)(const avrm_rankmap_t *map, int32_t rank);
  uint32_t (*node)(const avrm_rankmap_t *map, int32_t rank);
  avrm_gpid_t (*gpid)(const avrm_rankmap_t *map, int32_t rank);
  int32_t (*lpid)(const avrm_rankmap_t *map, int32_t rank);
} avrm_i_translation_t;

/// Indexed by class.
extern AVRM_I_HIDDEN const avrm_i_translation_t avrm_i_translations[];

/// Returns rank / block for 0 <= rank < 2^31, using the stored reciprocal ceil(2^64 / block). The
/// reciprocal is too large by less than one part in 2^33, so rank * reciprocal / 2^64 is too large
/// by less than a quarter of 1 / block, which is never enough to reach the next integer.
AVRM_INLINE int64_t avrm_i_block_of(int64_t rank, uint64_t reciprocal) AVRM_NOEXCEPT {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 avrm_i_u128;
  return (int64_t)(uint64_t)(((avrm_i_u128)(uint64_t)rank * reciprocal) >> 64);
#else
  const uint64_t r = (uint32_t)rank;
  return (int64_t)((r * (reciprocal >> 32) + ((r * (uint32_t)reciprocal) >> 32)) >> 32);
#endif
}

AVRM_INLINE avrm_gpid_t avrm_i_gpid(int32_t pgid, int32_t lpid) AVRM_NOEXCEPT {
  const avrm_gpid_t gpid = {pgid, lpid};
  return gpid;
}

AVRM_INLINE_ALWAYS const avrm_ave_t *avrm_i_affine_ave(const avrm_rankmap_t *map, int64_t rank) AVRM_NOEXCEPT {
  return (const avrm_ave_t *)(const void *)(map->at.base + rank * map->as.affine.step);
}

AVRM_INLINE_ALWAYS int32_t avrm_i_affine_lpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return (int32_t)((uint32_t)map->offset + (uint32_t)rank * (uint32_t)map->as.affine.stride);
}

AVRM_INLINE_ALWAYS const avrm_ave_t *avrm_i_lut_ave(const avrm_rankmap_t *map, int64_t rank) AVRM_NOEXCEPT {
  return map->at.table + map->as.lut.lpids[rank];
}

AVRM_INLINE_ALWAYS const avrm_ave_t *avrm_i_mlut_ave(const avrm_rankmap_t *map, int64_t rank) AVRM_NOEXCEPT {
  const avrm_pair_t pair = map->as.mlut.pairs[rank];
  return map->at.tables[pair.slot] + pair.lpid;
}

AVRM_INLINE_ALWAYS avrm_gpid_t avrm_i_mlut_gpid(const avrm_rankmap_t *map, int64_t rank) AVRM_NOEXCEPT {
  const avrm_pair_t pair = map->as.mlut.pairs[rank];
  return avrm_i_gpid(map->as.mlut.pgids[pair.slot], (int32_t)pair.lpid);
}

/// Dispatches on the map's class: returns the expression for that class.
#define AVRM_I_TRANSLATE(map, affine, lut, mlut, other)                                                                \
  const uint8_t klass = (map)->klass;                                                                                  \
  if (AVRM_LIKELY(klass == AVRM_CLASS_AFFINE)) {                                                                       \
    return affine;                                                                                                     \
  }                                                                                                                    \
  if (AVRM_LIKELY(klass == AVRM_CLASS_LUT)) {                                                                          \
    return lut;                                                                                                        \
  }                                                                                                                    \
  if (AVRM_LIKELY(klass == AVRM_CLASS_MLUT)) {                                                                         \
    return mlut;                                                                                                       \
  }                                                                                                                    \
  return avrm_i_translations[klass].other

AVRM_INLINE_ALWAYS uint64_t avrm_rankmap_word(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  AVRM_I_TRANSLATE(map, avrm_ave_word(avrm_i_affine_ave(map, rank)), avrm_ave_word(avrm_i_lut_ave(map, rank)),
                   avrm_ave_word(avrm_i_mlut_ave(map, rank)), word(map, rank));
}

AVRM_INLINE_ALWAYS const avrm_ave_t *avrm_rankmap_ave(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  AVRM_I_TRANSLATE(map, avrm_i_affine_ave(map, rank), avrm_i_lut_ave(map, rank), avrm_i_mlut_ave(map, rank),
                   ave(map, rank));
}

AVRM_INLINE_ALWAYS uint32_t avrm_rankmap_node(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  AVRM_I_TRANSLATE(map, avrm_ave_node(avrm_i_affine_ave(map, rank)), avrm_ave_node(avrm_i_lut_ave(map, rank)),
                   avrm_ave_node(avrm_i_mlut_ave(map, rank)), node(map, rank));
}

AVRM_INLINE_ALWAYS avrm_gpid_t avrm_rankmap_gpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  AVRM_I_TRANSLATE(map, avrm_i_gpid(map->pgid, avrm_i_affine_lpid(map, rank)),
                   avrm_i_gpid(map->pgid, (int32_t)map->as.lut.lpids[rank]), avrm_i_mlut_gpid(map, rank),
                   gpid(map, rank));
}

AVRM_INLINE_ALWAYS int32_t avrm_rankmap_lpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  AVRM_I_TRANSLATE(map, avrm_i_affine_lpid(map, rank), (int32_t)map->as.lut.lpids[rank],
                   (int32_t)map->as.mlut.pairs[rank].lpid, lpid(map, rank));
}

AVRM_INLINE int32_t avrm_rankmap_size(const avrm_rankmap_t *map) AVRM_NOEXCEPT { return map->size; }

AVRM_END_DECLS

#endif
