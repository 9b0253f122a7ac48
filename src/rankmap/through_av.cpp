// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translation by a call of the AV: for maps that were bound to an implicit AV and have not folded
// it in, or whose AV has a table since.
#include "av/address_vector.h"
#include "av/instance.h"
#include "rankmap/forms.h"

using namespace avrankmap::detail;

namespace {

constexpr auto kProcess = by_mode([]<typename F>() { return F::process; });

} // namespace

uint64_t avrm_i_through_av(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) noexcept {
  const std::uint64_t process = kProcess[map->mode](map, rank);
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
// Calls the function above with map, rank and want from the stack, want lowest, and stores the
// result in the place of want. Keeps every general register. The caller tells its compiler that the
// vector registers change.
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
