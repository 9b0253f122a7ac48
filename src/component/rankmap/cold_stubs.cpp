// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The cold call on x86-64, which inline code jumps to for forms that it has not inline. It is in
// assembly, since compilers know no convention that keeps the caller's registers and saves no more
// than a form uses.
//
// The map is in r10, the rank, then the result, in rax, the address to return to in r11. r10 and
// the flags are lost, all else is kept. The address to return to stays in r11, so the unwind
// information names that register. The stubs of the fast path have conventions of their own
// (fastpath_word_inl.h) and come to the same forms (cold_forms.h).
#include "rankmap/cold_forms.h"

#if AVRM_I_ASM_CALL

// The numbers below.
static_assert(AVRM_CLASS_AFFINE % 32 == 0 && AVRM_CLASS_IMPLICIT_MLUT % 32 == 2 && AVRM_CLASS_CART % 32 == 4 &&
              AVRM_CLASS_SEGMENTS % 32 == 7 && AVRM_CLASS_MLUT % 32 == 9 && AVRM_CLASS_BLOCKED % 32 == 12 &&
              AVRM_CLASS_IMPLICIT % 32 == 15 && AVRM_CLASS_IMPLICIT_CART % 32 == 20 &&
              AVRM_CLASS_IMPLICIT_BLOCKED % 32 == 23 && AVRM_CLASS_IMPLICIT_SEGMENTS % 32 == 25 &&
              AVRM_CLASS_THROUGH % 32 == 26 && AVRM_CLASS_IMPLICIT_LUT % 32 == 28 && AVRM_CLASS_LUT % 32 == 30 &&
              AVRM_CLASS_CART_3D % 32 == 31);
static_assert(AVRM_I_WANT_WORD == 0 && AVRM_I_WANT_AVE == 1 && AVRM_I_WANT_NODE == 2 && AVRM_I_WANT_GPID == 3 &&
              AVRM_I_WANT_LPID == 4);

__asm__(R"(
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
    avrm_restore r10
    avrm_restore rcx
    popq %rax
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rax
    subq $-128, %rsp
    .cfi_def_cfa_offset 0
    notrack jmp *%rax
  .endm
  # \macro with one register more: that in which the map came, or a saved one.
  .macro avrm_with_free macro, operand
    .if .Lfastpath == 1
      \macro \operand, r8
    .elseif .Lfastpath == 2
      \macro \operand, r9
    .else
      avrm_save rsi
      \macro \operand, rsi
      avrm_restore rsi
    .endif
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
    .irp form, affine, blocked, cart, lut, mlut, segments
      avrm_case \stub, \want, \form
    .endr
  .Lcase_\stub\()_through:
    avrm_ask \number
    .if .Lof_map
      .irp form, blocked, cart, lut, mlut, segments
        .set .Lcase_\stub\()_implicit_\form, .Lcase_\stub\()_\form
      .endr
      .set .Lcase_\stub\()_implicit, .Lcase_\stub\()_affine
    .else
      .ifc \want, word
        .Lcase_\stub\()_implicit:
        avrm_implicit word
        .irp form, blocked, cart, lut
          .Lcase_\stub\()_implicit_\form:
          .ifc \form, cart
            avrm_line_of_cart_3d
          .endif
          avrm_line_of \form
        .endr
        .irp form, mlut, segments
          .Lcase_\stub\()_implicit_\form:
          avrm_line_in \form
        .endr
      .else
        .irp form, blocked, cart, lut, mlut, segments
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
    .irp form, affine, through, implicit_mlut, through, cart, through, through, segments
      .quad .Lcase_\stub\()_\form
    .endr
    .irp form, through, mlut, through, through, blocked, through, through, implicit
      .quad .Lcase_\stub\()_\form
    .endr
    .irp form, through, through, through, through, implicit_cart, through, through, implicit_blocked
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
