// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts on the null network through each way to dispatch that can be inlined (dispatch/ways.h): the
// switch and the hybrid of the AV-Rankmap paper, and ours (table VI of its earlier text).
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_DISPATCH_RATES_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_DISPATCH_RATES_H

#include <string>
#include <vector>

namespace avrankmap::bench {

struct DispatchRate {
  std::string way;  ///< "switch", "hybrid", "ours"; "vc-vcrt" and "vc-lean"
  std::string mode; ///< of the communicator of 16 ranks, as we represent it
  double rate = 0;  ///< puts per second, round robin, median
  double ratio = 0; ///< over that of vc-vcrt in the same round, median
};

std::vector<DispatchRate> measure_dispatch_rates(int rounds, double seconds);

} // namespace avrankmap::bench

#endif
