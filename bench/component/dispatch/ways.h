// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The work of each mode once it is known, and the ways to dispatch that can be inlined. In an
// unnamed namespace: dispatch.cpp is compiled in two ways that must not be mixed.
#pragma once

#include <stdint.h>

#include "avrankmap/rankmap.h"

namespace avrankmap::bench::dispatch {
namespace {

// The work of each mode once it is known.
#define AVRM_BENCH_MODE_BODY __attribute__((always_inline)) inline

// The value is in a register here, so that compilers neither load it later nor join `if`s into a
// switch: the ways are to differ by what the paper says.
#define AVRM_BENCH_IN_REGISTER(value) __asm__("" : "+r"(value))

AVRM_BENCH_MODE_BODY uint64_t element(const char *ave) {
  return avrm_ave_word(static_cast<const avrm_ave_t *>(static_cast<const void *>(ave)));
}

// What the map is bound to, which is one pointer in all six modes.
AVRM_BENCH_MODE_BODY const char *base_of(const avrm_rankmap_t *map) {
  const char *base = map->at.base;
  AVRM_BENCH_IN_REGISTER(base);
  return base;
}

AVRM_BENCH_MODE_BODY uint64_t contiguous(const char *base, int64_t rank) { return element(base + 12 * rank); }

AVRM_BENCH_MODE_BODY uint64_t strided(const avrm_rankmap_t *map, const char *base, int64_t rank) {
  return element(base + map->as.affine.step * rank);
}

AVRM_BENCH_MODE_BODY uint64_t blocked(const avrm_rankmap_t *map, const char *base, int64_t rank) {
  const auto block = static_cast<uint32_t>(avrm_i_block_of(rank, map->as.blocked.reciprocal));
  const uint32_t gap = static_cast<uint32_t>(map->as.blocked.stride) - static_cast<uint32_t>(map->as.blocked.block);
  const uint32_t first = static_cast<uint32_t>(map->offset) + static_cast<uint32_t>(rank);
  return element(base + 12 * int64_t{first + block * gap});
}

AVRM_BENCH_MODE_BODY uint64_t looked_up(const avrm_rankmap_t *map, const char *base, int64_t rank) {
  const int64_t lpid = map->as.lut.lpids[rank];
  return element(base + 12 * lpid);
}

AVRM_BENCH_MODE_BODY uint64_t looked_up_pair(const avrm_rankmap_t *map, const char *base, int64_t rank) {
  const avrm_pair_t &pair = map->as.mlut.pairs[rank];
  const char *table = static_cast<const char *const *>(static_cast<const void *>(base))[pair.slot];
  AVRM_BENCH_IN_REGISTER(table);
  return element(table + 12 * int64_t{pair.lpid});
}

AVRM_BENCH_MODE_BODY uint64_t by_switch(const avrm_rankmap_t *map, int32_t rank) {
  const char *const base = base_of(map);
  switch (static_cast<avrm_mode_t>(map->mode)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET: return contiguous(base, rank);
  case AVRM_MODE_STRIDE: return strided(map, base, rank);
  case AVRM_MODE_BLOCKED: return blocked(map, base, rank);
  case AVRM_MODE_LUT: return looked_up(map, base, rank);
  case AVRM_MODE_MLUT: return looked_up_pair(map, base, rank);
  default: break; // the study is of the first six modes
  }
  return 0;
}

AVRM_BENCH_MODE_BODY uint64_t by_hybrid(const avrm_rankmap_t *map, int32_t rank) {
  const char *const base = base_of(map);
  // Each `if` stays one: compilers would join them into the switch.
  uint32_t mode = map->mode;
  AVRM_BENCH_IN_REGISTER(mode);
  if (mode == AVRM_MODE_DIRECT) {
    return contiguous(base, rank);
  }
  AVRM_BENCH_IN_REGISTER(mode);
  if (mode == AVRM_MODE_OFFSET) {
    return contiguous(base, rank);
  }
  AVRM_BENCH_IN_REGISTER(mode);
  if (mode == AVRM_MODE_STRIDE) {
    return strided(map, base, rank);
  }
  AVRM_BENCH_IN_REGISTER(mode);
  switch (static_cast<avrm_mode_t>(mode)) {
  case AVRM_MODE_BLOCKED: return blocked(map, base, rank);
  case AVRM_MODE_LUT: return looked_up(map, base, rank);
  case AVRM_MODE_MLUT: return looked_up_pair(map, base, rank);
  default: break; // the study is of the first six modes
  }
  return 0;
}

#undef AVRM_BENCH_MODE_BODY

} // namespace
} // namespace avrankmap::bench::dispatch
