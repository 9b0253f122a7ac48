// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translations as functions of their own, to be stepped through and disassembled: what an inlined
// translation executes is what one of these does without its return. Compiled as
// position-independent code, which is what MPI libraries are.
#ifndef AVRANKMAP_BENCH_SCHEMES_PROBES_H
#define AVRANKMAP_BENCH_SCHEMES_PROBES_H

#include "baseline/baselines.h"

extern "C" {

/// avrm_rankmap_word: (rankmap, rank) -> address word, without the transport test.
std::uint64_t avrm_bench_word(const avrm_rankmap_t *map, std::int32_t rank) noexcept;

/// address_word of the schemes that we compare with.
std::uint64_t avrm_bench_word_vc_vcrt(const avrankmap::bench::VcVcrt::Comm *comm, std::int32_t rank) noexcept;
std::uint64_t avrm_bench_word_mpich4(const avrankmap::bench::Mpich4::Comm *comm, std::int32_t rank) noexcept;
std::uint64_t avrm_bench_word_mpich5(const avrankmap::bench::Mpich5::Comm *comm, std::int32_t rank) noexcept;
std::uint64_t avrm_bench_word_ompi(const avrankmap::bench::OmpiDense::Comm *comm, std::int32_t rank) noexcept;
std::uint64_t avrm_bench_word_ompi_sparse(const avrankmap::bench::OmpiSparse::Comm *comm, std::int32_t rank) noexcept;
std::uint64_t avrm_bench_word_raw(const avrankmap::bench::Raw::Comm *comm, std::int32_t rank) noexcept;
}

#endif
