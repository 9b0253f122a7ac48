// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schemes/probes.h"

// A function of this file is called from others only; `noinline` keeps link-time optimisation
// from undoing that.
#define AVRM_BENCH_PROBE(name, scheme)                                                                                 \
  __attribute__((noinline)) std::uint64_t name(const avrankmap::bench::scheme::Comm *comm,                             \
                                               std::int32_t rank) noexcept {                                           \
    return avrankmap::bench::scheme::address_word(*comm, rank);                                                        \
  }

__attribute__((noinline)) std::uint64_t avrm_bench_word(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  return avrm_rankmap_word(map, rank);
}

AVRM_BENCH_PROBE(avrm_bench_word_vc_vcrt, VcVcrt)
AVRM_BENCH_PROBE(avrm_bench_word_mpich4, Mpich4)
AVRM_BENCH_PROBE(avrm_bench_word_mpich5, Mpich5)
AVRM_BENCH_PROBE(avrm_bench_word_ompi, OmpiDense)
AVRM_BENCH_PROBE(avrm_bench_word_ompi_sparse, OmpiSparse)
AVRM_BENCH_PROBE(avrm_bench_word_raw, Raw)
