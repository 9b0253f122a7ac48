// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sentences on "Noncollective Communicator Creation in MPI" (conclusions.h).
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_NONCOLLECTIVE_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_NONCOLLECTIVE_H

#include "papers/experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

std::vector<std::string> on_group_creation(const Result &result);
std::vector<std::string> on_chain_scaling(const Result &result);
std::vector<std::string> on_chain_regroupings(const Result &result);

} // namespace avrankmap::bench

#endif
