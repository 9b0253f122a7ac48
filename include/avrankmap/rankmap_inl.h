// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of rankmap.h: the hot path. Look at the disassembly whenever you touch it; tests/bench/instructions_test.cc
// pins the counts.
//
// Why dispatch is written by hand on x86-64. A library that ends up in libmpi.so is position-independent, where a
// compiler lowers the switch below either to a jump table (5 instructions before the case is reached) or to a chain of
// compares that first moves the mode into a register. With four cases the flags of a single comparison can tell all of
// them apart (signed less, equal, unsigned below, neither), but no compiler finds that. `asm goto` says it directly: one
// compare with memory and one conditional jump, not taken for the affine modes; the jumps that tell the other three
// apart lie out of line. It touches nothing but the flags, and the compiler still sees one plain switch. Everywhere else
// the switch is lowered as usual, with the same results.
#ifndef AVRANKMAP_RANKMAP_INL_H
#define AVRANKMAP_RANKMAP_INL_H

#include <string.h>

#include "avrankmap/rankmap.h"

#if defined(__clang__)
#define AVRM_I_BYTE "byte ptr " // in Intel syntax clang, unlike gcc, prints an operand without its size
#else
#define AVRM_I_BYTE
#endif

AVRM_BEGIN_DECLS

AVRM_INLINE avrm_class_t avrm_i_class(const avrm_rankmap_t *map) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  __asm__ goto("{cmpb $0xf0, %0|cmp " AVRM_I_BYTE "%0, 0xf0}\n\t"
               "jge 7261f\n\t" // a numeric label that is not likely to be used around us
               ".subsection 1\n"
               "7261:\n\t"
               "je %l[lut]\n\t"
               "jb %l[mlut]\n\t"
               "jmp %l[blocked]\n\t"
               ".previous"
               :
               : "m"(map->klass)
               : "cc"
               : lut, mlut, blocked);
  return AVRM_CLASS_AFFINE;
lut:
  return AVRM_CLASS_LUT;
mlut:
  return AVRM_CLASS_MLUT;
blocked:
  return AVRM_CLASS_BLOCKED;
#else
  return (avrm_class_t)map->klass;
#endif
}

/// rank / block for 0 <= rank < 2^31, by the stored reciprocal ceil(2^64 / block). The reciprocal is too large by less
/// than one part in 2^33, so rank * reciprocal is too large by less than 2^62 / 2^64 of a unit: never enough to carry.
AVRM_INLINE int64_t avrm_i_block_of(int64_t rank, uint64_t reciprocal) AVRM_NOEXCEPT {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 avrm_i_u128;
  return (int64_t)(uint64_t)(((avrm_i_u128)(uint64_t)rank * reciprocal) >> 64);
#else
  const uint64_t r = (uint32_t)rank;
  return (int64_t)((r * (reciprocal >> 32) + ((r * (uint32_t)reciprocal) >> 32)) >> 32);
#endif
}

/// What a translation is after; always a compile-time constant.
typedef enum avrm_i_want { AVRM_I_WANT_WORD, AVRM_I_WANT_AVE, AVRM_I_WANT_GPID } avrm_i_want_t;

AVRM_INLINE uint64_t avrm_i_element(const char *ave, avrm_i_want_t want) AVRM_NOEXCEPT {
  const avrm_ave_t *const element = (const avrm_ave_t *)(const void *)ave;
  if (want == AVRM_I_WANT_AVE) {
    return (uint64_t)(uintptr_t)element;
  }
  uint64_t word = avrm_ave_word(element);
  AVRM_I_IN_REGISTER(word); // else clang moves the four loads behind the switch
  return word;
}

AVRM_INLINE uint64_t avrm_i_process(int32_t pgid, int64_t lpid) AVRM_NOEXCEPT {
  return (uint64_t)(uint32_t)lpid << 32 | (uint32_t)pgid;
}

AVRM_INLINE avrm_gpid_t avrm_i_gpid(uint64_t process) AVRM_NOEXCEPT {
  avrm_gpid_t gpid;
  gpid.pgid = (int32_t)(uint32_t)process;
  gpid.lpid = (int32_t)(uint32_t)(process >> 32);
  return gpid;
}

// The cases, one function each. `r` is a rank, sign-extended.

AVRM_INLINE uint64_t avrm_i_affine(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->pgid, map->offset + r * map->stride);
  }
  return avrm_i_element(map->base + r * map->u.step, want);
}

AVRM_INLINE uint64_t avrm_i_lut(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const int64_t lpid = map->v.lut[r];
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->pgid, lpid);
  }
  const char *base = map->base;
  AVRM_I_IN_REGISTER(base);
  return avrm_i_element(base + 12 * lpid, want);
}

AVRM_INLINE uint64_t avrm_i_mlut(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const char *tables = map->base;
  AVRM_I_IN_REGISTER(tables);
  // Two indexed loads. From one pointer to the pair gcc would compute that pointer first, which is one instruction more.
  const avrm_pair_t *const shifted = (const avrm_pair_t *)(const void *)((const char *)map->v.mlut + sizeof(uint32_t));
  const uint32_t slot = shifted[r].lpid;
  const int64_t lpid = map->v.mlut[r].lpid;
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->u.pgids[slot], lpid);
  }
  const char *table = ((const char *const *)(const void *)tables)[slot];
  AVRM_I_IN_REGISTER(table);
  return avrm_i_element(table + 12 * lpid, want);
}

AVRM_INLINE uint64_t avrm_i_blocked(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const int64_t block = avrm_i_block_of(r, map->v.reciprocal);
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->pgid, map->offset + r + block * ((int64_t)map->stride - map->block));
  }
  const char *base = map->base + block * map->u.step;
  AVRM_I_IN_REGISTER(base);
  return avrm_i_element(base + 12 * r, want);
}

/// The one mode switch. Every translation is this function with another `want`. The element is fetched inside each case,
/// because a load after the switch would have its address computed by an instruction of its own.
AVRM_INLINE uint64_t avrm_i_translate(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) AVRM_NOEXCEPT {
  switch (avrm_i_class(map)) {
  case AVRM_CLASS_AFFINE: return avrm_i_affine(map, rank, want);
  case AVRM_CLASS_LUT: return avrm_i_lut(map, rank, want);
  case AVRM_CLASS_MLUT: return avrm_i_mlut(map, rank, want);
  case AVRM_CLASS_BLOCKED: return avrm_i_blocked(map, rank, want);
  }
  AVRM_UNREACHABLE();
  return 0;
}

AVRM_INLINE uint64_t avrm_rankmap_word(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return avrm_i_translate(map, rank, AVRM_I_WANT_WORD);
}

AVRM_INLINE const avrm_ave_t *avrm_rankmap_ave(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return (const avrm_ave_t *)(uintptr_t)avrm_i_translate(map, rank, AVRM_I_WANT_AVE);
}

AVRM_INLINE uint32_t avrm_rankmap_node(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return avrm_ave_node(avrm_rankmap_ave(map, rank));
}

AVRM_INLINE avrm_gpid_t avrm_rankmap_gpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return avrm_i_gpid(avrm_i_translate(map, rank, AVRM_I_WANT_GPID));
}

AVRM_INLINE int32_t avrm_rankmap_size(const avrm_rankmap_t *map) AVRM_NOEXCEPT { return map->size; }

AVRM_END_DECLS

#endif
