// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cold call on x86-64, which inline code jumps to for forms that it has not inline. The bodies
// are those of rankmap_inl.h in assembly, since compilers know no convention that keeps the
// caller's registers and saves no more than a form uses.
//
// The map is in r10, the rank, then the result, in rax, the address to return to in r11. r10 and
// the flags are lost, all else is kept. A rank is not negative, so 32 bits of rax are the same as
// 64. A form may use rax, rcx, rdx and r10. The address to return to stays in r11, so the unwind
// information names that register. The stubs of the fast path have conventions of their own
// (fastpath_word_inl.h) and come to the same forms.
#include <cstddef>
#include <cstdint>

#include "avrankmap/rankmap.h"

#if AVRM_I_ASM_CALL

// The numbers below.
static_assert(offsetof(avrm_rankmap_t, v) == 0 && offsetof(avrm_rankmap_t, klass) == 8 &&
              offsetof(avrm_rankmap_t, bits) == 11 && offsetof(avrm_rankmap_t, base) == 16 &&
              offsetof(avrm_rankmap_t, u) == 24 && offsetof(avrm_rankmap_t, pgid) == 32 &&
              offsetof(avrm_rankmap_t, offset) == 36 && offsetof(avrm_rankmap_t, stride) == 40 &&
              offsetof(avrm_rankmap_t, block) == 44);
static_assert(offsetof(avrm_pair_t, slot) == 4 && sizeof(avrm_pair_t) == 8 && offsetof(avrm_cart_t, step) == 8 &&
              sizeof(avrm_cart_t) == 16 && offsetof(avrm_segment_t, start) == 4 &&
              offsetof(avrm_segment_t, stride) == 8 && offsetof(avrm_segment_t, slot) == 12 &&
              sizeof(avrm_segment_t) == 16 && sizeof(avrm_ave_t) == 12);
static_assert(AVRM_CLASS_AFFINE % 32 == 0 && AVRM_CLASS_IMPLICIT_MLUT % 32 == 2 && AVRM_CLASS_PACKED_LUT % 32 == 3 &&
              AVRM_CLASS_CART % 32 == 4 && AVRM_CLASS_SEGMENTS % 32 == 7 && AVRM_CLASS_MLUT % 32 == 9 &&
              AVRM_CLASS_IMPLICIT_PACKED_LUT % 32 == 10 && AVRM_CLASS_BLOCKED % 32 == 12 &&
              AVRM_CLASS_PACKED_MLUT % 32 == 13 && AVRM_CLASS_IMPLICIT % 32 == 15 &&
              AVRM_CLASS_IMPLICIT_PACKED_MLUT % 32 == 16 && AVRM_CLASS_IMPLICIT_CART % 32 == 20 &&
              AVRM_CLASS_IMPLICIT_BLOCKED % 32 == 23 && AVRM_CLASS_IMPLICIT_SEGMENTS % 32 == 25 &&
              AVRM_CLASS_THROUGH % 32 == 26 && AVRM_CLASS_IMPLICIT_LUT % 32 == 28 && AVRM_CLASS_LUT % 32 == 30 &&
              AVRM_CLASS_CART_3D % 32 == 31);
static_assert(offsetof(avrm_line_t, word) == 0 && offsetof(avrm_line_t, step) == 8 &&
              offsetof(avrm_line_t, origin) == 16 && offsetof(avrm_line_t, factor) == 24 &&
              offsetof(avrm_line_t, limit) == 32);
static_assert(AVRM_I_WANT_WORD == 0 && AVRM_I_WANT_AVE == 1 && AVRM_I_WANT_NODE == 2 && AVRM_I_WANT_GPID == 3 &&
              AVRM_I_WANT_LPID == 4);

__asm__(R"(
  # Fields of a map.
  .set .Lv, 0
  .set .Lklass, 8
  .set .Lbits, 11
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
  # ---- the two conventions: begin, end, and go through the AV ----
  .macro avrm_begin_inline
    .cfi_register rip, r11
    addq $-128, %rsp # the red zone, which the caller may be using
    .cfi_def_cfa_offset 128
    avrm_save rcx
    avrm_save rdx
  .endm
  .macro avrm_return_inline
    avrm_restore rdx
    avrm_restore rcx
    subq $-128, %rsp
    .cfi_def_cfa_offset 0
    notrack jmp *%r11
  .endm
  .macro avrm_begin_fastpath
    .cfi_register rip, rax
    addq $-128, %rsp
    .cfi_def_cfa_offset 128
    pushq %rax
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rip, 0
    avrm_save rcx
    avrm_save r10
    .if .Lfastpath == 1
      movq %r8, %r10
    .else
      movq %r9, %r10
    .endif
    movl %r11d, %eax
  .endm
  .macro avrm_return_fastpath
    movq %rax, %rdx
    avrm_restore r10
    avrm_restore rcx
    popq %rax
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rax
    subq $-128, %rsp
    .cfi_def_cfa_offset 0
    notrack jmp *%rax
  .endm
  .macro avrm_begin
    .if .Lfastpath
      avrm_begin_fastpath
    .else
      avrm_begin_inline
    .endif
  .endm
  # After .cfi_restore_state: clang's assembler adjusts the offset from where it was before that.
  .macro avrm_at_depth more
    .if .Lfastpath
      .cfi_def_cfa_offset 152 + \more
    .else
      .cfi_def_cfa_offset 144 + \more
    .endif
  .endm
  .macro avrm_return
    .cfi_remember_state
    .if .Lfastpath
      avrm_return_fastpath
    .else
      avrm_return_inline
    .endif
    .cfi_restore_state
    avrm_at_depth 0
  .endm
  # ---- ends of forms. .Lof_map is 1 if gpids or lpids are wanted ----
  .macro avrm_element want, place:vararg
    .ifc \want, word
      movq \place, %rax
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

  .macro avrm_packed_lut want
    imulq .Lu(%r10), %rax
    addq .Lv(%r10), %rax
    movl %eax, %ecx
    andl $7, %ecx
    shrq $3, %rax
    movq (%rax), %rax
    shrq %cl, %rax
    andl .Lstride(%r10), %eax
    .if .Lof_map
      addl .Loffset(%r10), %eax
      avrm_process \want
    .else
      movq .Lbase(%r10), %rcx
      avrm_element_of_table \want
    .endif
  .endm

  # The field goes to the top of rax, then the slot from there into rdx, then the lpid to the top
  # and down, by two shifts since it may have no bits.
  .macro avrm_packed_mlut want
    movl .Lstride(%r10), %ecx
    addl .Lblock(%r10), %eax
    imulq %rcx, %rax
    movl %eax, %edx
    andl $7, %edx
    addl %edx, %ecx
    negl %ecx
    shrq $3, %rax
    addq .Lv(%r10), %rax
    movq (%rax), %rax
    shlq %cl, %rax
    movl .Lstride(%r10), %ecx
    subb .Lbits(%r10), %cl
    xorl %edx, %edx
    shldq %cl, %rax, %rdx
    shlq %cl, %rax
    movb .Lbits(%r10), %cl
    notl %ecx
    shrq %cl, %rax
    shrq %rax
    addl .Loffset(%r10), %eax
    avrm_in_slot \want
  .endm

  # The sum of bytes in rsi, minus those of the dimensions that follow in r10. There are 12 bytes to
  # an lpid, and 0xaaaaaaab is the inverse of 3 modulo 2^32.
  .macro avrm_cart want
    avrm_save rsi
    movq .Lu(%r10), %rsi
    imulq %rax, %rsi
    .if .Lof_map
      avrm_save r10
    .else
      addq .Lbase(%r10), %rsi
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
    addq %rdx, %rsi
    addq $16, %r10
    jne 1b
    .if .Lof_map
      avrm_restore r10
      shrq $2, %rsi
      imull $0xaaaaaaab, %esi, %eax
      addl .Loffset(%r10), %eax
      avrm_process \want
    .else
      avrm_element \want, (%rsi)
    .endif
    avrm_restore rsi
  .endm

  # The segment is that in rsi or one of the edx next ones.
  .macro avrm_segments want
    avrm_save rsi
    movq .Lv(%r10), %rsi
    movl .Lblock(%r10), %edx
    movl .Lstride(%r10), %ecx
    testl %ecx, %ecx
    je 1f
    # The directory has the first segment of each stretch.
    shlq $4, %rdx
    addq %rsi, %rdx
    avrm_save rax
    shrl %cl, %eax
    movl (%rdx, %rax, 4), %ecx
    movl 4(%rdx, %rax, 4), %edx
    avrm_restore rax
    subl %ecx, %edx
    shlq $4, %rcx
    addq %rcx, %rsi
    testl %edx, %edx
    jmp 2f
  1:
    decl %edx
  2:
    je 4f
  3:
    leaq 8(, %rdx, 8), %rcx
    andq $-16, %rcx
    addq %rsi, %rcx
    cmpl (%rcx), %eax
    cmovaeq %rcx, %rsi
    shrl %edx
    jne 3b
  4:
    imull 8(%rsi), %eax
    addl 4(%rsi), %eax
    movl 12(%rsi), %edx
    avrm_restore rsi
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
    avrm_return
  9:
    movl %ecx, %eax
    avrm_ask 0
  .endm

  # eax is an lpid on the line that rcx points to, in slot rdx if the map has slots.
  .macro avrm_on_line slots
    .if .Lfastpath == 1 && !\slots
      # The registers of map and result are free.
      movq .Lstep(%rcx), %r8
      imulq %rax, %r8
      addq (%rcx), %r8
      movq %r8, %rdx
      subq .Lorigin(%rcx), %rdx
      imulq .Lfactor(%rcx), %rdx
      cmpq .Llimit(%rcx), %rdx
      jb 9f
      movq %r8, %rax
      avrm_return
    9:
      movl .Lpgid(%r10), %ecx
      shlq $32, %rax
      orq %rcx, %rax
      avrm_ask 5 # of a process, not a rank
      .exitm
    .endif
    avrm_save rsi
    avrm_save rdi
    movq .Lstep(%rcx), %rsi
    imulq %rax, %rsi
    addq (%rcx), %rsi
    movq %rsi, %rdi
    subq .Lorigin(%rcx), %rdi
    imulq .Lfactor(%rcx), %rdi
    cmpq .Llimit(%rcx), %rdi
    jb 9f
    movq %rsi, %rax
    .cfi_remember_state
    avrm_restore rdi
    avrm_restore rsi
    avrm_return
    .cfi_restore_state
    avrm_at_depth 16
  9:
    avrm_restore rdi
    avrm_restore rsi
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
    movq .Lv(%r10), %rcx
    .cfi_remember_state
    avrm_save rsi
    movq .Lu(%r10), %rsi
    imulq %rax, %rsi
    mulq (%rcx)
    imulq 8(%rcx), %rdx
    addq %rdx, %rsi
    mulq 16(%rcx)
    imulq 24(%rcx), %rdx
    addq %rdx, %rsi
    shrq $2, %rsi
    imull $0xaaaaaaab, %esi, %eax
    addl .Loffset(%r10), %eax
    avrm_restore rsi
    movq .Lbase(%r10), %rcx
    avrm_on_line 0
    .cfi_restore_state
    avrm_at_depth 0
  7:
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

  # ---- stubs and their tables ----

  .macro avrm_case stub, want, form
    .Lcase_\stub\()_\form:
    avrm_\form \want
    avrm_return
  .endm

  .macro avrm_stub stub, want, number
    .pushsection .text.avrm_i_\stub, "ax", @progbits
    .p2align 4
    .globl avrm_i_\stub
    .hidden avrm_i_\stub
    .type avrm_i_\stub, @function
  avrm_i_\stub:
    .cfi_startproc simple
    .cfi_def_cfa rsp, 0
    avrm_begin
    movzbl .Lklass(%r10), %ecx
    andl $31, %ecx
    leaq .Lcases_\stub(%rip), %rdx
    notrack jmp *(%rdx, %rcx, 8)
    .irp form, affine, blocked, packed_lut, cart, lut, mlut, packed_mlut, segments
      avrm_case \stub, \want, \form
    .endr
  .Lcase_\stub\()_through:
    avrm_ask \number
    .if .Lof_map
      .irp form, blocked, packed_lut, cart, lut, mlut, packed_mlut, segments
        .set .Lcase_\stub\()_implicit_\form, .Lcase_\stub\()_\form
      .endr
      .set .Lcase_\stub\()_implicit, .Lcase_\stub\()_affine
    .else
      .ifc \want, word
        .Lcase_\stub\()_implicit:
        avrm_implicit word
        .irp form, blocked, packed_lut, cart, lut
          .Lcase_\stub\()_implicit_\form:
          .ifc \form, cart
            avrm_line_of_cart_3d
          .endif
          avrm_line_of \form
        .endr
        .irp form, mlut, packed_mlut, segments
          .Lcase_\stub\()_implicit_\form:
          avrm_line_in \form
        .endr
      .else
        .irp form, blocked, packed_lut, cart, lut, mlut, packed_mlut, segments
          .set .Lcase_\stub\()_implicit_\form, .Lcase_\stub\()_through
        .endr
        .set .Lcase_\stub\()_implicit, .Lcase_\stub\()_through
      .endif
    .endif
    .cfi_endproc
    .size avrm_i_\stub, . - avrm_i_\stub
    .popsection
    .pushsection .data.rel.ro.local.avrm_i_\stub, "aw", @progbits
    .p2align 3
  .Lcases_\stub:
    .irp form, affine, through, implicit_mlut, packed_lut, cart, through, through, segments
      .quad .Lcase_\stub\()_\form
    .endr
    .irp form, through, mlut, implicit_packed_lut, through, blocked, packed_mlut, through, implicit
      .quad .Lcase_\stub\()_\form
    .endr
    .irp form, implicit_packed_mlut, through, through, through, implicit_cart, through, through, implicit_blocked
      .quad .Lcase_\stub\()_\form
    .endr
    .irp form, through, implicit_segments, through, through, implicit_lut, through, lut, cart
      .quad .Lcase_\stub\()_\form
    .endr
    .popsection
  .endm

  .set .Lfastpath, 0
  .set .Lof_map, 0
  avrm_stub cold_word, word, 0
  avrm_stub cold_ave, ave, 1
  avrm_stub cold_node, node, 2
  .set .Lof_map, 1
  avrm_stub cold_gpid, gpid, 3
  avrm_stub cold_lpid, lpid, 4
  .set .Lof_map, 0
  .set .Lfastpath, 1
  avrm_stub fp_cold_isend, word, 0
  .set .Lfastpath, 2
  avrm_stub fp_cold_put, word, 0
)");

#endif
