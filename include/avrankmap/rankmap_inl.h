// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of rankmap.h: the hot path. Look at the disassembly whenever you touch it;
// tests/component/instructions/translation_test.cc pins the counts.
//
// Why dispatch is written by hand on x86-64. A library that ends up in libmpi.so is
// position-independent. There a compiler lowers a switch over the classes either to a jump table (5
// instructions before the case is reached) or to a chain of compares that first moves the class
// into a register. Here comparisons with memory are followed by conditional jumps: the flags of one
// comparison tell several cases apart, but no compiler finds that. Where affine maps and luts are
// inline each has a comparison of its own, and affine maps take no jump. Where all forms are, one
// comparison tells the five commonest cases from the rest, affine maps by its first jump. The
// assembly changes nothing but the flags, all its jumps stay inside the function, and the compiler
// sees plain branches. Everywhere else compilers lower them as usual, with the same results.
//
// The forms that AVRM_FORMS_INLINE leaves out, and most maps over implicit AVs, share one cold call
// (rankmap/cold_call.cpp). An ordinary call in one branch would make all branches save
// registers and align the stack. So two instructions of assembly make it: they put the address to
// return to into a register and jump. They leave the stack pointer alone, because inline assembly
// cannot know whether unwinders address the frame by it. They jump to assembly
// (rankmap/cold_stubs.cpp) which keeps all registers but those of the result, the map and the
// address, vector registers included, and has unwind information for each of its instructions.
#ifndef AVRANKMAP_RANKMAP_INL_H
#define AVRANKMAP_RANKMAP_INL_H

#include <string.h>

#include "avrankmap/rankmap.h"

#if defined(__clang__)
// In Intel syntax clang, unlike gcc, prints an operand without its size.
#define AVRM_I_BYTE "byte ptr "
#define AVRM_I_DWORD "dword ptr "
#define AVRM_I_QWORD "qword ptr "
#else
#define AVRM_I_BYTE
#define AVRM_I_DWORD
#define AVRM_I_QWORD
#endif

AVRM_BEGIN_DECLS

/// Class of a map, as a plain number: compilers compare it in memory with a constant.
AVRM_INLINE_ALWAYS uint8_t avrm_i_klass(const avrm_rankmap_t *map) AVRM_NOEXCEPT {
#if AVRM_I_TSAN
  return __atomic_load_n(&map->klass, __ATOMIC_RELAXED);
#else
  return map->klass;
#endif
}

/// Whether the class of a map beyond the affine ones is AVRM_CLASS_LUT. In C, gcc merges this
/// comparison with that of affine maps, for which it loads the class into a register then.
AVRM_INLINE_ALWAYS bool avrm_i_is_lut(const avrm_rankmap_t *map) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH && defined(__GCC_ASM_FLAG_OUTPUTS__)
  static_assert(AVRM_CLASS_LUT == 0xde, "the number below");
  bool equal;
  __asm__("{cmpb $0xde, %1|cmp " AVRM_I_BYTE "%1, 0xde}" : "=@cce"(equal) : "m"(map->klass));
  return equal;
#else
  return avrm_i_klass(map) == AVRM_CLASS_LUT;
#endif
}

/// Class of a map, for the switch over all forms. Affine maps leave the assembly at its end, since
/// compilers take all other ways out of it for rare.
AVRM_INLINE_ALWAYS avrm_class_t avrm_i_class(const avrm_rankmap_t *map) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  static_assert(AVRM_CLASS_AFFINE == 0 && AVRM_CLASS_BLOCKED == 0x0c && AVRM_CLASS_CART == 0x24 &&
                    AVRM_CLASS_SEGMENTS == 0x27,
                "the numbers below");
  // With a pointer of its own gcc addresses the class by the object that the map lies in.
  const uint8_t *const klass = &map->klass;
  __asm__ goto("{cmpb $0x0c, %0|cmp " AVRM_I_BYTE "%0, 0x0c}\n\t"
               "jb 7263f\n\t" // affine
               "jnp %l[cart_3d]\n\t"
               "js %l[lut]\n\t"
               "jo %l[mlut]\n\t"
               "je %l[blocked]\n\t"
               "{cmpb $0x24, %0|cmp " AVRM_I_BYTE "%0, 0x24}\n\t"
               "jb %l[implicit]\n\t"
               "je %l[cart]\n\t"
               "{cmpb $0x27, %0|cmp " AVRM_I_BYTE "%0, 0x27}\n\t"
               "je %l[segments]\n\t"
               "jnp %l[implicit_lut]\n\t"
               "jmp %l[other]\n"
               "7263:"
               :
               : "m"(*klass)
               : "cc", "r10", "r11" // which the cold call loses: clang would keep arguments there
               : lut, mlut, cart_3d, blocked, implicit, segments, cart, implicit_lut, other);
  return AVRM_CLASS_AFFINE;
lut:
  return AVRM_CLASS_LUT;
mlut:
  return AVRM_CLASS_MLUT;
cart_3d:
  return AVRM_CLASS_CART_3D;
blocked:
  return AVRM_CLASS_BLOCKED;
implicit:
  return AVRM_CLASS_IMPLICIT;
segments:
  return AVRM_CLASS_SEGMENTS;
cart:
  return AVRM_CLASS_CART;
implicit_lut:
  return AVRM_CLASS_IMPLICIT_LUT;
other:
  return AVRM_CLASS_THROUGH; // or another that is not inline
#else
  return (avrm_class_t)avrm_i_klass(map);
#endif
}

/// rank / block for 0 <= rank < 2^31, by the stored reciprocal ceil(2^64 / block). The reciprocal
/// is too large by less than one part in 2^33, so rank * reciprocal is too large by less than 2^62
/// / 2^64 of a unit: never enough to carry.
AVRM_INLINE int64_t avrm_i_block_of(int64_t rank, uint64_t reciprocal) AVRM_NOEXCEPT {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 avrm_i_u128;
  return (int64_t)(uint64_t)(((avrm_i_u128)(uint64_t)rank * reciprocal) >> 64);
#else
  const uint64_t r = (uint32_t)rank;
  return (int64_t)((r * (reciprocal >> 32) + ((r * (uint32_t)reciprocal) >> 32)) >> 32);
#endif
}

/// Result of a translation; always a compile-time constant.
typedef enum avrm_i_want {
  AVRM_I_WANT_WORD,
  AVRM_I_WANT_AVE,
  AVRM_I_WANT_NODE,
  AVRM_I_WANT_GPID,
  AVRM_I_WANT_LPID,
  AVRM_I_WANT_SLOT ///< as GPID, with the slot for the pgid; of forms that have slots, cold
} avrm_i_want_t;

/// The translation out of line, for maps of any class.
uint64_t avrm_i_cold(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) AVRM_NOEXCEPT;

#if AVRM_I_ASM_CALL
// The same, one for each result. No functions of C: the map is in r10, the rank, then the result,
// in rax, the address to return to in r11. r10 and the flags are lost, all else is kept.
AVRM_I_HIDDEN void avrm_i_cold_word(void) AVRM_NOEXCEPT;
AVRM_I_HIDDEN void avrm_i_cold_ave(void) AVRM_NOEXCEPT;
AVRM_I_HIDDEN void avrm_i_cold_node(void) AVRM_NOEXCEPT;
AVRM_I_HIDDEN void avrm_i_cold_gpid(void) AVRM_NOEXCEPT;
AVRM_I_HIDDEN void avrm_i_cold_lpid(void) AVRM_NOEXCEPT;

// The map is an operand in memory, else a compiler might leave out stores into it.
#define AVRM_I_COLD_CALL(function)                                                                                     \
  __asm__ volatile("{leaq 7262f(%%rip), %%r11|lea r11, [rip + 7262f]}\n\t"                                             \
                   "jmp %P[to]\n"                                                                                      \
                   "7262:" /* a numeric label that is not likely to be used around us */                               \
                   : "+a"(result), "+r"(map_in_r10)                                                                    \
                   : [to] "i"(function), "m"(*map)                                                                     \
                   : "r11", "cc")
#endif

/// The same address, computed here: compilers would compute it where the comparisons are, which
/// costs the common cases an instruction.
AVRM_INLINE_ALWAYS const avrm_rankmap_t *avrm_i_address_of(const avrm_rankmap_t *map) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  const avrm_rankmap_t *address;
  __asm__("{lea %1, %0|lea %0, %1}" : "=r"(address) : "m"(*map));
  return address;
#else
  return map;
#endif
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_call(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) AVRM_NOEXCEPT {
#if AVRM_I_ASM_CALL
  uint64_t result = (uint64_t)(int64_t)rank;
  register const avrm_rankmap_t *map_in_r10 __asm__("r10") = map;
  switch (want) {
  case AVRM_I_WANT_WORD: AVRM_I_COLD_CALL(avrm_i_cold_word); break;
  case AVRM_I_WANT_AVE: AVRM_I_COLD_CALL(avrm_i_cold_ave); break;
  case AVRM_I_WANT_NODE: AVRM_I_COLD_CALL(avrm_i_cold_node); break;
  case AVRM_I_WANT_GPID: AVRM_I_COLD_CALL(avrm_i_cold_gpid); break;
  case AVRM_I_WANT_LPID: AVRM_I_COLD_CALL(avrm_i_cold_lpid); break;
  case AVRM_I_WANT_SLOT: break;
  }
  return result;
#else
  return avrm_i_cold(map, rank, want);
#endif
}

AVRM_INLINE uint64_t avrm_i_element(const char *ave, avrm_i_want_t want) AVRM_NOEXCEPT {
  const avrm_ave_t *const element = (const avrm_ave_t *)(const void *)ave;
  if (want == AVRM_I_WANT_AVE) {
    const uintptr_t place = (uintptr_t)element;
    return place;
  }
  if (want == AVRM_I_WANT_NODE) {
    return avrm_ave_node(element);
  }
  uint64_t word = avrm_ave_word(element);
#if defined(__clang__)
  AVRM_I_IN_REGISTER(word); // otherwise clang moves the four loads behind the switch
#endif
  return word;
}

AVRM_INLINE uint64_t avrm_i_process(int32_t pgid, int64_t lpid) AVRM_NOEXCEPT {
  return (uint64_t)(uint32_t)lpid << 32 | (uint32_t)pgid;
}

/// True if the result is of the map alone, without an AV.
AVRM_INLINE bool avrm_i_is_of_map(avrm_i_want_t want) AVRM_NOEXCEPT {
  return want == AVRM_I_WANT_GPID || want == AVRM_I_WANT_LPID || want == AVRM_I_WANT_SLOT;
}

/// Such a result.
AVRM_INLINE uint64_t avrm_i_number(int32_t pgid, int64_t lpid, avrm_i_want_t want) AVRM_NOEXCEPT {
  return want == AVRM_I_WANT_LPID ? (uint32_t)lpid : avrm_i_process(pgid, lpid);
}

/// Such a result of a form that has slots.
AVRM_INLINE uint64_t avrm_i_number_in_slot(const avrm_rankmap_t *map, uint64_t slot, int64_t lpid,
                                           avrm_i_want_t want) AVRM_NOEXCEPT {
  return want == AVRM_I_WANT_SLOT ? avrm_i_process((int32_t)slot, lpid) : avrm_i_number(map->u.pgids[slot], lpid, want);
}

AVRM_INLINE avrm_gpid_t avrm_i_gpid(uint64_t process) AVRM_NOEXCEPT {
  avrm_gpid_t gpid;
  gpid.pgid = (int32_t)(uint32_t)process;
  gpid.lpid = (int32_t)(uint32_t)(process >> 32);
  return gpid;
}

// The cases, one function each. `r` is a rank, sign-extended.

AVRM_INLINE_ALWAYS uint64_t avrm_i_affine(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  if (avrm_i_is_of_map(want)) {
    // In 32 bits for an lpid.
    return want == AVRM_I_WANT_LPID ? (uint32_t)map->offset + (uint32_t)r * (uint32_t)map->stride
                                    : avrm_i_process(map->pgid, map->offset + r * map->stride);
  }
  return avrm_i_element(map->base + r * map->u.step, want);
}

/// Greatest lpid in a lut or mlut that translates inline: its element begins before word 2^32 of
/// the AV's table. Maps with greater ones are bound as AVRM_CLASS_THROUGH.
#define AVRM_I_MAX_TABLE_LPID ((int32_t)(UINT32_MAX / AVRM_I_AVE_WORDS))

/// Words of an AV's table before the element of an lpid, which is at most that.
AVRM_INLINE_ALWAYS int64_t avrm_i_words_before(const uint32_t *lpid) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  // One instruction, which clears the upper half of the register. Compilers take two.
  int64_t words;
  __asm__("{imull $3, %1, %k0|imul %k0, " AVRM_I_DWORD "%1, 3}" : "=r"(words) : "m"(*lpid) : "cc");
  return words;
#else
  return AVRM_I_AVE_WORDS * (int64_t)*lpid;
#endif
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_lut(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const uint32_t *const lpid = map->v.lut + r;
  if (avrm_i_is_of_map(want)) {
    return avrm_i_number(map->pgid, *lpid, want);
  }
  const char *base = map->base;
  AVRM_I_IN_REGISTER(base);
  return avrm_i_element(base + (int64_t)sizeof(uint32_t) * avrm_i_words_before(lpid), want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_mlut(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const char *tables = map->base;
  AVRM_I_IN_REGISTER(tables);
  // Two indexed loads. With one pointer to the pair gcc computes that pointer first, which is one
  // instruction more.
  const avrm_pair_t *const shifted = (const avrm_pair_t *)(const void *)((const char *)map->v.mlut + sizeof(uint32_t));
  const uint32_t slot = shifted[r].lpid;
  const uint32_t *const lpid = &map->v.mlut[r].lpid;
  if (avrm_i_is_of_map(want)) {
    return avrm_i_number_in_slot(map, slot, *lpid, want);
  }
  const char *table = ((const char *const *)(const void *)tables)[slot];
  AVRM_I_IN_REGISTER(table);
  return avrm_i_element(table + (int64_t)sizeof(uint32_t) * avrm_i_words_before(lpid), want);
}

/// map->base + number * map->u.step.
AVRM_INLINE_ALWAYS const char *avrm_i_base_of_block(const avrm_rankmap_t *map, int64_t number) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  // Compilers load the step, or copy the sum, which is one instruction more. gcc takes the
  // addresses of fields from a register unless each has a pointer of its own.
  const int64_t *const step = &map->u.step;
  const char *const *const base = &map->base;
  __asm__("{imulq %1, %0|imul %0, " AVRM_I_QWORD "%1}\n\t"
          "{addq %2, %0|add %0, " AVRM_I_QWORD "%2}"
          : "+&r"(number)
          : "m"(*step), "m"(*base)
          : "cc");
  return (const char *)(uintptr_t)number;
#else
  return map->base + number * map->u.step;
#endif
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_blocked(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  // First, so that it is at once the copy of r that the multiplication leaves intact.
  int64_t words = AVRM_I_AVE_WORDS * r;
  AVRM_I_IN_REGISTER(words);
  const int64_t block = avrm_i_block_of(r, map->v.reciprocal);
  if (avrm_i_is_of_map(want)) {
    return avrm_i_number(map->pgid, map->offset + r + block * ((int64_t)map->stride - map->block), want);
  }
  return avrm_i_element(avrm_i_base_of_block(map, block) + (int64_t)sizeof(uint32_t) * words, want);
}

/// Returns `later` if the rank is in it or behind it, else `segment`. Of ?: clang makes a jump.
AVRM_INLINE_ALWAYS const avrm_segment_t *avrm_i_later(const avrm_segment_t *segment, const avrm_segment_t *later,
                                                      int64_t r) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  __asm__("{cmpl %[first], %k[r]|cmp %k[r], %[first]}\n\t"
          "{cmovaeq %[later], %[segment]|cmovae %[segment], %[later]}"
          : [segment] "+r"(segment)
          : [later] "r"(later), [r] "r"(r), [first] "m"(later->first)
          : "cc");
  return segment;
#else
  return segment + ((later - segment) & (0 - (ptrdiff_t)(later->first <= (uint64_t)r)));
#endif
}

/// The segment of a rank: that in which its stretch begins, or the next one. If some stretch has
/// more, a search halves them without a branch that depends on the rank.
AVRM_INLINE_ALWAYS const avrm_segment_t *avrm_i_segment_of(const avrm_rankmap_t *map, int64_t r) AVRM_NOEXCEPT {
  const uint32_t *const stretch = map->v.directory + ((uint32_t)r >> (map->stride & 31));
  const avrm_segment_t *segment = (const avrm_segment_t *)(const void *)((const char *)map->v.directory + stretch[0]);
  if (AVRM_LIKELY(map->stride >= 0)) {
    return avrm_i_later(segment, segment + 1, r);
  }
  for (uint64_t more = (stretch[1] - stretch[0]) / sizeof *segment; more != 0; more /= 2) {
    segment = avrm_i_later(segment, segment + (more + 1) / 2, r);
  }
  return segment;
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_segments(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  // So that this case's use of registers costs the others no instruction.
  map = avrm_i_address_of(map);
  const avrm_segment_t *const segment = avrm_i_segment_of(map, r);
  const int64_t lpid = segment->start + (uint32_t)r * segment->stride;
  if (avrm_i_is_of_map(want)) {
    return avrm_i_number_in_slot(map, segment->slot, lpid, want);
  }
  const char *const table = ((const char *const *)(const void *)map->base)[segment->slot];
  return avrm_i_element(table + AVRM_I_AVE_BYTES * lpid, want);
}

/// value * factor, one of which is below 2^31: returns the low 64 bits, and in *bytes_p the high
/// ones times step.
AVRM_INLINE_ALWAYS uint64_t avrm_i_coordinate(uint64_t value, const avrm_cart_t *dimension,
                                              uint64_t *bytes_p) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  // From a product of 128 bits gcc makes copies of both halves, and is short of a register then.
  uint64_t high;
  __asm__("{mulq %2|mul " AVRM_I_QWORD "%2}\n\t"
          "{imulq %3, %1|imul %1, " AVRM_I_QWORD "%3}"
          : "+&a"(value), "=&d"(high)
          : "m"(dimension->factor), "m"(dimension->step)
          : "cc");
  *bytes_p = high;
  return value;
#elif defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 avrm_i_u128;
  const avrm_i_u128 product = (avrm_i_u128)value * dimension->factor;
  *bytes_p = (uint64_t)(product >> 64) * dimension->step;
  return (uint64_t)product;
#else
  const uint64_t narrow = value >> 31 == 0 ? value : dimension->factor;
  const uint64_t wide = value >> 31 == 0 ? dimension->factor : value;
  *bytes_p = (uint64_t)avrm_i_block_of((int64_t)narrow, wide) * dimension->step;
  return narrow * wide;
#endif
}

/// sum + bytes, before the next multiplication needs the register that `bytes` is in.
AVRM_INLINE_ALWAYS uint64_t avrm_i_plus(uint64_t sum, uint64_t bytes) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  __asm__("{addq %1, %0|add %0, %1}" : "+r"(sum) : "r"(bytes) : "cc");
  return sum;
#else
  return sum + bytes;
#endif
}

/// `bytes` is 12 times the lpid; 0xaaaaaaab is the inverse of 3 modulo 2^32.
AVRM_INLINE_ALWAYS uint64_t avrm_i_cart_number(const avrm_rankmap_t *map, uint64_t bytes,
                                               avrm_i_want_t want) AVRM_NOEXCEPT {
  return avrm_i_number(map->pgid, (uint32_t)map->offset + (uint32_t)(bytes >> 2) * 0xaaaaaaabu, want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_cart_3d(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const avrm_cart_t *const dimension = map->v.cart;
  uint64_t first;
  uint64_t second;
  uint64_t bytes = (uint64_t)r * (uint64_t)map->u.step;
  AVRM_I_IN_REGISTER(bytes); // as for blocked
  const uint64_t fraction = avrm_i_coordinate((uint64_t)r, dimension, &first);
  bytes = avrm_i_plus(bytes, first);
  avrm_i_coordinate(fraction, dimension + 1, &second);
  if (avrm_i_is_of_map(want)) {
    return avrm_i_cart_number(map, bytes + second, want);
  }
  const char *base = map->base + (int64_t)bytes;
  AVRM_I_IN_REGISTER(base);
  return avrm_i_element(base + (int64_t)second, want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_cart(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  map = avrm_i_address_of(map); // as for segments
  const avrm_cart_t *dimension = map->v.cart;
  const avrm_cart_t *const end = dimension + (map->block - 1);
  uint64_t bytes = (uint64_t)r * (uint64_t)map->u.step;
  uint64_t fraction = (uint64_t)r;
  for (; dimension != end; ++dimension) {
    uint64_t added;
    fraction = avrm_i_coordinate(fraction, dimension, &added);
    bytes += added;
  }
  if (avrm_i_is_of_map(want)) {
    return avrm_i_cart_number(map, bytes, want);
  }
  return avrm_i_element(map->base + (int64_t)bytes, want);
}

/// The address word by an affine map over an implicit AV. Returns false in the hole.
AVRM_INLINE_ALWAYS bool avrm_i_implicit_word(const avrm_rankmap_t *map, int64_t r, uint64_t *word_p) AVRM_NOEXCEPT {
  const uint64_t word = (uintptr_t)map->base + (uint64_t)r * (uint64_t)map->u.step;
  *word_p = word;
  return AVRM_LIKELY(!avrm_i_is_in_hole(map->v.line, word));
}

/// The same of a lut. It reads only the table of lpids and the line.
AVRM_INLINE_ALWAYS bool avrm_i_implicit_lut_word(const avrm_rankmap_t *map, int64_t r, uint64_t *word_p) AVRM_NOEXCEPT {
  return avrm_i_word_on((const avrm_line_t *)(const void *)map->base, map->v.lut[r], word_p);
}

/// The one mode switch, over all forms.
AVRM_INLINE_ALWAYS uint64_t avrm_i_translate_all(const avrm_rankmap_t *map, int32_t rank,
                                                 avrm_i_want_t want) AVRM_NOEXCEPT {
  uint64_t word;
  const avrm_class_t klass = avrm_i_class(map);
  if (AVRM_LIKELY(klass == AVRM_CLASS_AFFINE)) {
    return avrm_i_affine(map, rank, want);
  }
  switch (klass) {
  case AVRM_CLASS_AFFINE: AVRM_UNREACHABLE();
  case AVRM_CLASS_LUT: return avrm_i_lut(map, rank, want);
  case AVRM_CLASS_MLUT: return avrm_i_mlut(map, rank, want);
  case AVRM_CLASS_BLOCKED: return avrm_i_blocked(map, rank, want);
  case AVRM_CLASS_SEGMENTS: return avrm_i_segments(map, rank, want);
  case AVRM_CLASS_CART_3D: return avrm_i_cart_3d(map, rank, want);
  case AVRM_CLASS_CART: return avrm_i_cart(map, rank, want);
  case AVRM_CLASS_IMPLICIT:
    if (avrm_i_is_of_map(want)) {
      return avrm_i_affine(map, rank, want);
    }
    if (want == AVRM_I_WANT_WORD && avrm_i_implicit_word(map, rank, &word)) {
      return word;
    }
    break;
  case AVRM_CLASS_IMPLICIT_LUT:
    if (avrm_i_is_of_map(want)) {
      return avrm_i_lut(map, rank, want);
    }
    if (want == AVRM_I_WANT_WORD && avrm_i_implicit_lut_word(map, rank, &word)) {
      return word;
    }
    break;
  case AVRM_CLASS_IMPLICIT_BLOCKED:
  case AVRM_CLASS_IMPLICIT_CART:
  case AVRM_CLASS_IMPLICIT_MLUT:
  case AVRM_CLASS_IMPLICIT_SEGMENTS:
  case AVRM_CLASS_THROUGH: break;
  }
  return avrm_i_call(avrm_i_address_of(map), rank, want);
}

/// Every translation is this function with another `want`. Each case fetches the element, because a
/// load after the branches would take an instruction of its own for its address.
/// @param forms  one of AVRM_FORMS_NONE .. AVRM_FORMS_ALL: what is inline
AVRM_INLINE_ALWAYS uint64_t avrm_i_translate(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want,
                                             int forms) AVRM_NOEXCEPT {
  if (forms == AVRM_FORMS_NONE) {
    return avrm_i_call(map, rank, want);
  }
  if (forms == AVRM_FORMS_AFFINE) {
    return AVRM_I_NEARLY_ALWAYS(avrm_i_klass(map) == AVRM_CLASS_AFFINE) ? avrm_i_affine(map, rank, want)
                                                                        : avrm_i_call(map, rank, want);
  }
  if (forms == AVRM_FORMS_ALL) {
    return avrm_i_translate_all(map, rank, want);
  }
  if (AVRM_LIKELY(avrm_i_klass(map) == AVRM_CLASS_AFFINE)) {
    return avrm_i_affine(map, rank, want);
  }
  return AVRM_I_NEARLY_ALWAYS(avrm_i_is_lut(map)) ? avrm_i_lut(map, rank, want)
                                                  : avrm_i_call(avrm_i_address_of(map), rank, want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_rankmap_word(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return avrm_i_translate(map, rank, AVRM_I_WANT_WORD, AVRM_FORMS_INLINE);
}

AVRM_INLINE_ALWAYS const avrm_ave_t *avrm_rankmap_ave(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  const uintptr_t place = avrm_i_translate(map, rank, AVRM_I_WANT_AVE, AVRM_FORMS_INLINE);
  return (const avrm_ave_t *)place;
}

AVRM_INLINE_ALWAYS uint32_t avrm_rankmap_node(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return (uint32_t)avrm_i_translate(map, rank, AVRM_I_WANT_NODE, AVRM_FORMS_INLINE);
}

AVRM_INLINE_ALWAYS avrm_gpid_t avrm_rankmap_gpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return avrm_i_gpid(avrm_i_translate(map, rank, AVRM_I_WANT_GPID, AVRM_FORMS_INLINE));
}

AVRM_INLINE_ALWAYS int32_t avrm_rankmap_lpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return (int32_t)(uint32_t)avrm_i_translate(map, rank, AVRM_I_WANT_LPID, AVRM_FORMS_INLINE);
}

AVRM_INLINE int32_t avrm_rankmap_size(const avrm_rankmap_t *map) AVRM_NOEXCEPT { return map->size; }

AVRM_END_DECLS

#endif
