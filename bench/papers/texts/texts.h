// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of the papers' texts, with our values for them. Those that tables print stand in
// the tables of the experiments.
#ifndef AVRANKMAP_BENCH_PAPERS_TEXTS_TEXTS_H
#define AVRANKMAP_BENCH_PAPERS_TEXTS_TEXTS_H

#include "papers/texts/statement.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

// rankmap_text.cpp
std::vector<Statement> rankmap_text();
std::vector<Statement> earlier_text();
// cartesian_text.cpp
std::vector<Statement> cartesian_text();
// slow_mpi_text.cpp
std::vector<Statement> slow_mpi_text();
// noncollective_text.cpp
std::vector<Statement> noncollective_text();

/// By the paper's number, "000" to "004"; none for another.
std::vector<Statement> statements_of(const std::string &paper);

/// Replaces a value that the results lack.
inline constexpr const char *kNotInResults = "no result in this run";

/// One row per statement.
Table table_of(const std::vector<Statement> &statements, const Results &results);

} // namespace avrankmap::bench

#endif
