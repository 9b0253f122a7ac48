// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results for the statements of the papers' texts that are made up, each number by its place, and
// that record which places were asked for.
#ifndef AVRANKMAP_TESTS_PAPERS_MADE_RESULTS_H
#define AVRANKMAP_TESTS_PAPERS_MADE_RESULTS_H

#include "papers/experiment/text.h"
#include "papers/texts/texts.h"

#include <functional>
#include <string>
#include <vector>

namespace avrankmap::bench {

class MadeResults final : public Results {
public:
  /// Another seed gives other numbers.
  explicit MadeResults(std::string seed) : seed_(std::move(seed)) {}

  [[nodiscard]] std::string text(const Place &place) const override { return number_text(*number(place)); }
  [[nodiscard]] std::optional<double> number(const Place &place) const override {
    asked.push_back(place);
    return made(place.id + place.row + place.column);
  }
  [[nodiscard]] std::vector<double> numbers(const Part &part) const override {
    return {*number({part.id, part.row_ending, part.column}), made("another of " + part.id + part.column)};
  }
  [[nodiscard]] std::optional<int> rows(const Part &part) const override {
    return static_cast<int>(*number({part.id, part.row_ending, part.column}));
  }
  [[nodiscard]] std::string machine() const override { return "a machine " + seed_; }

  mutable std::vector<Place> asked;

private:
  [[nodiscard]] double made(const std::string &what) const {
    return 1 + static_cast<double>(std::hash<std::string>{}(what + seed_) % 9973);
  }

  std::string seed_;
};

inline constexpr const char *kPapers[] = {"000", "001", "002", "003", "004"};

/// The places that all statements ask for.
inline std::vector<Place> places_of_texts() {
  const MadeResults results("places");
  for (const char *const paper : kPapers) {
    (void)table_of(statements_of(paper), results);
  }
  return results.asked;
}

} // namespace avrankmap::bench

#endif
