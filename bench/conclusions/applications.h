// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sentences about the mini-applications (conclusions.h), and the names of the columns and rows that
// they are about.
#ifndef AVRANKMAP_BENCH_CONCLUSIONS_APPLICATIONS_H
#define AVRANKMAP_BENCH_CONCLUSIONS_APPLICATIONS_H

#include "experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

inline constexpr const char *kPointsPerProcess = "n/P";
inline constexpr const char *kDefaultBuild = "default";
inline constexpr const char *kAllProposals = "all proposals";
inline constexpr const char *kGain = "all over default";
inline constexpr const char *kTheirGain = "CH4 over Original";
inline constexpr const char *kMessagesSent = "messages";
inline constexpr const char *kEfficiency = "efficiency, %";
inline constexpr const char *kToOneProcess = "differs from one process by";
inline constexpr const char *kDrift = "drift";
inline constexpr const char *kInstructionsOfMessage = "instructions per message of 8 doubles";

/// Figure 7 of "Why Is MPI So Slow?".
std::vector<std::string> on_mass_inversion(const Result &result);
/// Figure 8.
std::vector<std::string> on_lennard_jones(const Result &result);

} // namespace avrankmap::bench

#endif
