// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Compiled once with -fPIC, and once with -fno-pic and AVRM_BENCH_DISPATCH_NOPIC defined (dispatch.h).
#include "dispatch/dispatch.h"

#if defined(AVRM_BENCH_DISPATCH_NOPIC)
#define AVRM_BENCH_DISPATCH_NAME(way) avrm_bench_dispatch_##way##_nopic
#else
#define AVRM_BENCH_DISPATCH_NAME(way) avrm_bench_dispatch_##way
#endif
#define AVRM_BENCH_DISPATCH(way)                                                                                       \
  __attribute__((noinline)) uint64_t AVRM_BENCH_DISPATCH_NAME(way)(const avrm_rankmap_t *map, int32_t rank) noexcept

namespace {

// What each mode does once it is known: word for word what the component does, help for the compiler included.
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

#undef AVRM_BENCH_MODE_BODY

} // namespace

AVRM_BENCH_DISPATCH(switch) {
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

AVRM_BENCH_DISPATCH(hybrid) {
  const char *const base = base_of(map);
  const auto mode = static_cast<avrm_mode_t>(map->mode);
  if (mode == AVRM_MODE_DIRECT) {
    return contiguous(base, rank);
  }
  switch (mode) {
  case AVRM_MODE_DIRECT: break;
  case AVRM_MODE_OFFSET: return contiguous(base, rank);
  case AVRM_MODE_STRIDE: return strided(map, base, rank);
  case AVRM_MODE_BLOCKED: return blocked(map, base, rank);
  case AVRM_MODE_LUT: return looked_up(map, base, rank);
  case AVRM_MODE_MLUT: return looked_up_pair(map, base, rank);
  default: break; // the study is of the first six modes
  }
  return 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" // labels as values

AVRM_BENCH_DISPATCH(goto) {
  const char *const base = base_of(map);
  static const void *const labels[] = {&&direct, &&offset, &&stride, &&block, &&lut, &&mlut};
  goto *labels[map->mode];
direct:
  return contiguous(base, rank);
offset:
  return contiguous(base, rank);
stride:
  return strided(map, base, rank);
block:
  return blocked(map, base, rank);
lut:
  return looked_up(map, base, rank);
mlut:
  return looked_up_pair(map, base, rank);
}

#pragma GCC diagnostic pop

AVRM_BENCH_DISPATCH(classes) {
  const char *const base = base_of(map);
  switch (static_cast<avrm_class_t>(map->klass)) {
  case AVRM_CLASS_AFFINE: return strided(map, base, rank);
  case AVRM_CLASS_LUT: return looked_up(map, base, rank);
  case AVRM_CLASS_MLUT: return looked_up_pair(map, base, rank);
  case AVRM_CLASS_BLOCKED: return blocked(map, base, rank);
  default: break; // as above
  }
  AVRM_UNREACHABLE();
}

AVRM_BENCH_DISPATCH(flags) { return avrm_rankmap_word(map, rank); }
