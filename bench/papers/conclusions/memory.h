// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conclusions from the bytes that communicators take: figures 9 to 14, 17 and 18 of the AV-Rankmap
// paper.
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_MEMORY_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_MEMORY_H

#include "papers/experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

/// One kind of communicator, made again and again.
std::vector<std::string> on_growth(const Result &result);
/// Duplicates: the share of addresses in all bytes of VC-VCRT as well.
std::vector<std::string> on_dup_growth(const Result &result);
/// Dynamic processes: the paper's one result against its scheme, with tables of 4 bytes and with
/// those of 8.
std::vector<std::string> on_dynamic_growth(const Result &result);
/// Miniapps: the one with most communicators, and the others.
std::vector<std::string> on_miniapps(const Result &result);
/// The same by number of processes.
std::vector<std::string> on_miniapps_growth(const Result &result);

} // namespace avrankmap::bench

#endif
