// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_BENCH_PAPERS_PATTERNS_OWNED_COMM_H
#define AVRANKMAP_BENCH_PAPERS_PATTERNS_OWNED_COMM_H

#include "avrankmap/device/comm.h"
#include "support/require.h"

#include <cstdint>
#include <memory>

namespace avrankmap::bench {

struct FreeComm {
  void operator()(avrm_comm_t *comm) const noexcept { (void)avrm_comm_free(comm); }
};
using OwnedComm = std::unique_ptr<avrm_comm_t, FreeComm>;

inline OwnedComm split_comm(avrm_comm_t *comm, std::int32_t colour, std::int32_t key) {
  avrm_comm_t *made = nullptr;
  require(avrm_comm_split(comm, colour, key, &made));
  return OwnedComm(made);
}

} // namespace avrankmap::bench

#endif
