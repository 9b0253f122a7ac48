// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Purpose of the instructions of a put and of an isend, and what the paper reports of its own
// ("Why Is MPI So Slow?", table 1, and "Instruction Savings" of sections 3.1 to 3.6). Differences
// between the counts of two builds, or of the mandatory configuration and a proposal, from entry to
// return without the network's function.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_BREAKDOWN_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_BREAKDOWN_H

#include "device/fastpath/counts.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace avrankmap::bench {

struct FastpathPart {
  std::string section; ///< of the paper: "2" or "3.1" .. "3.6"
  std::string reason;
  std::optional<std::int64_t> put; ///< instructions; empty: it does not apply, or was not counted
  std::optional<std::int64_t> put_paper;
  std::optional<std::int64_t> isend;
  std::optional<std::int64_t> isend_paper;
};

/// The parts on one network, in the paper's order. Empty without its counts.
std::vector<FastpathPart> break_down(const std::vector<FastpathCountRow> &counts, std::string_view network);

} // namespace avrankmap::bench

#endif
