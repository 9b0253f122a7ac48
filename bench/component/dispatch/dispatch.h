// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Ways to dispatch on the mode of a rankmap: the three of Table III of the AV-Rankmap paper. All of
// them do the same work on the same bound rankmap once its mode is known, so that their instruction
// counts differ by dispatch alone. Ours is in avrankmap/rankmap_inl.h.
//
//   switch   one switch over the mode, left to the compiler; paper: 9 to 15 instructions
//   hybrid   `if` the mode is direct, else if offset, else if stride, else a switch over the rest,
//            as the paper's figure 7 draws it; paper: 8 for direct, 12 to 21
//   goto     a jump through a table of label addresses (GNU)
//   goto_called  the same behind the call that it needs, since it is never inlined; paper: 22 to 28
//
// The paper's counts are for an offset and a stride that are added and multiplied during
// translation. A bound rankmap has the offset folded into its base, so that offset costs
// what direct costs.
//
// Each is a C function that is not inlined, to be stepped through and disassembled. Its name is
// avrm_bench_dispatch_<way>, or avrm_bench_dispatch_<way>_nopic for the copy that is compiled
// without position-independent code, which only a program linked with -no-pie can contain. An
// inlined translation costs what the function executes without its last instruction, the return.
// That is not so for goto: GCC does not inline a function that keeps addresses of its labels in a
// table, so there the call and what the caller does for it come on top, as in goto_called.
#pragma once

#include <stdint.h>

#include "avrankmap/rankmap.h"

#define AVRM_BENCH_DISPATCH_LIST(X)                                                                                    \
  X(switch)                                                                                                            \
  X(hybrid)                                                                                                            \
  X(goto)                                                                                                              \
  X(goto_called)

AVRM_BEGIN_DECLS

/// Address word of a rank; map is bound, rank in 0 .. size-1.
#define AVRM_BENCH_DISPATCH_DECLARE(way)                                                                               \
  uint64_t avrm_bench_dispatch_##way(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;                           \
  uint64_t avrm_bench_dispatch_##way##_nopic(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;
AVRM_BENCH_DISPATCH_LIST(AVRM_BENCH_DISPATCH_DECLARE)
#undef AVRM_BENCH_DISPATCH_DECLARE

AVRM_END_DECLS
