// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The address words of the fast path (fastpath_inl.h): translation in the registers that the rest
// of the path leaves, for maps of every form and for ranks of the world.
#ifndef AVRANKMAP_DEVICE_FASTPATH_WORD_INL_H
#define AVRANKMAP_DEVICE_FASTPATH_WORD_INL_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

/// Class of a map, for the switch of the fast path: the first comparisons of avrm_i_class. Affine
/// maps take the first jump, and the forms of later comparisons are served by the cold call.
AVRM_INLINE_ALWAYS avrm_class_t avrm_i_fp_class(const avrm_rankmap_t *map) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  static_assert(AVRM_CLASS_AFFINE == 0 && AVRM_CLASS_BLOCKED == 0x0c && AVRM_CLASS_CART == 0x24, "the numbers below");
  __asm__ goto("{cmpb $0x0c, %0|cmp " AVRM_I_BYTE "%0, 0x0c}\n\t"
               "jb %l[affine]\n\t"
               "jnp %l[cart_3d]\n\t"
               "js %l[lut]\n\t"
               "jo %l[mlut]\n\t"
               "je %l[blocked]\n\t"
               "{cmpb $0x24, %0|cmp " AVRM_I_BYTE "%0, 0x24}\n\t"
               "jb %l[implicit]"
               :
               : "m"(map->klass)
               : "cc"
               : affine, lut, mlut, cart_3d, blocked, implicit);
  return AVRM_CLASS_THROUGH; // or another that is not inline
affine:
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
#else
  return (avrm_class_t)avrm_i_klass(map);
#endif
}

#if AVRM_I_ASM_CALL
// The cold call in the conventions of the fast path, whose arguments are in all other registers
// that need not be kept: the map is in r8 for isends and in r9 for puts, the rank in r11, the
// address to return to in rax, the result in rdx. rax, the map's register and the flags are lost,
// all else is kept.
AVRM_I_HIDDEN void avrm_i_fp_cold_isend(void) AVRM_NOEXCEPT;
AVRM_I_HIDDEN void avrm_i_fp_cold_put(void) AVRM_NOEXCEPT;

static_assert(offsetof(avrm_rankmap_t, v) == 0 && offsetof(avrm_rankmap_t, base) == 16 &&
                  offsetof(avrm_rankmap_t, u) == 24 && offsetof(avrm_rankmap_t, stride) == 40 &&
                  offsetof(avrm_cart_t, step) == 8 && sizeof(avrm_cart_t) == 16,
              "the numbers in the assembly below");

// Code of a form that needs more registers than there are, for which a compiler would save some on
// the stack on every path. It has the map in %[map], which is r8 for isends and r9 for puts, the
// rank in r11, which it leaves as it was, and %[aside], a vector register, to put something aside.
// The result goes to %[word], which is rdx.
#define AVRM_I_FP_ASM(code)                                                                                            \
  uint64_t word;                                                                                                       \
  register int64_t in_r11 __asm__("r11") = rank;                                                                       \
  double aside;                                                                                                        \
  if (to_rdx) {                                                                                                        \
    register uint64_t in_r8 __asm__("r8") = (uintptr_t)map;                                                            \
    __asm__ volatile(code                                                                                              \
                     : [word] "=&d"(word), [map] "+r"(in_r8), [aside] "=&x"(aside)                                     \
                     : "r"(in_r11), [cold] "i"(avrm_i_fp_cold_isend)                                                   \
                     : "rax", "cc", "memory");                                                                         \
    return word;                                                                                                       \
  }                                                                                                                    \
  register uint64_t in_r9 __asm__("r9") = (uintptr_t)map;                                                              \
  __asm__ volatile(code                                                                                                \
                   : [word] "=&d"(word), [map] "+r"(in_r9), [aside] "=&x"(aside)                                       \
                   : "r"(in_r11), [cold] "i"(avrm_i_fp_cold_put)                                                       \
                   : "rax", "cc", "memory");                                                                           \
  return word
#endif

/// A rank in r11, for the code above. Without it gcc moves it there and back, and saves registers.
AVRM_INLINE_ALWAYS int64_t avrm_i_fp_rank(int64_t rank) AVRM_NOEXCEPT {
#if AVRM_I_ASM_CALL
  register int64_t in_r11 __asm__("r11") = rank;
  __asm__("" : "+r"(in_r11));
  return in_r11;
#else
  return rank;
#endif
}

/// Returns the address word of a map of any class by a call; or 0, "not connected", where no call
/// keeps registers: the general path translates again then.
AVRM_INLINE_ALWAYS uint64_t avrm_i_fp_call(const avrm_rankmap_t *map, int64_t rank, bool to_rdx) AVRM_NOEXCEPT {
#if AVRM_I_ASM_CALL
  AVRM_I_FP_ASM("{leaq 7263f(%%rip), %%rax|lea rax, [rip + 7263f]}\n\t"
                "jmp %P[cold]\n"
                "7263:");
#else
  return (void)map, (void)rank, (void)to_rdx, (uint64_t)0;
#endif
}

/// Of three dimensions. Puts the rank aside.
AVRM_INLINE_ALWAYS uint64_t avrm_i_fp_cart_3d(const avrm_rankmap_t *map, int64_t rank, bool to_rdx) AVRM_NOEXCEPT {
#if AVRM_I_ASM_CALL
  AVRM_I_FP_ASM("movq %%r11, %[aside]\n\t"
                "{movq %%r11, %%rax|mov rax, r11}\n\t"
                "{imulq 24(%[map]), %%r11|imul r11, qword ptr [%[map] + 24]}\n\t"
                "{addq 16(%[map]), %%r11|add r11, qword ptr [%[map] + 16]}\n\t"
                "{movq (%[map]), %[map]|mov %[map], qword ptr [%[map]]}\n\t"
                "{mulq (%[map])|mul qword ptr [%[map]]}\n\t"
                "{imulq 8(%[map]), %%rdx|imul rdx, qword ptr [%[map] + 8]}\n\t"
                "{addq %%rdx, %%r11|add r11, rdx}\n\t"
                "{mulq 16(%[map])|mul qword ptr [%[map] + 16]}\n\t"
                "{imulq 24(%[map]), %%rdx|imul rdx, qword ptr [%[map] + 24]}\n\t"
                "{movq (%%r11, %%rdx), %[word]|mov %[word], qword ptr [r11 + rdx]}\n\t"
                "movq %[aside], %%r11");
#else
  return (void)to_rdx, avrm_i_cart_3d(map, rank, AVRM_I_WANT_WORD);
#endif
}

/// The same where the rank is not needed any more, in any registers.
AVRM_INLINE_ALWAYS uint64_t avrm_i_fp_cart_3d_anywhere(const avrm_rankmap_t *map, int64_t rank) AVRM_NOEXCEPT {
#if AVRM_I_ASM_CALL
  uint64_t word;
  __asm__("{movq %[rank], %%rax|mov rax, %[rank]}\n\t"
          "{imulq 24(%[map]), %[rank]|imul %[rank], qword ptr [%[map] + 24]}\n\t"
          "{addq 16(%[map]), %[rank]|add %[rank], qword ptr [%[map] + 16]}\n\t"
          "{movq (%[map]), %[map]|mov %[map], qword ptr [%[map]]}\n\t"
          "{mulq (%[map])|mul qword ptr [%[map]]}\n\t"
          "{imulq 8(%[map]), %%rdx|imul rdx, qword ptr [%[map] + 8]}\n\t"
          "{addq %%rdx, %[rank]|add %[rank], rdx}\n\t"
          "{mulq 16(%[map])|mul qword ptr [%[map] + 16]}\n\t"
          "{imulq 24(%[map]), %%rdx|imul rdx, qword ptr [%[map] + 24]}\n\t"
          "{movq (%[rank], %%rdx), %[word]|mov %[word], qword ptr [%[rank] + rdx]}"
          : [word] "=&d"(word), [map] "+r"(map), [rank] "+r"(rank)
          :
          : "rax", "cc", "memory");
  return word;
#else
  return avrm_i_cart_3d(map, rank, AVRM_I_WANT_WORD);
#endif
}

/// As avrm_i_blocked, but the rank survives, so the multiplication needs no copy of it.
AVRM_INLINE_ALWAYS uint64_t avrm_i_fp_blocked(const avrm_rankmap_t *map, int64_t rank) AVRM_NOEXCEPT {
  const char *const base = avrm_i_base_of_block(map, avrm_i_block_of(rank, map->v.reciprocal));
  int64_t words = AVRM_I_AVE_WORDS * rank;
  AVRM_I_IN_REGISTER(words);
  return avrm_i_element(base + (int64_t)sizeof(uint32_t) * words, AVRM_I_WANT_WORD);
}

/// The address word of a rank, not yet in its register. All forms but those of the commonest maps
/// are behind a call.
AVRM_INLINE_ALWAYS uint64_t avrm_i_fp_word_anywhere(const avrm_rankmap_t *const *map_p, int64_t rank, bool to_rdx,
                                                    bool pinned) AVRM_NOEXCEPT {
  const avrm_rankmap_t *const map = *map_p;
  uint64_t word;
  const avrm_class_t klass = avrm_i_fp_class(map);
  if (!pinned && AVRM_LIKELY(klass == AVRM_CLASS_AFFINE)) {
    return avrm_i_affine(map, rank, AVRM_I_WANT_WORD);
  }
  switch (klass) {
  case AVRM_CLASS_AFFINE: return avrm_i_affine(map, rank, AVRM_I_WANT_WORD);
  case AVRM_CLASS_LUT: return avrm_i_lut(map, rank, AVRM_I_WANT_WORD);
  case AVRM_CLASS_MLUT: return avrm_i_mlut(map, rank, AVRM_I_WANT_WORD);
  case AVRM_CLASS_BLOCKED: return avrm_i_fp_blocked(map, rank);
  case AVRM_CLASS_CART_3D:
    if (pinned) {
      return avrm_i_fp_cart_3d(map, rank, to_rdx);
    }
    if (!to_rdx) { // puts would have to save registers in all cases
      break;
    }
    return avrm_i_fp_cart_3d_anywhere(map, rank);
  case AVRM_CLASS_IMPLICIT:
    if (avrm_i_implicit_word(map, rank, &word)) {
      return word;
    }
    return avrm_i_fp_call(*(const avrm_rankmap_t *const volatile *)map_p, rank, to_rdx);
  case AVRM_CLASS_IMPLICIT_LUT:
  case AVRM_CLASS_IMPLICIT_BLOCKED:
  case AVRM_CLASS_IMPLICIT_CART:
  case AVRM_CLASS_IMPLICIT_MLUT:
  case AVRM_CLASS_IMPLICIT_SEGMENTS:
  case AVRM_CLASS_SEGMENTS:
  case AVRM_CLASS_CART:
  case AVRM_CLASS_THROUGH: break;
  }
  return avrm_i_fp_call(map, rank, to_rdx);
}

/// Returns the address word of a rank, in the register of the handle in the network's function.
/// @param to_rdx  the handle is the third argument there, not the fifth
/// @param pinned  it is a function; else the network's code is inlined and has the word where it
///                wants
AVRM_INLINE_ALWAYS uint64_t avrm_i_fp_word(const avrm_rankmap_t *const *map_p, int64_t rank, bool to_rdx,
                                           bool pinned) AVRM_NOEXCEPT {
  uint64_t word = avrm_i_fp_word_anywhere(map_p, rank, to_rdx, pinned);
  if (!pinned) {
    return word;
  }
#if AVRM_I_ASM_CALL
  if (!to_rdx) {
    register uint64_t in_r8 __asm__("r8") = word;
    __asm__("" : "+r"(in_r8));
    return in_r8;
  }
  __asm__("" : "+d"(word));
#endif
  return word;
}

/// Returns the address word of a process of the own world from the table of AVEs.
AVRM_INLINE uint64_t avrm_i_fp_world_word(uintptr_t table, int64_t lpid, bool to_rdx) AVRM_NOEXCEPT {
  AVRM_I_IN_REGISTER(table); // without it gcc adds an instruction to compute the element's address
#if AVRM_I_ASM_DISPATCH
  // Never in the register of the lpid, which gcc would copy for it; for puts in rax, for the same.
  uint64_t words;
  if (to_rdx) {
    __asm__("{leaq (%1, %1, 2), %0|lea %0, [%1 + 2 * %1]}" : "=&r"(words) : "r"(lpid));
  } else {
    __asm__("{leaq (%1, %1, 2), %0|lea %0, [%1 + 2 * %1]}" : "=&a"(words) : "r"(lpid));
  }
  const uintptr_t ave = table + sizeof(uint32_t) * words;
#else
  const uintptr_t ave = table + (uintptr_t)(AVRM_I_AVE_BYTES * lpid);
  (void)to_rdx;
#endif
  return avrm_ave_word((const avrm_ave_t *)ave);
}

/// The same where the table is implicit. 0 in the hole, "not connected".
AVRM_INLINE_ALWAYS uint64_t avrm_i_fp_world_line(uintptr_t world, int64_t lpid) AVRM_NOEXCEPT {
#if AVRM_I_ASM_CALL
  // In registers that take part in nothing else, so that the other kind of AV has no moves.
  static_assert(offsetof(avrm_line_t, step) == 8 && offsetof(avrm_line_t, origin) == 16 &&
                    offsetof(avrm_line_t, factor) == 24 && offsetof(avrm_line_t, limit) == 32,
                "the numbers below, minus 1");
  __asm__ volatile("{movq %[word], %%r10|mov r10, %[word]}\n\t"
                   "{movq 7(%%r10), %[word]|mov %[word], qword ptr [r10 + 7]}\n\t"
                   "{imulq %[lpid], %[word]|imul %[word], %[lpid]}\n\t"
                   "{addq -1(%%r10), %[word]|add %[word], qword ptr [r10 - 1]}\n\t"
                   "{movq %[word], %%r11|mov r11, %[word]}\n\t"
                   "{subq 15(%%r10), %%r11|sub r11, qword ptr [r10 + 15]}\n\t"
                   "{imulq 23(%%r10), %%r11|imul r11, qword ptr [r10 + 23]}\n\t"
                   "{cmpq 31(%%r10), %%r11|cmp r11, qword ptr [r10 + 31]}\n\t"
                   "{sbbq %%r11, %%r11|sbb r11, r11}\n\t" // all bits in the hole, else none
                   "{notq %%r11|not r11}\n\t"
                   "{andq %%r11, %[word]|and %[word], r11}"
                   : [word] "+r"(world)
                   : [lpid] "r"(lpid)
                   : "r10", "r11", "cc", "memory");
  return world;
#else
  uint64_t word;
  return avrm_i_word_on(avrm_i_line_at(world), lpid, &word) ? word : 0;
#endif
}

AVRM_END_DECLS

#endif
