// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verdicts on single tables and figures: memory (memory_verdicts.cpp), then instructions, rates and
// times of creation (rate_verdicts.cpp).
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_JUDGEMENTS_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_JUDGEMENTS_H

#include "papers/conclusions/verdicts.h"

namespace avrankmap::bench {

Verdict on_split(const Result &result);
Verdict on_split_intercommunicators(const Result &result);
Verdict on_duplicates(const Result &result);
Verdict on_duplicate_intercommunicators(const Result &result);
Verdict on_random_growth(const Result &result);
Verdict on_negative_result(const Result &result);
/// A verdict of those above, what Open MPI takes, and which maps are smaller than ours, unless the
/// table lacks its rows.
/// @param state  of Open MPI's structures: "before any process is met"
Verdict with_others(Verdict verdict, const Table &table, const char *state);
Verdict on_nek5000(const Result &result);
Verdict on_miniapps_memory(const Result &result);

Verdict on_table_of_instructions(const Result &result);
/// At most partly: half of the table is over networks with a core per process.
Verdict on_rates(const Result &result);
Verdict on_dispatch(const Result &result);
Verdict on_network(const Result &result);
Verdict on_creation_times(const Result &result);
Verdict on_generation_rates(const Result &result);

Verdict on_purposes(const Result &result);
Verdict on_builds(const Result &result);
Verdict on_gain_on_networks(const Result &result);
Verdict on_gain_without_network(const Result &result);
/// @param spread  as of judge()
Verdict on_each_proposal(const Result &result, double spread);
Verdict on_gain_of_application(const Result &result);

} // namespace avrankmap::bench

#endif
