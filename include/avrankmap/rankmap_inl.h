// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of rankmap.h: the hot path. Look at the disassembly whenever you touch it;
// tests/rankmap/instructions_test.cc pins the counts.
//
// Why dispatch is written by hand on x86-64. A library that ends up in libmpi.so is
// position-independent. There a compiler lowers the switch below either to a jump table (5
// instructions before the case is reached) or to a chain of compares that first moves the mode into
// a register. The flags of a single comparison can tell five cases and the rest apart (signed less,
// equal, negative, not below, even or odd parity), but no compiler finds that. `asm goto` says it
// directly: one compare with memory and one conditional jump, which the affine modes do not take.
// The jumps that tell the others apart lie out of line, at the start of a cache line: across the
// end of one they cost a third of the issue rate (Emerald Rapids). The assembly changes nothing but
// the flags, and the compiler still sees one plain switch. Everywhere else compilers lower the
// switch as usual, with the same results.
//
// If a map has folded in an implicit AV, its class turns from IMPLICIT or IMPLICIT_LUT into THROUGH
// when the AV gets a table, perhaps between two of the comparisons. All three classes go on to the
// second comparison, and the latter two to the third, so the next comparison sees THROUGH.
#ifndef AVRANKMAP_RANKMAP_INL_H
#define AVRANKMAP_RANKMAP_INL_H

#include <string.h>

#include "avrankmap/rankmap.h"

#if defined(__clang__)
// In Intel syntax clang, unlike gcc, prints an operand without its size.
#define AVRM_I_BYTE "byte ptr "
#define AVRM_I_QWORD "qword ptr "
#else
#define AVRM_I_BYTE
#define AVRM_I_QWORD
#endif

AVRM_BEGIN_DECLS

AVRM_INLINE avrm_class_t avrm_i_class(const avrm_rankmap_t *map) AVRM_NOEXCEPT {
#if AVRM_I_ASM_DISPATCH
  __asm__ goto("{cmpb $0xf0, %0|cmp " AVRM_I_BYTE "%0, 0xf0}\n\t"
               "jge 7261f\n\t" // a numeric label that is not likely to be used around us
               ".subsection 1\n\t"
               ".p2align 6\n"
               "7261:\n\t"
               "je %l[lut]\n\t"
               "js %l[mlut]\n\t"
               "jae %l[cart_3d]\n\t"
               "jp %l[blocked]\n\t"
               "{cmpb $0x03, %0|cmp " AVRM_I_BYTE "%0, 0x03}\n\t"
               "je %l[packed_lut]\n\t"
               "jb %l[implicit]\n\t"
               "jp %l[packed_mlut]\n\t"
               "{cmpb $0x0a, %0|cmp " AVRM_I_BYTE "%0, 0x0a}\n\t"
               "je %l[segments]\n\t"
               "jb %l[cart]\n\t"
               ".balign 64, , 2\n\t" // else the next one would lie across the end of the line
               "jnp %l[implicit_lut]\n\t"
               "jmp %l[through]\n\t"
               ".previous"
               :
               : "m"(map->klass)
               : "cc"
               : lut, mlut, cart_3d, blocked, packed_lut, implicit, packed_mlut, segments, cart, through, implicit_lut);
  return AVRM_CLASS_AFFINE;
lut:
  return AVRM_CLASS_LUT;
mlut:
  return AVRM_CLASS_MLUT;
cart_3d:
  return AVRM_CLASS_CART_3D;
blocked:
  return AVRM_CLASS_BLOCKED;
packed_lut:
  return AVRM_CLASS_PACKED_LUT;
implicit:
  return AVRM_CLASS_IMPLICIT;
packed_mlut:
  return AVRM_CLASS_PACKED_MLUT;
segments:
  return AVRM_CLASS_SEGMENTS;
cart:
  return AVRM_CLASS_CART;
implicit_lut:
  // Without it gcc 12 takes an instruction more on the fast path, which does not have this case.
  AVRM_I_COLD_LABEL;
  return AVRM_CLASS_IMPLICIT_LUT;
through:
  AVRM_I_COLD_LABEL;
  return AVRM_CLASS_THROUGH;
#elif defined(__GNUC__)
  return (avrm_class_t)__atomic_load_n(&map->klass, __ATOMIC_RELAXED);
#else
  return (avrm_class_t)map->klass;
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
typedef enum avrm_i_want { AVRM_I_WANT_WORD, AVRM_I_WANT_AVE, AVRM_I_WANT_GPID, AVRM_I_WANT_NODE } avrm_i_want_t;

/// The translation out of line, for maps that call their AV: by the map's mode, then by the AV's
/// functions or its table.
uint64_t avrm_i_through_av(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) AVRM_NOEXCEPT;

// Registers that a function may change, beside the general ones.
#if defined(__AVX512F__)
#define AVRM_I_CLOBBERED_BY_CALLS                                                                                      \
  "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",     \
      "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",      \
      "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define AVRM_I_CLOBBERED_BY_CALLS                                                                                      \
  "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",     \
      "xmm13", "xmm14", "xmm15"
#endif

// A call in one case of the switch would make all cases save registers and align the stack. So a
// few lines of assembly make the call, which keep every register but the one of the result. The
// compiler knows no more of them than that.
AVRM_INLINE_ALWAYS uint64_t avrm_i_through(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) AVRM_NOEXCEPT {
#if AVRM_I_ASM_CALL
  uint64_t result;
  // The first instruction skips the red zone, which may be in use.
  __asm__ volatile("{leaq -128(%%rsp), %%rsp|lea rsp, [rsp - 128]}\n\t"
                   "push %q1\n\t"
                   "push %q2\n\t"
                   "push %3\n\t"
                   "call avrm_i_through_av_quietly\n\t"
                   "pop %q0\n\t"
                   "{leaq 144(%%rsp), %%rsp|lea rsp, [rsp + 144]}"
                   : "=r"(result)
                   : "r"(map), "r"(rank), "ri"((uint64_t)want)
                   : AVRM_I_CLOBBERED_BY_CALLS);
  return result;
#else
  return avrm_i_through_av(map, rank, want);
#endif
}

AVRM_INLINE uint64_t avrm_i_element(const char *ave, avrm_i_want_t want) AVRM_NOEXCEPT {
  const avrm_ave_t *const element = (const avrm_ave_t *)(const void *)ave;
  if (want == AVRM_I_WANT_AVE) {
    return (uint64_t)(uintptr_t)element;
  }
  if (want == AVRM_I_WANT_NODE) {
    return avrm_ave_node(element);
  }
  uint64_t word = avrm_ave_word(element);
  AVRM_I_IN_REGISTER(word); // otherwise clang moves the four loads behind the switch
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

AVRM_INLINE_ALWAYS uint64_t avrm_i_affine(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->pgid, map->offset + r * map->stride);
  }
  return avrm_i_element(map->base + r * map->u.step, want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_lut(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const int64_t lpid = map->v.lut[r];
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->pgid, lpid);
  }
  const char *base = map->base;
  AVRM_I_IN_REGISTER(base);
  return avrm_i_element(base + AVRM_I_AVE_BYTES * lpid, want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_mlut(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const char *tables = map->base;
  AVRM_I_IN_REGISTER(tables);
  // Two indexed loads. With one pointer to the pair gcc computes that pointer first, which is one
  // instruction more.
  const avrm_pair_t *const shifted = (const avrm_pair_t *)(const void *)((const char *)map->v.mlut + sizeof(uint32_t));
  const uint32_t slot = shifted[r].lpid;
  const int64_t lpid = map->v.mlut[r].lpid;
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->u.pgids[slot], lpid);
  }
  const char *table = ((const char *const *)(const void *)tables)[slot];
  AVRM_I_IN_REGISTER(table);
  return avrm_i_element(table + AVRM_I_AVE_BYTES * lpid, want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_blocked(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  // First, so that it is at once the copy of r that the multiplication leaves intact.
  int64_t words = AVRM_I_AVE_WORDS * r;
  AVRM_I_IN_REGISTER(words);
  const int64_t block = avrm_i_block_of(r, map->v.reciprocal);
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->pgid, map->offset + r + block * ((int64_t)map->stride - map->block));
  }
  const char *base = map->base + block * map->u.step;
  AVRM_I_IN_REGISTER(base);
  return avrm_i_element(base + (int64_t)sizeof(uint32_t) * words, want);
}

/// The segment of a rank. The search halves the segments without a branch that depends on the rank.
/// With a directory it searches those that begin in one stretch of 2^shift ranks, and one more.
AVRM_INLINE_ALWAYS const avrm_segment_t *avrm_i_segment_of(const avrm_rankmap_t *map, int64_t r) AVRM_NOEXCEPT {
  const avrm_segment_t *segment = map->v.segments;
  uint64_t count = (uint32_t)map->block;
  if (map->stride != 0) {
    const uint32_t *const stretch = (const uint32_t *)(const void *)(segment + count) + (r >> map->stride);
    segment += stretch[0];
    count = (uint64_t)stretch[1] - stretch[0] + 1;
  }
  while (count > 1) {
    const uint64_t half = count / 2;
    // With ?: clang makes a jump.
    segment += half & (0 - (uint64_t)(segment[half].first <= (uint64_t)r));
    count -= half;
  }
  return segment;
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_segments(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  // A copy, so that this case's use of registers costs the others no instruction.
  AVRM_I_IN_REGISTER(map);
  const avrm_segment_t *const segment = avrm_i_segment_of(map, r);
  const int64_t lpid = segment->start + (uint32_t)r * segment->stride;
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->u.pgids[segment->slot], lpid);
  }
  const char *const table = ((const char *const *)(const void *)map->base)[segment->slot];
  return avrm_i_element(table + AVRM_I_AVE_BYTES * lpid, want);
}

/// 64 bits from any address, the byte at the address lowest.
AVRM_INLINE_ALWAYS uint64_t avrm_i_load_little(const unsigned char *bytes) AVRM_NOEXCEPT {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/// Field of a rank of a packed mlut; the bits above it are those that follow in the table.
AVRM_INLINE_ALWAYS uint64_t avrm_i_packed_field(const avrm_rankmap_t *map, int64_t r) AVRM_NOEXCEPT {
  const uint64_t bit = (uint64_t)(r + map->block) * (uint64_t)map->stride;
  return avrm_i_load_little(map->v.packed + (bit >> 3)) >> (bit & 7);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_packed_slot(const avrm_rankmap_t *map, uint64_t field) AVRM_NOEXCEPT {
  const int slot_bits = map->stride - map->bits;
  return (field >> map->bits) & (((uint64_t)1 << slot_bits) - 1);
}

AVRM_INLINE_ALWAYS int64_t avrm_i_packed_lpid(const avrm_rankmap_t *map, uint64_t field) AVRM_NOEXCEPT {
  return map->offset + (int64_t)(field & (((uint64_t)1 << map->bits) - 1));
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_packed_lut(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  // One addition of an address in bits covers the table and the bit at which a part of it begins.
  const uint64_t bit = (uint64_t)r * (uint64_t)map->u.step + map->v.bit_address;
  uint32_t shift = (uint32_t)bit & 7;
  // First, so that the shift is the copy and the address stays in the register of the rank.
  AVRM_I_IN_REGISTER(shift);
  const uint64_t field = avrm_i_load_little((const unsigned char *)(uintptr_t)(bit >> 3)) >> shift;
  const int64_t lpid = (int64_t)((uint32_t)field & (uint32_t)map->stride);
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->pgid, map->offset + lpid);
  }
  const char *base = map->base;
  AVRM_I_IN_REGISTER(base);
  return avrm_i_element(base + AVRM_I_AVE_BYTES * lpid, want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_packed_mlut(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  AVRM_I_IN_REGISTER(map); // as for segments
  const uint64_t field = avrm_i_packed_field(map, r);
  const uint64_t slot = avrm_i_packed_slot(map, field);
  const int64_t lpid = avrm_i_packed_lpid(map, field);
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_process(map->u.pgids[slot], lpid);
  }
  return avrm_i_element(((const char *const *)(const void *)map->base)[slot] + AVRM_I_AVE_BYTES * lpid, want);
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

AVRM_INLINE_ALWAYS uint64_t avrm_i_cart_gpid(const avrm_rankmap_t *map, uint64_t bytes) AVRM_NOEXCEPT {
  return avrm_i_process(map->pgid, map->offset + (int64_t)bytes / AVRM_I_AVE_BYTES);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_cart_3d(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  const avrm_cart_t *const dimension = (const avrm_cart_t *)(const void *)(map + 1);
  uint64_t first;
  uint64_t second;
  uint64_t bytes = (uint64_t)r * (uint64_t)map->u.step;
  AVRM_I_IN_REGISTER(bytes); // as for blocked
  const uint64_t fraction = avrm_i_coordinate((uint64_t)r, dimension, &first);
  bytes = avrm_i_plus(bytes, first);
  avrm_i_coordinate(fraction, dimension + 1, &second);
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_cart_gpid(map, bytes + second);
  }
  const char *base = map->base + (int64_t)bytes;
  AVRM_I_IN_REGISTER(base);
  return avrm_i_element(base + (int64_t)second, want);
}

AVRM_INLINE_ALWAYS uint64_t avrm_i_cart(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  AVRM_I_IN_REGISTER(map); // as for segments
  const avrm_cart_t *dimension = (const avrm_cart_t *)(const void *)(map + 1);
  const avrm_cart_t *const end = dimension + (map->block - 1);
  uint64_t bytes = (uint64_t)r * (uint64_t)map->u.step;
  uint64_t fraction = (uint64_t)r;
  for (; dimension != end; ++dimension) {
    uint64_t added;
    fraction = avrm_i_coordinate(fraction, dimension, &added);
    bytes += added;
  }
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_cart_gpid(map, bytes);
  }
  return avrm_i_element(map->base + (int64_t)bytes, want);
}

/// An affine map all of whose processes are in one run of an implicit AV: the address word without
/// a load. While the map is bound only its class changes, never these fields, so a class that was
/// read before is as good as the new one.
AVRM_INLINE_ALWAYS uint64_t avrm_i_implicit(const avrm_rankmap_t *map, int64_t r, avrm_i_want_t want) AVRM_NOEXCEPT {
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_affine(map, r, want);
  }
  if (want == AVRM_I_WANT_WORD) {
    uint64_t word = (uint64_t)(uintptr_t)map->base + (uint64_t)r * (uint64_t)map->u.step;
    AVRM_I_IN_REGISTER(word);
    return word;
  }
  return avrm_i_through(map, (int32_t)r, want);
}

/// A lut all of whose processes are in the first run of an implicit AV: it reads only the table of
/// lpids.
AVRM_INLINE_ALWAYS uint64_t avrm_i_implicit_lut(const avrm_rankmap_t *map, int64_t r,
                                                avrm_i_want_t want) AVRM_NOEXCEPT {
  if (want == AVRM_I_WANT_GPID) {
    return avrm_i_lut(map, r, want);
  }
  if (want == AVRM_I_WANT_WORD) {
    const int64_t lpid = map->v.lut[r];
    uint64_t word = (uint64_t)(uintptr_t)map->base + (uint64_t)(lpid * map->u.line.step);
    AVRM_I_IN_REGISTER(word);
    return word;
  }
  return avrm_i_through(map, (int32_t)r, want);
}

/// The one mode switch. Every translation is this function with another `want`. Each case fetches
/// the element, because a load after the switch would take an instruction of its own for its
/// address.
AVRM_INLINE_ALWAYS uint64_t avrm_i_translate(const avrm_rankmap_t *map, int32_t rank,
                                             avrm_i_want_t want) AVRM_NOEXCEPT {
  switch (avrm_i_class(map)) {
  case AVRM_CLASS_AFFINE: return avrm_i_affine(map, rank, want);
  case AVRM_CLASS_LUT: return avrm_i_lut(map, rank, want);
  case AVRM_CLASS_MLUT: return avrm_i_mlut(map, rank, want);
  case AVRM_CLASS_BLOCKED: return avrm_i_blocked(map, rank, want);
  case AVRM_CLASS_SEGMENTS: return avrm_i_segments(map, rank, want);
  case AVRM_CLASS_IMPLICIT: return avrm_i_implicit(map, rank, want);
  case AVRM_CLASS_IMPLICIT_LUT: return avrm_i_implicit_lut(map, rank, want);
  case AVRM_CLASS_THROUGH: return avrm_i_through(map, rank, want);
  case AVRM_CLASS_CART_3D: return avrm_i_cart_3d(map, rank, want);
  case AVRM_CLASS_CART: return avrm_i_cart(map, rank, want);
  case AVRM_CLASS_PACKED_LUT: return avrm_i_packed_lut(map, rank, want);
  case AVRM_CLASS_PACKED_MLUT: return avrm_i_packed_mlut(map, rank, want);
  }
  AVRM_UNREACHABLE();
  return 0;
}

AVRM_INLINE_ALWAYS uint64_t avrm_rankmap_word(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return avrm_i_translate(map, rank, AVRM_I_WANT_WORD);
}

AVRM_INLINE_ALWAYS const avrm_ave_t *avrm_rankmap_ave(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return (const avrm_ave_t *)(uintptr_t)avrm_i_translate(map, rank, AVRM_I_WANT_AVE);
}

AVRM_INLINE_ALWAYS uint32_t avrm_rankmap_node(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return (uint32_t)avrm_i_translate(map, rank, AVRM_I_WANT_NODE);
}

AVRM_INLINE_ALWAYS avrm_gpid_t avrm_rankmap_gpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT {
  return avrm_i_gpid(avrm_i_translate(map, rank, AVRM_I_WANT_GPID));
}

AVRM_INLINE int32_t avrm_rankmap_size(const avrm_rankmap_t *map) AVRM_NOEXCEPT { return map->size; }

AVRM_END_DECLS

#endif
