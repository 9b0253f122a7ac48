// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A number that a paper's text states, and what is here of it: computed from the results, or the
// reason why there is none.
#ifndef AVRANKMAP_BENCH_PAPERS_TEXTS_STATEMENT_H
#define AVRANKMAP_BENCH_PAPERS_TEXTS_STATEMENT_H

#include "papers/texts/results.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A number computed from results; nothing if they lack one that it needs.
using Number = std::function<std::optional<double>(const Results &)>;
/// A text computed from results; empty if they lack one that it needs.
using Text = std::function<std::string(const Results &)>;

struct Statement {
  const char *section; ///< of the paper
  const char *says;    ///< what the number is of
  const char *paper;   ///< the number
  Text here = {};
  const char *remark = ""; ///< why there is none here, or what differs
};

Number constant(double value);
Number number_at(const char *id, const char *row, const char *column);
Number over(Number number, Number divisor);
Number minus(Number number, Number other);
Number times(double factor, Number number);
/// The first number by how much above the second one, in per cent.
Number percent_above(Number number, Number other);
/// A ratio by how much above 1, in per cent.
Number percent_above_one(const char *id, const char *row, const char *column);
/// How many rows whose label ends so have a value in a column.
Number rows_of(const char *id, const char *row_ending, const char *column);

Text text_at(const char *id, const char *row, const char *column);
/// The number, with words before and behind it.
Text with_words(const char *before, Number number, const char *behind = "");
/// "1.2 to 3.4", of the numbers in a part of a table.
Text range_of(const char *id, const char *row_ending, const char *column, const char *behind = "");
/// Those of all texts that are not empty, in a row.
Text all_of(std::vector<Text> texts);
Text machine_text();

} // namespace avrankmap::bench

#endif
