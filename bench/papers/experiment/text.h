// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers and cells as text.
#ifndef AVRANKMAP_BENCH_PAPERS_EXPERIMENT_TEXT_H
#define AVRANKMAP_BENCH_PAPERS_EXPERIMENT_TEXT_H

#include "papers/experiment/experiment.h"

#include <string>

namespace avrankmap::bench {

/// Rounds to three digits where there is a fraction, and separates thousands.
std::string number_text(double number);
/// "24 kB".
std::string bytes_text(double bytes);
/// This machine's value, and the paper's behind it in brackets: "12.3 (11.9)". "-" stands for a
/// value that is missing here; a cell without both is empty.
std::string cell_text(const Cell &cell);

} // namespace avrankmap::bench

#endif
