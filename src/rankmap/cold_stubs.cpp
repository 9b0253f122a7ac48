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
// information names that register.
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
static_assert(AVRM_CLASS_AFFINE % 16 == 0 && AVRM_CLASS_IMPLICIT % 16 == 1 && AVRM_CLASS_BLOCKED % 16 == 2 &&
              AVRM_CLASS_PACKED_LUT % 16 == 3 && AVRM_CLASS_CART % 16 == 4 && AVRM_CLASS_LUT % 16 == 6 &&
              AVRM_CLASS_CART_3D % 16 == 7 && AVRM_CLASS_MLUT % 16 == 8 && AVRM_CLASS_PACKED_MLUT % 16 == 9 &&
              AVRM_CLASS_IMPLICIT_LUT % 16 == 10 && AVRM_CLASS_SEGMENTS % 16 == 11 && AVRM_CLASS_THROUGH % 16 == 12);
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

  .macro avrm_save name, depth
    pushq %\name
    .cfi_def_cfa_offset \depth
    .cfi_offset \name, -\depth
  .endm

  .macro avrm_restore name, depth
    popq %\name
    .cfi_def_cfa_offset \depth - 8
    .cfi_restore \name
  .endm

  .macro avrm_return
    .cfi_remember_state
    avrm_restore rdx, 144
    avrm_restore rcx, 136
    subq $-128, %rsp
    .cfi_def_cfa_offset 0
    notrack jmp *%r11
    .cfi_restore_state
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

  # eax is an lpid in the process group of slot rdx.
  .macro avrm_in_slot want
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
    avrm_save rsi, 152
    movq .Lu(%r10), %rsi
    imulq %rax, %rsi
    .if .Lof_map
      avrm_save r10, 160
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
      avrm_restore r10, 160
      shrq $2, %rsi
      imull $0xaaaaaaab, %esi, %eax
      addl .Loffset(%r10), %eax
      avrm_process \want
    .else
      avrm_element \want, (%rsi)
    .endif
    avrm_restore rsi, 152
  .endm

  # The segment is that in rsi or one of the edx next ones.
  .macro avrm_segments want
    avrm_save rsi, 152
    movq .Lv(%r10), %rsi
    movl .Lblock(%r10), %edx
    movl .Lstride(%r10), %ecx
    testl %ecx, %ecx
    je 1f
    # The directory has the first segment of each stretch.
    shlq $4, %rdx
    addq %rsi, %rdx
    avrm_save rax, 160
    shrl %cl, %eax
    movl (%rdx, %rax, 4), %ecx
    movl 4(%rdx, %rax, 4), %edx
    avrm_restore rax, 160
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
    avrm_restore rsi, 152
    avrm_in_slot \want
  .endm

  # With an implicit AV folded in: words.
  .macro avrm_implicit want
    imulq .Lu(%r10), %rax
    addq .Lbase(%r10), %rax
  .endm

  .macro avrm_implicit_lut want
    movq .Lv(%r10), %rcx
    movl (%rcx, %rax, 4), %eax
    movslq .Lu(%r10), %rcx
    imulq %rcx, %rax
    addq .Lbase(%r10), %rax
  .endm

  # ---- stubs, one for each result, and their tables ----

  .macro avrm_case want, form
    .Lcase_\want\()_\form:
    avrm_\form \want
    avrm_return
  .endm

  .macro avrm_stub want, number, implicit, implicit_lut
    .pushsection .text.avrm_i_cold_\want, "ax", @progbits
    .p2align 4
    .globl avrm_i_cold_\want
    .hidden avrm_i_cold_\want
    .type avrm_i_cold_\want, @function
  avrm_i_cold_\want:
    .cfi_startproc simple
    .cfi_def_cfa rsp, 0
    .cfi_register rip, r11
    addq $-128, %rsp # the red zone, which the caller may be using
    .cfi_def_cfa_offset 128
    avrm_save rcx, 136
    avrm_save rdx, 144
    movzbl .Lklass(%r10), %ecx
    andl $15, %ecx
    leaq .Lcases_\want(%rip), %rdx
    notrack jmp *(%rdx, %rcx, 8)
    .irp form, affine, blocked, packed_lut, cart, lut, mlut, packed_mlut, segments
      avrm_case \want, \form
    .endr
    .ifc \want, word
      avrm_case \want, implicit
      avrm_case \want, implicit_lut
    .endif
  .Lcase_\want\()_through:
    movl $\number, %ecx
    jmp .Lthrough
    .cfi_endproc
    .size avrm_i_cold_\want, . - avrm_i_cold_\want
    .popsection
    .pushsection .data.rel.ro.local.avrm_i_cold_\want, "aw", @progbits
    .p2align 3
  .Lcases_\want:
    .irp form, affine, \implicit, blocked, packed_lut, cart, through, lut, cart, mlut, packed_mlut
      .quad .Lcase_\want\()_\form
    .endr
    .irp form, \implicit_lut, segments, through
      .quad .Lcase_\want\()_\form
    .endr
    .popsection
  .endm

  .set .Lof_map, 0
  avrm_stub word, 0, implicit, implicit_lut
  avrm_stub ave, 1, through, through
  avrm_stub node, 2, through, through
  .set .Lof_map, 1
  avrm_stub gpid, 3, affine, lut
  avrm_stub lpid, 4, affine, lut

  # By a call of avrm_i_ask, with the number of the result in ecx. The stack need not be aligned,
  # since nothing behind this uses vectors.
  .pushsection .text.avrm_i_cold_through, "ax", @progbits
  .p2align 4
  .type .Lthrough, @function
.Lthrough:
  .cfi_startproc simple
  .cfi_def_cfa rsp, 144
  .cfi_register rip, r11
  .cfi_offset rcx, -136
  .cfi_offset rdx, -144
  avrm_save rsi, 152
  avrm_save rdi, 160
  avrm_save r8, 168
  avrm_save r9, 176
  pushq %r11
  .cfi_def_cfa_offset 184
  .cfi_offset rip, -184
  movq %r10, %rdi
  movl %eax, %esi
  movl %ecx, %edx
  call avrm_i_ask
  popq %r11
  .cfi_def_cfa_offset 176
  .cfi_register rip, r11
  avrm_restore r9, 176
  avrm_restore r8, 168
  avrm_restore rdi, 160
  avrm_restore rsi, 152
  avrm_return
  .cfi_endproc
  .popsection
)");

#endif
