// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sentences about the mini-applications (conclusions.h).
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_APPLICATIONS_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_APPLICATIONS_H

#include "papers/experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

/// Figure 7 of "Why Is MPI So Slow?".
std::vector<std::string> on_mass_inversion(const Result &result);
/// Figure 8.
std::vector<std::string> on_lennard_jones(const Result &result);

} // namespace avrankmap::bench

#endif
