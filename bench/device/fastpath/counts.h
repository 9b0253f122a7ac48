// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions of ours in an isend and a put of one byte, by build and proposal, on the null
// network, libfabric and UCX (path_counts.h), as a measurement.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_COUNTS_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_COUNTS_H

#include "measurement/measurement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace avrankmap::bench {

/// One build or proposal on one network. What it does not exist for, or what could not be counted
/// here, is empty.
struct FastpathCountRow {
  std::string network;                     ///< "null", "libfabric" or "ucx"
  std::string name;                        ///< as in FastpathRow
  std::optional<std::uint64_t> put_before; ///< up to the network's function
  std::optional<std::uint64_t> put;        ///< in all
  std::optional<std::uint64_t> isend_before;
  std::optional<std::uint64_t> isend;
};
AVRM_BENCH_ROW(FastpathCountRow, network, name, put_before, put, isend_before, isend);

/// Counts on one network, or on all if `network` is empty. `note` is told what could not be
/// counted, and why.
std::vector<FastpathCountRow> count_fastpath(std::string_view network, const Log &note);

/// "78 / 84": before the network's function, and in all; "-" if they were not counted.
std::string both_counts(const std::optional<std::uint64_t> &before, const std::optional<std::uint64_t> &all);

extern const Measurement kFastpathCounts;

} // namespace avrankmap::bench

#endif
