// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/pair.h"

namespace avrankmap::bench {
namespace {

constexpr unsigned char kByte = 1;
constexpr std::int64_t kDisplacement = 3;

/// Between two operations the compiler must forget what it knows of memory, as between two calls
/// from an application.
template <class Issue> [[gnu::always_inline]] inline void burst(Issue issue) {
  for (std::size_t i = 0; i < FastpathPair::kBurst; ++i) {
    __asm__ volatile("" : : : "memory");
    require(issue(i));
  }
}

#define AVRM_BENCH_PUT(operation) [](FastpathPair &p) { burst([&](std::size_t) { return operation; }); }
#define AVRM_BENCH_ISEND(operation) [](FastpathPair &p) { burst([&](std::size_t i) { return operation; }); }
#define AVRM_BENCH_NOREQ(operation) AVRM_BENCH_PUT(operation)

constexpr std::int32_t kTag = FastpathPair::kData;

} // namespace

const std::array<FastpathConfiguration, 11> kFastpathConfigurations{{
    {"default", AVRM_BENCH_PUT(avrm_fp_put_default(&kByte, 1, AVRM_BYTE, p.peer, kDisplacement, p.window)),
     AVRM_BENCH_ISEND(avrm_fp_isend_default(&kByte, 1, AVRM_BYTE, p.peer, kTag, p.comm, &p.requests[i])), false},
    {"no-err", AVRM_BENCH_PUT(avrm_fp_put_no_err(&kByte, 1, AVRM_BYTE, p.peer, kDisplacement, p.window)),
     AVRM_BENCH_ISEND(avrm_fp_isend_no_err(&kByte, 1, AVRM_BYTE, p.peer, kTag, p.comm, &p.requests[i])), false},
    {"no-err-single", AVRM_BENCH_PUT(avrm_fp_put_no_err_single(&kByte, 1, AVRM_BYTE, p.peer, kDisplacement, p.window)),
     AVRM_BENCH_ISEND(avrm_fp_isend_no_err_single(&kByte, 1, AVRM_BYTE, p.peer, kTag, p.comm, &p.requests[i])), false},
    {"no-err-single-ipo", AVRM_BENCH_PUT(avrm_fp_put_inline(&kByte, 1, AVRM_BYTE, p.peer, kDisplacement, p.window)),
     AVRM_BENCH_ISEND(avrm_fp_isend_inline(&kByte, 1, AVRM_BYTE, p.peer, kTag, p.comm, &p.requests[i])), false},
    {"global rank", AVRM_BENCH_PUT(avrm_fp_put_global(&kByte, 1, AVRM_BYTE, p.peer, kDisplacement, p.window)),
     AVRM_BENCH_ISEND(avrm_fp_isend_global(&kByte, 1, AVRM_BYTE, p.peer, kTag, p.comm, &p.requests[i])), false},
    {"virtual address",
     AVRM_BENCH_PUT(avrm_fp_put_virtual_addr(&kByte, 1, AVRM_BYTE, p.peer, p.address + kDisplacement, p.window)),
     nullptr, false},
    {"predefined handle", AVRM_BENCH_PUT(avrm_fp_put_inline(&kByte, 1, AVRM_BYTE, p.peer, kDisplacement, AVRM_WIN_1)),
     AVRM_BENCH_ISEND(avrm_fp_isend_inline(&kByte, 1, AVRM_BYTE, p.peer, kTag, AVRM_COMM_1, &p.requests[i])), false},
    {"no PROC_NULL", AVRM_BENCH_PUT(avrm_fp_put_npn(&kByte, 1, AVRM_BYTE, p.peer, kDisplacement, p.window)),
     AVRM_BENCH_ISEND(avrm_fp_isend_npn(&kByte, 1, AVRM_BYTE, p.peer, kTag, p.comm, &p.requests[i])), false},
    {"no request", nullptr, AVRM_BENCH_NOREQ(avrm_fp_isend_noreq(&kByte, 1, AVRM_BYTE, p.peer, kTag, p.comm)), false},
    {"no match", nullptr, AVRM_BENCH_ISEND(avrm_fp_isend_nomatch(&kByte, 1, AVRM_BYTE, p.peer, p.comm, &p.requests[i])),
     true},
    // Keys are each target's own on these networks, hence put looks them up.
    {"all", AVRM_BENCH_PUT(avrm_fp_put_all_opts(&kByte, 1, AVRM_BYTE, p.peer, p.address_1 + kDisplacement, AVRM_WIN_1)),
     AVRM_BENCH_NOREQ(avrm_fp_isend_all_opts(&kByte, 1, AVRM_BYTE, p.peer, AVRM_COMM_1)), true},
}};

} // namespace avrankmap::bench
