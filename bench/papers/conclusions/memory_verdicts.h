// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verdicts on the memory of communicators, in the AV-Rankmap paper.
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_MEMORY_VERDICTS_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_MEMORY_VERDICTS_H

#include "papers/conclusions/verdicts.h"

namespace avrankmap::bench {

Verdict on_split(const Result &result);
Verdict on_split_intercommunicators(const Result &result);
Verdict on_duplicates(const Result &result);
Verdict on_duplicate_intercommunicators(const Result &result);
Verdict on_random_growth(const Result &result);
Verdict on_negative_result(const Result &result);
Verdict on_nek5000(const Result &result);
Verdict on_miniapps_memory(const Result &result);

} // namespace avrankmap::bench

#endif
