// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/conclusions/applications.h"

#include "papers/conclusions/comparison.h"
#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace avrankmap::bench {
namespace {

using Sentences = std::vector<std::string>;

/// The numbers of a column in the rows that are wanted.
template <class Wanted> std::vector<double> numbers_of(const Table &table, const char *column, Wanted wanted) {
  std::vector<double> numbers;
  for (const Row &row : table.rows) {
    const auto number = number_here(table, row.label, column);
    if (number && wanted(row)) {
      numbers.push_back(*number);
    }
  }
  return numbers;
}

bool any(const Row & /*row*/) { return true; }

std::optional<double> greatest(const std::vector<double> &numbers) {
  std::optional<double> most;
  for (const double number : numbers) {
    most = std::max(most.value_or(0), std::abs(number));
  }
  return most;
}

/// What a build saves per message, and with the messages of the row that sends the most.
void add_saving(const Table &table, const char *unit, Sentences &sentences) {
  const auto all = number_here(table, kInstructionsOfMessage, kDefaultBuild);
  const auto least = number_here(table, kInstructionsOfMessage, kAllProposals);
  const auto messages = greatest(numbers_of(table, kMessagesSent, any));
  if (all && least && messages) {
    sentences.push_back(fmt::format("Of the default build's {} instructions to issue a message the proposals save {}, "
                                    "at most {} per {} of a process.",
                                    number_text(*all), number_text(*all - *least),
                                    number_text(std::round((*all - *least) * *messages)), unit));
  }
}

/// From how many points per process on all problems that grow with the processes have half of the
/// efficiency.
void add_efficiency(const Table &table, Sentences &sentences) {
  double too_few = 0;
  std::vector<double> all;
  for (const Row &row : table.rows) {
    const auto points = number_here(table, row.label, kPointsPerProcess);
    const auto efficiency = number_here(table, row.label, kEfficiency);
    if (row.label.rfind("N = ", 0) == 0 && points && efficiency &&
        number_here(table, row.label, kMessagesSent).value_or(0) > 0) {
      all.push_back(*points);
      too_few = *efficiency < 50 ? std::max(too_few, *points) : too_few;
    }
  }
  std::sort(all.begin(), all.end());
  const auto enough = std::upper_bound(all.begin(), all.end(), too_few);
  int others = 0;
  int others_below = 0;
  for (const Row &row : table.rows) {
    const auto efficiency = number_here(table, row.label, kEfficiency);
    const auto points = number_here(table, row.label, kPointsPerProcess);
    if (row.label.rfind("N = ", 0) != 0 && efficiency && points && enough != all.end() && *points >= *enough) {
      ++others;
      others_below += *efficiency < 50 ? 1 : 0;
    }
  }
  if (!all.empty()) {
    sentences.push_back(fmt::format(
        "{}; the paper expects order-unity efficiency on Blue Gene/Q above 1,000 to 2,000.",
        enough == all.end()
            ? fmt::format("Half of the efficiency is not reached with up to {} points per process",
                          number_text(all.back()))
            : fmt::format(
                  "All rows N = ... from {} points per process on have half of the efficiency{}", number_text(*enough),
                  others == 0 ? ""
                              : fmt::format(", but not {} of the {} other rows with as many", others_below, others))));
  }
}

void add_check(const Table &table, Sentences &sentences) {
  if (const auto most = greatest(numbers_of(table, kToOneProcess, any))) {
    sentences.push_back(fmt::format("No result differs from that of one process by more than {:.1g} of it.", *most));
  }
}

} // namespace

std::vector<std::string> on_mass_inversion(const Result &result) {
  const Table &table = result.table;
  Sentences sentences;
  const auto is_where_paper_gains = [&](const Row &row) {
    const Cell *const theirs = find_cell(table, row.label, kTheirGain);
    const auto points = number_here(table, row.label, kPointsPerProcess);
    return theirs != nullptr && theirs->paper.index() != 0 && points && *points <= 1000;
  };
  if (const auto gains = numbers_of(table, kGain, is_where_paper_gains); !gains.empty()) {
    sentences.push_back(fmt::format("At 100 to 1,000 points per process the solver runs at {} times its default speed "
                                    "with all proposals; the paper's runs at 1.2 to 1.25 times the speed of "
                                    "MPICH/Original with CH4.",
                                    range_text(gains)));
  }
  add_saving(table, "iteration", sentences);
  add_efficiency(table, sentences);
  add_check(table, sentences);
  return sentences;
}

std::vector<std::string> on_lennard_jones(const Result &result) {
  const Table &table = result.table;
  Sentences sentences;
  if (const auto gains = numbers_of(table, kGain, any); !gains.empty()) {
    sentences.push_back(
        fmt::format("The system runs at {} times its default speed with all proposals.", range_text(gains)));
  }
  add_saving(table, "step", sentences);
  add_check(table, sentences);
  if (const auto most = greatest(numbers_of(table, kDrift, any))) {
    sentences.push_back(fmt::format("Energy drifts by {:.1g} of itself at most.", *most));
  }
  return sentences;
}

} // namespace avrankmap::bench
