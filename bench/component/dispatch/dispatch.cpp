// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Compiled once with -fPIC, and once with -fno-pic and AVRM_BENCH_DISPATCH_NOPIC
// defined (dispatch.h).
#include "component/dispatch/dispatch.h"

#include "component/dispatch/ways.h"

#if defined(AVRM_BENCH_DISPATCH_NOPIC)
#define AVRM_BENCH_DISPATCH_NAME(way) avrm_bench_dispatch_##way##_nopic
#else
#define AVRM_BENCH_DISPATCH_NAME(way) avrm_bench_dispatch_##way
#endif
#define AVRM_BENCH_DISPATCH(way)                                                                                       \
  __attribute__((noinline)) uint64_t AVRM_BENCH_DISPATCH_NAME(way)(const avrm_rankmap_t *map, int32_t rank) noexcept

using namespace avrankmap::bench::dispatch;

AVRM_BENCH_DISPATCH(switch) { return by_switch(map, rank); }

AVRM_BENCH_DISPATCH(hybrid) { return by_hybrid(map, rank); }

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

AVRM_BENCH_DISPATCH(goto_called) {
  uint64_t word = AVRM_BENCH_DISPATCH_NAME(goto)(map, rank);
  AVRM_BENCH_IN_REGISTER(word); // the call is not the last thing that the caller does
  return word;
}
