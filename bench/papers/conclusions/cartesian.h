// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sentences on the results of "Space Performance Tradeoffs in Compressing MPI Group Data
// Structures" (conclusions.h).
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_CARTESIAN_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_CARTESIAN_H

#include "papers/experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

std::vector<std::string> on_fft(const Result &result);
std::vector<std::string> on_amg(const Result &result);
std::vector<std::string> on_torus(const Result &result);
std::vector<std::string> on_ping_pong(const Result &result);
std::vector<std::string> on_near_neighbours(const Result &result);
std::vector<std::string> on_multi_hop(const Result &result);

} // namespace avrankmap::bench

#endif
