// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conclusions from a result, in sentences. They are computed from what is printed, the table and
// the plots, and from nothing else: a sentence cannot outlive the numbers that it names. No
// experiment writes a sentence about its numbers itself.
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_CONCLUSIONS_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_CONCLUSIONS_H

#include "papers/conclusions/names.h"
#include "papers/experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

/// The sentences on a result of the experiment with this name. None for one without sentences, and
/// none about numbers that the result lacks.
std::vector<std::string> conclude(const std::string &id, const Result &result);

} // namespace avrankmap::bench

#endif
