// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translation out of line: of the forms that a caller has not inline, and by a call of the AV for
// maps that were bound to an implicit AV and have not folded it in, or whose AV has a table since.
//
// On x86-64 inline code does not call this, it jumps to a stub below, and every register but the
// one of the result is kept. The build compiles this file, and those of the AV that it calls,
// without vector registers, so none has to be saved. With gcc the functions behind the stub save
// those of the general registers that they use.
#include <cstddef>
#include <cstdint>

#include "av/address_vector.h"
#include "av/instance.h"
#include "rankmap/forms.h"

using namespace avrankmap::detail;

#if AVRM_I_ASM_CALL && !defined(__clang__)
#define AVRM_I_KEEPS_REGISTERS __attribute__((no_caller_saved_registers))
#else
#define AVRM_I_KEEPS_REGISTERS
#endif

namespace {

constexpr auto kProcess = by_mode([]<typename F>() { return F::process; });

// By a call of the AV.
template <avrm_i_want_t kWant> std::uint64_t ask(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const std::uint64_t process = kProcess[map->mode](map, rank);
  const avrm_gpid_t gpid = avrm_i_gpid(process);
  if constexpr (kWant == AVRM_I_WANT_GPID) {
    return process;
  } else if constexpr (kWant == AVRM_I_WANT_LPID) {
    return static_cast<std::uint32_t>(gpid.lpid);
  } else {
    const AddressVector *const av = map->instance->directory.held(gpid.pgid);
    if constexpr (kWant == AVRM_I_WANT_WORD) {
      return av->word(gpid.lpid);
    } else if constexpr (kWant == AVRM_I_WANT_NODE) {
      return av->node(gpid.lpid);
    } else {
      const avrm_ave_t *const table = av->table();
      return table != nullptr ? reinterpret_cast<std::uintptr_t>(table + gpid.lpid) : 0;
    }
  }
}

using Translation = AVRM_I_KEEPS_REGISTERS std::uint64_t(const avrm_rankmap_t *map, std::int64_t rank) noexcept;

template <avrm_class_t kClass, avrm_i_want_t kWant>
AVRM_I_KEEPS_REGISTERS std::uint64_t translate(const avrm_rankmap_t *map, std::int64_t rank) noexcept {
  constexpr bool kNeedsAv = kWant == AVRM_I_WANT_AVE || kWant == AVRM_I_WANT_NODE;
  switch (kClass) {
  case AVRM_CLASS_AFFINE: return avrm_i_affine(map, rank, kWant);
  case AVRM_CLASS_LUT: return avrm_i_lut(map, rank, kWant);
  case AVRM_CLASS_MLUT: return avrm_i_mlut(map, rank, kWant);
  case AVRM_CLASS_BLOCKED: return avrm_i_blocked(map, rank, kWant);
  case AVRM_CLASS_SEGMENTS: return avrm_i_segments(map, rank, kWant);
  case AVRM_CLASS_CART_3D: return avrm_i_cart_3d(map, rank, kWant);
  case AVRM_CLASS_CART: return avrm_i_cart(map, rank, kWant);
  case AVRM_CLASS_PACKED_LUT: return avrm_i_packed_lut(map, rank, kWant);
  case AVRM_CLASS_PACKED_MLUT: return avrm_i_packed_mlut(map, rank, kWant);
  case AVRM_CLASS_IMPLICIT:
    if constexpr (!kNeedsAv) {
      return avrm_i_implicit(map, rank, kWant);
    }
    break;
  case AVRM_CLASS_IMPLICIT_LUT:
    if constexpr (!kNeedsAv) {
      return avrm_i_implicit_lut(map, rank, kWant);
    }
    break;
  case AVRM_CLASS_THROUGH: break;
  }
  return ask<kWant>(map, static_cast<std::int32_t>(rank));
}

// The classes' low bits tell them apart.
constexpr std::size_t kIndices = 16;
struct Translations {
  Translation *by_index[kIndices];
};

template <avrm_i_want_t kWant> constexpr Translations translations() noexcept {
  Translations table{};
  const auto enter = [&table]<avrm_class_t... kClasses>() {
    ((table.by_index[kClasses % kIndices] = translate<kClasses, kWant>), ...);
  };
  enter.template operator()<AVRM_CLASS_AFFINE, AVRM_CLASS_LUT, AVRM_CLASS_MLUT, AVRM_CLASS_BLOCKED, AVRM_CLASS_SEGMENTS,
                            AVRM_CLASS_CART_3D, AVRM_CLASS_CART, AVRM_CLASS_PACKED_LUT, AVRM_CLASS_PACKED_MLUT,
                            AVRM_CLASS_IMPLICIT, AVRM_CLASS_IMPLICIT_LUT, AVRM_CLASS_THROUGH>();
  return table;
}

} // namespace

// Read by the stubs, too.
extern "C" {
#define AVRM_I_TRANSLATIONS(name, want)                                                                                \
  extern AVRM_I_HIDDEN const Translations name;                                                                        \
  constinit const Translations name = translations<want>()
AVRM_I_TRANSLATIONS(avrm_i_cold_words, AVRM_I_WANT_WORD);
AVRM_I_TRANSLATIONS(avrm_i_cold_aves, AVRM_I_WANT_AVE);
AVRM_I_TRANSLATIONS(avrm_i_cold_nodes, AVRM_I_WANT_NODE);
AVRM_I_TRANSLATIONS(avrm_i_cold_gpids, AVRM_I_WANT_GPID);
AVRM_I_TRANSLATIONS(avrm_i_cold_lpids, AVRM_I_WANT_LPID);
#undef AVRM_I_TRANSLATIONS
}

uint64_t avrm_i_cold(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) noexcept {
  const std::size_t klass = __atomic_load_n(&map->klass, __ATOMIC_RELAXED) % kIndices;
  switch (want) {
  case AVRM_I_WANT_WORD: return avrm_i_cold_words.by_index[klass](map, rank);
  case AVRM_I_WANT_AVE: return avrm_i_cold_aves.by_index[klass](map, rank);
  case AVRM_I_WANT_NODE: return avrm_i_cold_nodes.by_index[klass](map, rank);
  case AVRM_I_WANT_GPID: return avrm_i_cold_gpids.by_index[klass](map, rank);
  case AVRM_I_WANT_LPID: break;
  }
  return avrm_i_cold_lpids.by_index[klass](map, rank);
}

#if AVRM_I_ASM_CALL

static_assert(offsetof(avrm_rankmap_t, klass) == 8 && kIndices == 16, "the numbers in the stub");

// clang's functions of the attribute above restore the register of the result, too, if they make a
// call, and may end in a jump through a register that they have restored. So the stub saves what a
// function may change.
#if defined(__clang__)
#define AVRM_I_SAVE_OTHERS                                                                                             \
  AVRM_I_SAVE(rcx, 160)                                                                                                \
  AVRM_I_SAVE(rdx, 168)                                                                                                \
  AVRM_I_SAVE(r8, 176)                                                                                                 \
  AVRM_I_SAVE(r9, 184)                                                                                                 \
  AVRM_I_SAVE(r10, 192)
#define AVRM_I_RESTORE_OTHERS                                                                                          \
  AVRM_I_RESTORE(r10, 184)                                                                                             \
  AVRM_I_RESTORE(r9, 176)                                                                                              \
  AVRM_I_RESTORE(r8, 168)                                                                                              \
  AVRM_I_RESTORE(rdx, 160)                                                                                             \
  AVRM_I_RESTORE(rcx, 152)
#define AVRM_I_SAVE(name, depth)                                                                                       \
  "pushq %" #name "\n\t"                                                                                               \
  ".cfi_def_cfa_offset " #depth "\n\t"                                                                                 \
  ".cfi_offset " #name ", -" #depth "\n\t"
#define AVRM_I_RESTORE(name, depth)                                                                                    \
  "popq %" #name "\n\t"                                                                                                \
  ".cfi_def_cfa_offset " #depth "\n\t"                                                                                 \
  ".cfi_restore " #name "\n\t"
#else
#define AVRM_I_SAVE_OTHERS
#define AVRM_I_RESTORE_OTHERS
#endif

// A stub: map in r10, rank in rax, the address to return to in r11, which is why the unwind
// information names that register. The first instruction skips the red zone, which the caller may
// be using. Nothing here aligns the stack, since nothing behind it needs that without vectors.
#define AVRM_I_STUB(name, table)                                                                                       \
  __asm__(".pushsection .text." name ", \"ax\", @progbits\n\t"                                                         \
          ".p2align 4\n\t"                                                                                             \
          ".globl " name "\n\t"                                                                                        \
          ".hidden " name "\n\t"                                                                                       \
          ".type " name ", @function\n" name ":\n\t"                                                                   \
          ".cfi_startproc simple\n\t"                                                                                  \
          ".cfi_def_cfa rsp, 0\n\t"                                                                                    \
          ".cfi_register rip, r11\n\t"                                                                                 \
          "addq $-128, %rsp\n\t"                                                                                       \
          ".cfi_def_cfa_offset 128\n\t"                                                                                \
          "pushq %r11\n\t"                                                                                             \
          ".cfi_def_cfa_offset 136\n\t"                                                                                \
          ".cfi_offset rip, -136\n\t"                                                                                  \
          "pushq %rdi\n\t"                                                                                             \
          ".cfi_def_cfa_offset 144\n\t"                                                                                \
          ".cfi_offset rdi, -144\n\t"                                                                                  \
          "pushq %rsi\n\t"                                                                                             \
          ".cfi_def_cfa_offset 152\n\t"                                                                                \
          ".cfi_offset rsi, -152\n\t" AVRM_I_SAVE_OTHERS "movq %r10, %rdi\n\t"                                         \
          "movq %rax, %rsi\n\t"                                                                                        \
          "movzbl 8(%rdi), %eax\n\t"                                                                                   \
          "andl $15, %eax\n\t"                                                                                         \
          "leaq " table "(%rip), %r11\n\t"                                                                             \
          "call *(%r11, %rax, 8)\n\t" AVRM_I_RESTORE_OTHERS "popq %rsi\n\t"                                            \
          ".cfi_def_cfa_offset 144\n\t"                                                                                \
          ".cfi_restore rsi\n\t"                                                                                       \
          "popq %rdi\n\t"                                                                                              \
          ".cfi_def_cfa_offset 136\n\t"                                                                                \
          ".cfi_restore rdi\n\t"                                                                                       \
          "popq %r11\n\t"                                                                                              \
          ".cfi_def_cfa_offset 128\n\t"                                                                                \
          ".cfi_register rip, r11\n\t"                                                                                 \
          "subq $-128, %rsp\n\t"                                                                                       \
          ".cfi_def_cfa_offset 0\n\t"                                                                                  \
          "notrack jmp *%r11\n\t"                                                                                      \
          ".cfi_endproc\n\t"                                                                                           \
          ".size " name ", . - " name "\n\t"                                                                           \
          ".popsection\n")

AVRM_I_STUB("avrm_i_cold_word", "avrm_i_cold_words");
AVRM_I_STUB("avrm_i_cold_ave", "avrm_i_cold_aves");
AVRM_I_STUB("avrm_i_cold_node", "avrm_i_cold_nodes");
AVRM_I_STUB("avrm_i_cold_gpid", "avrm_i_cold_gpids");
AVRM_I_STUB("avrm_i_cold_lpid", "avrm_i_cold_lpids");

#endif
