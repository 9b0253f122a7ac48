// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The work of each mode once it is known, and the ways to dispatch that can be inlined. In an
// unnamed namespace: dispatch.cpp is compiled in two ways that must not be mixed.
#pragma once

#include <stdint.h>

#include "avrankmap/rankmap.h"

namespace avrankmap::bench::dispatch {
namespace {

// The work of each mode once it is known: word for word what the component does, help for the
// compiler included.
#define AVRM_BENCH_MODE_BODY __attribute__((always_inline)) inline

AVRM_BENCH_MODE_BODY uint64_t element(const char *ave) { return avrm_i_element(ave, AVRM_I_WANT_WORD); }

AVRM_BENCH_MODE_BODY const char *base_of(const avrm_rankmap_t *map) {
  const char *base = map->base;
  AVRM_I_IN_REGISTER(base);
  return base;
}

AVRM_BENCH_MODE_BODY uint64_t contiguous(const char *base, int64_t rank) { return element(base + 12 * rank); }

AVRM_BENCH_MODE_BODY uint64_t strided(const avrm_rankmap_t *map, const char *base, int64_t rank) {
  return element(base + map->u.step * rank);
}

AVRM_BENCH_MODE_BODY uint64_t blocked(const avrm_rankmap_t *map, const char *base, int64_t rank) {
  const int64_t block = avrm_i_block_of(static_cast<int32_t>(rank), map->v.reciprocal);
  return element(base + (block * map->u.step + 12 * rank));
}

AVRM_BENCH_MODE_BODY uint64_t looked_up(const avrm_rankmap_t *map, const char *base, int64_t rank) {
  const int64_t lpid = map->v.lut[rank];
  return element(base + 12 * lpid);
}

AVRM_BENCH_MODE_BODY uint64_t looked_up_pair(const avrm_rankmap_t *map, const char *base, int64_t rank) {
  const char *const slots = static_cast<const char *>(static_cast<const void *>(map->v.mlut)) + sizeof(uint32_t);
  const uint32_t slot = static_cast<const avrm_pair_t *>(static_cast<const void *>(slots))[rank].lpid;
  const int64_t lpid = map->v.mlut[rank].lpid;
  const char *table = static_cast<const char *const *>(static_cast<const void *>(base))[slot];
  AVRM_I_IN_REGISTER(table);
  return element(table + 12 * lpid);
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
  AVRM_I_IN_REGISTER(mode);
  if (mode == AVRM_MODE_DIRECT) {
    return contiguous(base, rank);
  }
  AVRM_I_IN_REGISTER(mode);
  if (mode == AVRM_MODE_OFFSET) {
    return contiguous(base, rank);
  }
  AVRM_I_IN_REGISTER(mode);
  if (mode == AVRM_MODE_STRIDE) {
    return strided(map, base, rank);
  }
  AVRM_I_IN_REGISTER(mode);
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
