// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts on communicators of the n-th generation: each is made of the even ranks of the one before
// (the AV-Rankmap paper, figure 19). Open MPI's sparse groups walk up all generations at each
// translation; its dense groups, VC-VCRT and ours do not.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_GENERATIONS_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_GENERATIONS_H

#include <string>
#include <vector>

namespace avrankmap::bench {

struct GenerationRate {
  int generation = 0; ///< 0: the world
  /// Puts per second on the null network, round robin to 16 of 1024 ranks, median.
  std::string scheme; ///< "ompi-sparse", "ompi-dense", "vc-vcrt" or "avrankmap"
  double rate = 0;
  double ratio = 0; ///< over that of ompi-dense in the same round, median
};

/// @param seconds  length of one measurement
std::vector<GenerationRate> measure_generations(int generations, int rounds, double seconds);

} // namespace avrankmap::bench

#endif
