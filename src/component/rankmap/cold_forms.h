// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The forms of the cold call on x86-64, as macros of assembly for cold_stubs.cpp. The bodies are
// those of rankmap_inl.h.
//
// A form has the map in r10 and the rank in rax, and may use rax, rcx, rdx and r10. A rank is not
// negative, so 32 bits of rax are the same as 64. avrm_with_free lends one register more.
//   .Lfastpath  0: inline code, 1: isends of the fast path, 2: puts of the fast path. There the
//               rank is in r11, too, and the result goes to rdx instead of rax.
//   .Lof_map    1 if gpids or lpids are wanted, not words, AVEs or nodes
#ifndef AVRANKMAP_SRC_RANKMAP_COLD_FORMS_H
#define AVRANKMAP_SRC_RANKMAP_COLD_FORMS_H

#include <cstddef>

#include "avrankmap/rankmap.h"

#if AVRM_I_ASM_CALL

// The numbers below.
static_assert(offsetof(avrm_rankmap_t, v) == 0 && offsetof(avrm_rankmap_t, klass) == 8 &&
              offsetof(avrm_rankmap_t, base) == 16 && offsetof(avrm_rankmap_t, u) == 24 &&
              offsetof(avrm_rankmap_t, pgid) == 32 && offsetof(avrm_rankmap_t, offset) == 36 &&
              offsetof(avrm_rankmap_t, stride) == 40 && offsetof(avrm_rankmap_t, block) == 44);
static_assert(offsetof(avrm_pair_t, slot) == 4 && sizeof(avrm_pair_t) == 8 && offsetof(avrm_cart_t, step) == 8 &&
              sizeof(avrm_cart_t) == 16 && offsetof(avrm_segment_t, start) == 4 &&
              offsetof(avrm_segment_t, stride) == 8 && offsetof(avrm_segment_t, slot) == 12 &&
              sizeof(avrm_segment_t) == 16 && sizeof(avrm_ave_t) == 12);
static_assert(offsetof(avrm_line_t, word) == 0 && offsetof(avrm_line_t, step) == 8 &&
              offsetof(avrm_line_t, origin) == 16 && offsetof(avrm_line_t, factor) == 24 &&
              offsetof(avrm_line_t, limit) == 32);

__asm__(R"(
  # Fields of a map.
  .set .Lv, 0
  .set .Lklass, 8
  .set .Lbase, 16
  .set .Lu, 24
  .set .Lpgid, 32
  .set .Loffset, 36
  .set .Lstride, 40
  .set .Lblock, 44

  # Fields of a line.
  .set .Lstep, 8
  .set .Lorigin, 16
  .set .Lfactor, 24
  .set .Llimit, 32

  .macro avrm_save name
    pushq %\name
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset \name, 0
  .endm

  .macro avrm_restore name
    popq %\name
    .cfi_adjust_cfa_offset -8
    .cfi_restore \name
  .endm
  # ---- ends of forms. .Lof_map is 1 if gpids or lpids are wanted ----
  .macro avrm_result place:vararg
    .if .Lfastpath
      movq \place, %rdx
    .else
      .ifnc \place, %rax
        movq \place, %rax
      .endif
    .endif
  .endm
  .macro avrm_element want, place:vararg
    .ifc \want, word
      avrm_result \place
    .endif
    .ifc \want, ave
      leaq \place, %rax
    .endif
    .ifc \want, node
      movl 8\place, %eax
    .endif
  .endm
  # eax is an lpid in the table that rcx points to.
  .macro avrm_element_of_table want
    leaq (%rax, %rax, 2), %rax
    avrm_element \want, (%rcx, %rax, 4)
  .endm
  # eax is an lpid in the map's process group.
  .macro avrm_process want
    .ifc \want, gpid
      movl .Lpgid(%r10), %ecx
      shlq $32, %rax
      orq %rcx, %rax
    .endif
  .endm
  # eax is an lpid in the process group of slot rdx. For the form "line" both stay as they are.
  .macro avrm_in_slot want
    .ifc \want, line
      .exitm
    .endif
    .if .Lof_map
      .ifc \want, gpid
        movq .Lu(%r10), %rcx
        movl (%rcx, %rdx, 4), %ecx
        shlq $32, %rax
        orq %rcx, %rax
      .endif
    .else
      movq .Lbase(%r10), %rcx
      movq (%rcx, %rdx, 8), %rcx
      avrm_element_of_table \want
    .endif
  .endm

  # ---- forms ----

  .macro avrm_affine want
    .if .Lof_map
      imull .Lstride(%r10), %eax
      addl .Loffset(%r10), %eax
      avrm_process \want
    .else
      imulq .Lu(%r10), %rax
      movq .Lbase(%r10), %rcx
      avrm_element \want, (%rcx, %rax)
    .endif
  .endm

  .macro avrm_lut want
    movq .Lv(%r10), %rcx
    movl (%rcx, %rax, 4), %eax
    .if .Lof_map
      avrm_process \want
    .else
      movq .Lbase(%r10), %rcx
      avrm_element_of_table \want
    .endif
  .endm

  .macro avrm_mlut want
    movq .Lv(%r10), %rcx
    movl 4(%rcx, %rax, 8), %edx
    movl (%rcx, %rax, 8), %eax
    avrm_in_slot \want
  .endm

  .macro avrm_blocked want
    movq %rax, %rcx
    mulq .Lv(%r10)
    .if .Lof_map
      movl .Lstride(%r10), %eax
      subl .Lblock(%r10), %eax
      imull %edx, %eax
      addl %ecx, %eax
      addl .Loffset(%r10), %eax
      avrm_process \want
    .else
      imulq .Lu(%r10), %rdx
      addq .Lbase(%r10), %rdx
      leaq (%rcx, %rcx, 2), %rcx
      avrm_element \want, (%rdx, %rcx, 4)
    .endif
  .endm

  # There are 12 bytes to an lpid, and -0x55555555 is the inverse of 3 modulo 2^32.
  .macro avrm_lpid_of_bytes bytes
    shrq $2, %\bytes
    imulq $-0x55555555, %\bytes, %rax
    addl .Loffset(%r10), %eax
  .endm
  # The sum of bytes in \sum, minus those of the dimensions that follow in r10.
  .macro avrm_cart_by want, sum
    movq .Lu(%r10), %\sum
    imulq %rax, %\sum
    .if .Lof_map
      avrm_save r10
    .else
      addq .Lbase(%r10), %\sum
    .endif
    movq .Lv(%r10), %rcx
    movl .Lblock(%r10), %r10d
    decl %r10d
    shll $4, %r10d
    addq %r10, %rcx
    negq %r10
  1:
    mulq (%rcx, %r10)
    imulq 8(%rcx, %r10), %rdx
    addq %rdx, %\sum
    addq $16, %r10
    jne 1b
    .if .Lof_map
      avrm_restore r10
      avrm_lpid_of_bytes \sum
      avrm_process \want
    .else
      avrm_element \want, (%\sum)
    .endif
  .endm
  .macro avrm_cart want
    avrm_with_free avrm_cart_by, \want
  .endm

  # The rank, where rax has had another number.
  .macro avrm_rank_again
    .if .Lfastpath
      movl %r11d, %eax
    .else
      avrm_restore rax
    .endif
  .endm
  .macro avrm_segments_by want, at
    movq .Lv(%r10), %rdx
    movl .Lstride(%r10), %ecx
    .if .Lfastpath == 0
      avrm_save rax
    .endif
    shrl %cl, %eax
    movslq (%rdx, %rax, 4), %\at
    testl %ecx, %ecx
    jns 2f
    movl 4(%rdx, %rax, 4), %ecx
    subl (%rdx, %rax, 4), %ecx
    addq %rdx, %\at
    .cfi_remember_state
    avrm_rank_again
    movl %ecx, %edx
    shrl $4, %edx
    je 3f
  1: # The segment is that in \at or one of the edx next ones.
    leaq 8(, %rdx, 8), %rcx
    andq $-16, %rcx
    addq %\at, %rcx
    cmpl (%rcx), %eax
    cmovaeq %rcx, %\at
    shrl %edx
    jne 1b
    jmp 3f
    .cfi_restore_state
    .if .Lfastpath == 0
      avrm_at_depth 16
    .endif
  2:
    addq %rdx, %\at
    avrm_rank_again
    leaq 16(%\at), %rcx
    cmpl (%rcx), %eax
    cmovaeq %rcx, %\at
  3:
    imull 8(%\at), %eax
    addl 4(%\at), %eax
    movl 12(%\at), %edx
  .endm
  .macro avrm_segments want
    avrm_with_free avrm_segments_by, \want
    avrm_in_slot \want
  .endm

  # ---- forms over implicit AVs: words on a line, or by a call of the AV ----

  .macro avrm_implicit want
    movq .Lv(%r10), %rdx
    movq %rax, %rcx
    imulq .Lu(%r10), %rax
    addq .Lbase(%r10), %rax
    avrm_save rsi
    movq %rax, %rsi
    subq .Lorigin(%rdx), %rsi
    imulq .Lfactor(%rdx), %rsi
    cmpq .Llimit(%rdx), %rsi
    avrm_restore rsi
    jb 9f
    avrm_result %rax
    avrm_return
  9:
    movl %ecx, %eax
    avrm_ask 0
  .endm

  # Computes a word on the line that rcx points to, and goes to 9 if it is in the hole.
  .macro avrm_word_on_line check, word
    movq .Lstep(%rcx), %\word
    imulq %rax, %\word
    addq (%rcx), %\word
    movq %\word, %\check
    subq .Lorigin(%rcx), %\check
    imulq .Lfactor(%rcx), %\check
    cmpq .Llimit(%rcx), %\check
    jb 9f
    avrm_result %\word
  .endm
  # eax is an lpid on the line that rcx points to, in slot rdx if the map has slots.
  .macro avrm_on_line slots
    .set .Lsaved, 0
    .if .Lfastpath == 0 || \slots
      avrm_save rdi
      .set .Lsaved, 8
    .endif
    .if .Lfastpath == 0
      avrm_save rsi
      .set .Lsaved, 16
      avrm_word_on_line rdi, rsi
    .elseif \slots
      avrm_with_free avrm_word_on_line, rdi
    .else
      avrm_with_free avrm_word_on_line, rdx
    .endif
    .cfi_remember_state
    avrm_restore_line
    avrm_return
    .cfi_restore_state
    avrm_at_depth .Lsaved
  9:
    avrm_restore_line
    .if \slots
      movq .Lu(%r10), %rcx
      movl (%rcx, %rdx, 4), %ecx
    .else
      movl .Lpgid(%r10), %ecx
    .endif
    shlq $32, %rax
    orq %rcx, %rax
    avrm_ask 5 # of a process, not a rank
  .endm
  .macro avrm_restore_line
    .if .Lsaved == 16
      avrm_restore rsi
    .endif
    .if .Lsaved
      avrm_restore rdi
    .endif
  .endm

  # A form whose end is that of lpids, and the line of its AV.
  .macro avrm_line_of form
    .set .Lof_map, 1
    avrm_\form lpid
    .set .Lof_map, 0
    movq .Lbase(%r10), %rcx
    avrm_on_line 0
  .endm

  # A cart of three dimensions without the loop.
  .macro avrm_line_of_cart_3d
    cmpl $3, .Lblock(%r10)
    jne 7f
    avrm_with_free avrm_cart_3d_lpid
    movq .Lbase(%r10), %rcx
    avrm_on_line 0
  7:
  .endm
  .macro avrm_cart_3d_lpid unused, sum
    movq .Lv(%r10), %rcx
    movq .Lu(%r10), %\sum
    imulq %rax, %\sum
    mulq (%rcx)
    imulq 8(%rcx), %rdx
    addq %rdx, %\sum
    mulq 16(%rcx)
    imulq 24(%rcx), %rdx
    addq %rdx, %\sum
    avrm_lpid_of_bytes \sum
  .endm

  # The same with slots, each of which has a table or a line, whose address is odd.
  .macro avrm_line_in form
    avrm_\form line
    movq .Lbase(%r10), %rcx
    movq (%rcx, %rdx, 8), %rcx
    testb $1, %cl
    jne 8f
    avrm_element_of_table word
    avrm_return
  8:
    decq %rcx
    avrm_on_line 1
  .endm

  # By a call of avrm_i_ask. The stack need not be aligned, since nothing behind this uses vectors.
  .macro avrm_ask number
    .cfi_remember_state
    avrm_save rsi
    avrm_save rdi
    avrm_save r8
    avrm_save r9
    pushq %r11
    .cfi_adjust_cfa_offset 8
    .if .Lfastpath
      .cfi_rel_offset r11, 0
    .else
      .cfi_rel_offset rip, 0
    .endif
    movq %r10, %rdi
    movq %rax, %rsi
    movl $\number, %edx
    call avrm_i_ask
    avrm_result %rax
    popq %r11
    .cfi_adjust_cfa_offset -8
    .if .Lfastpath
      .cfi_restore r11
    .else
      .cfi_register rip, r11
    .endif
    avrm_restore r9
    avrm_restore r8
    avrm_restore rdi
    avrm_restore rsi
    avrm_return
    .cfi_restore_state
    avrm_at_depth 0
  .endm
)");

#endif

#endif
