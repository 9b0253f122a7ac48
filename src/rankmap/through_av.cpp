// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translation by asking the AV: for maps bound to one that is implicit and cannot be folded in, or that was implicit then.
#include "av/address_vector.h"
#include "av/instance.h"
#include "rankmap/map.h"

using namespace avrankmap::detail;

namespace {

// The process of a rank by the mode, whatever the class.
std::uint64_t process_of(const avrm_rankmap_t *map, std::int64_t rank) noexcept {
  constexpr avrm_i_want_t kWant = AVRM_I_WANT_GPID;
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE: return avrm_i_affine(map, rank, kWant);
  case AVRM_MODE_BLOCKED: return avrm_i_blocked(map, rank, kWant);
  case AVRM_MODE_LUT: return avrm_i_lut(map, rank, kWant);
  case AVRM_MODE_MLUT: return avrm_i_mlut(map, rank, kWant);
  case AVRM_MODE_SEGMENTS: return avrm_i_segments(map, rank, kWant);
  case AVRM_MODE_PACKED_LUT: return avrm_i_packed_lut(map, rank, kWant);
  case AVRM_MODE_PACKED_MLUT: return avrm_i_packed_mlut(map, rank, kWant);
  case AVRM_MODE_CART: return map->block == 3 ? avrm_i_cart_3d(map, rank, kWant) : avrm_i_cart(map, rank, kWant);
  }
  AVRM_UNREACHABLE();
  return 0;
}

} // namespace

uint64_t avrm_i_through_av(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) noexcept {
  const std::uint64_t process = process_of(map, rank);
  if (want == AVRM_I_WANT_GPID) {
    return process;
  }
  const avrm_gpid_t gpid = avrm_i_gpid(process);
  const AddressVector *const av = map->instance->directory.held(gpid.pgid);
  switch (want) {
  case AVRM_I_WANT_WORD: return av->word(gpid.lpid);
  case AVRM_I_WANT_NODE: return av->node(gpid.lpid);
  case AVRM_I_WANT_AVE: {
    const avrm_ave_t *const table = av->table();
    return table != nullptr ? reinterpret_cast<std::uintptr_t>(table + gpid.lpid) : 0;
  }
  case AVRM_I_WANT_GPID: break;
  }
  return process;
}

#if AVRM_I_ASM_CALL
// Calls the function above with map, rank and want from the stack, lowest last, and puts the result in the place of want. Keeps
// every general register. Vector registers are for the caller to keep, which says so to its compiler.
__asm__(".text\n\t"
        ".p2align 4\n\t"
        ".globl avrm_i_through_av_quietly\n\t"
        ".hidden avrm_i_through_av_quietly\n\t"
        ".type avrm_i_through_av_quietly, @function\n"
        "avrm_i_through_av_quietly:\n\t"
        "pushq %rbp\n\t"
        "movq %rsp, %rbp\n\t"
        "pushq %rax\n\t"
        "pushq %rcx\n\t"
        "pushq %rdx\n\t"
        "pushq %rsi\n\t"
        "pushq %rdi\n\t"
        "pushq %r8\n\t"
        "pushq %r9\n\t"
        "pushq %r10\n\t"
        "pushq %r11\n\t"
        "andq $-16, %rsp\n\t"
        "movl 16(%rbp), %edx\n\t"
        "movl 24(%rbp), %esi\n\t"
        "movq 32(%rbp), %rdi\n\t"
        "call avrm_i_through_av\n\t"
        "movq %rax, 16(%rbp)\n\t"
        "leaq -72(%rbp), %rsp\n\t"
        "popq %r11\n\t"
        "popq %r10\n\t"
        "popq %r9\n\t"
        "popq %r8\n\t"
        "popq %rdi\n\t"
        "popq %rsi\n\t"
        "popq %rdx\n\t"
        "popq %rcx\n\t"
        "popq %rax\n\t"
        "popq %rbp\n\t"
        "ret\n\t"
        ".size avrm_i_through_av_quietly, . - avrm_i_through_av_quietly\n");
#endif
