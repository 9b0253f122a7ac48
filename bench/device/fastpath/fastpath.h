// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path of the device: instructions and issue rates of every build and proposal ("Why Is
// MPI So Slow?", figures 2, 5 and 6), on a strided communicator and the null network, 1 byte per
// operation.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_FASTPATH_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_FASTPATH_H

#include "measurement/measurement.h"
#include "support/statistics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// One build or proposal. Fields are empty where it does not exist, or could not be counted here.
struct FastpathRow {
  std::string name;
  std::optional<std::uint64_t> put_before; ///< instructions (path_counts.h)
  std::optional<std::uint64_t> put;        ///< in all
  std::optional<std::uint64_t> isend_before;
  std::optional<std::uint64_t> isend;
  std::optional<double> rate_put; ///< operations per second
  std::optional<double> rate_isend;
  std::optional<double> put_to_bare; ///< rate over that of the bare loop in the same round, median
  std::optional<double> isend_to_bare;
};
AVRM_BENCH_ROW(FastpathRow, name, put_before, put, isend_before, isend, rate_put, rate_isend, put_to_bare,
               isend_to_bare);

/// From one build to the next leaner one: how many times as fast it is, in the same rounds.
struct FastpathStep {
  std::string name; ///< of the leaner build
  Spread put;
  Spread isend;
};

struct Fastpath {
  std::vector<FastpathRow> rows;   ///< empty: not measured
  std::vector<FastpathStep> steps; ///< of the four builds
  /// A loop that writes the same descriptors, addresses known beforehand.
  double bare_put = 0;
  double bare_isend = 0;
};

/// @param rounds   repetitions that medians are taken over
/// @param seconds  length of one measurement
/// @param note     told what could not be counted, and why
Fastpath measure_fastpath(int rounds, double seconds, const Log &note);

extern const Measurement kFastpath;

} // namespace avrankmap::bench

#endif
