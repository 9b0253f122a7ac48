// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The results of a run, as the statements of the papers' texts ask for them.
#ifndef AVRANKMAP_BENCH_PAPERS_TEXTS_RESULTS_H
#define AVRANKMAP_BENCH_PAPERS_TEXTS_RESULTS_H

#include "papers/driver/store.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::bench {

/// A cell of an experiment's table.
struct Place {
  std::string id;
  std::string row;
  std::string column;
};

/// Rows of an experiment's table by how their labels end, in one column. An empty column stands for
/// all of them.
struct Part {
  std::string id;
  std::string row_ending;
  std::string column;
};

class Results {
public:
  virtual ~Results() = default;
  /// As this machine's value is printed; empty if there is none.
  [[nodiscard]] virtual std::string text(const Place &place) const = 0;
  /// Nothing if that is no number.
  [[nodiscard]] virtual std::optional<double> number(const Place &place) const = 0;
  [[nodiscard]] virtual std::vector<double> numbers(const Part &part) const = 0;
  /// How many rows have a value in the column; or how many there are, for an empty column.
  [[nodiscard]] virtual std::optional<int> rows(const Part &part) const = 0;
  /// Processor, its number, memory and compiler; empty if nothing has run.
  [[nodiscard]] virtual std::string machine() const = 0;
};

/// Those in a store.
class StoredResults final : public Results {
public:
  using Find = std::function<std::optional<Stored>(const std::string &id)>;
  explicit StoredResults(Find find) : find_(std::move(find)) {}

  [[nodiscard]] std::string text(const Place &place) const override;
  [[nodiscard]] std::optional<double> number(const Place &place) const override;
  [[nodiscard]] std::vector<double> numbers(const Part &part) const override;
  [[nodiscard]] std::optional<int> rows(const Part &part) const override;
  [[nodiscard]] std::string machine() const override;

private:
  [[nodiscard]] const Stored *stored(const std::string &id) const;

  Find find_;
  mutable std::map<std::string, std::optional<Stored>> kept_;
};

} // namespace avrankmap::bench

#endif
