// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A run of the measurements: its results as one JSON document, and all of its tables.
#ifndef AVRANKMAP_BENCH_REPORT_REPORT_H
#define AVRANKMAP_BENCH_REPORT_REPORT_H

#include "measurement/measurement.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

/// Runs what the session's filter lets through: first what needs several CPUs, then, on one, the
/// rest. The document has an array of rows under the name of each measurement, "machine", "budgets"
/// and "notes" (what was left out, and why).
Json measure(Session session);

/// The rows of a measurement; an empty array if the document has none.
const Json &rows_in(const Json &results, const char *measurement);

/// The budgets that the document has measurements for, in their order.
std::vector<Budget> budgets_of(const Json &results);

/// PASS or FAIL, and the worst value of each.
TextTable budgets_table(const std::vector<Budget> &budgets);

/// The machine, two lines.
std::string machine_text(const Json &results);

/// Everything, budgets last.
std::string details_text(const Json &results);

} // namespace avrankmap::bench

#endif
