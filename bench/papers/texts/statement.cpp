// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/texts/statement.h"

#include "papers/conclusions/comparison.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>

#include <utility>

namespace avrankmap::bench {
namespace {

/// Computes one number of two.
template <class Compute> Number of_both(Number one, Number other, Compute compute) {
  return [one = std::move(one), other = std::move(other), compute](const Results &results) {
    const auto first = one(results);
    const auto second = other(results);
    return first && second ? std::optional<double>(compute(*first, *second)) : std::nullopt;
  };
}

} // namespace

Number constant(double value) {
  return [value](const Results &) { return std::optional(value); };
}

Number number_at(const char *id, const char *row, const char *column) {
  return [place = Place{id, row, column}](const Results &results) { return results.number(place); };
}

Number over(Number number, Number divisor) {
  return of_both(std::move(number), std::move(divisor), [](double a, double b) { return a / b; });
}

Number minus(Number number, Number other) {
  return of_both(std::move(number), std::move(other), [](double a, double b) { return a - b; });
}

Number times(double factor, Number number) {
  return [factor, number = std::move(number)](const Results &results) {
    const auto of = number(results);
    return of ? std::optional(factor * *of) : std::nullopt;
  };
}

Number percent_above(Number number, Number other) {
  return of_both(std::move(number), std::move(other), [](double a, double b) { return 100 * (a / b - 1); });
}

Number percent_above_one(const char *id, const char *row, const char *column) {
  return percent_above(number_at(id, row, column), constant(1));
}

Number rows_of(const char *id, const char *row_ending, const char *column) {
  return [part = Part{id, row_ending, column}](const Results &results) -> std::optional<double> {
    const auto count = results.rows(part);
    return count ? std::optional<double>(*count) : std::nullopt;
  };
}

Text text_at(const char *id, const char *row, const char *column) {
  return [place = Place{id, row, column}](const Results &results) { return results.text(place); };
}

Text with_words(const char *before, Number number, const char *behind) {
  return [before, number = std::move(number), behind](const Results &results) {
    const auto of = number(results);
    return of ? fmt::format("{}{}{}", before, number_text(*of), behind) : std::string();
  };
}

Text range_of(const char *id, const char *row_ending, const char *column, const char *behind) {
  return [part = Part{id, row_ending, column}, behind](const Results &results) {
    const std::vector<double> numbers = results.numbers(part);
    return numbers.empty() ? std::string() : range_text(numbers) + behind;
  };
}

Text all_of(std::vector<Text> texts) {
  return [texts = std::move(texts)](const Results &results) {
    std::string all;
    for (const Text &text : texts) {
      const std::string one = text(results);
      all += all.empty() || one.empty() ? one : "; " + one;
    }
    return all;
  };
}

Text machine_text() {
  return [](const Results &results) { return results.machine(); };
}

} // namespace avrankmap::bench
